import { execFileSync } from 'node:child_process';
import { createSession } from '@jinn/core';
import { call, makeTempDirectory } from '@jinn/testkit';
import { openCharset } from '@jinn/workspace/encodings';
import type { Charset } from '@jinn/workspace/find-charset';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { localeEncoding } from './launch-command.ts';
import { OutputDecoder, openDecoder } from './output-decoder.ts';
import { runShell } from './run-shell.ts';

const inLocale = (locale: object) => ({ environment: { ...process.env, LC_ALL: undefined, ...locale } });

test.each([
  [{ LANG: 'zh_CN.GBK' }, 'gbk'],
  [{ LANG: 'ja_JP.eucJP' }, 'eucjp'],
  [{ LANG: 'ja_JP.SJIS' }, 'shift_jis'],
  [{ LANG: 'de_DE.ISO8859-15@euro' }, 'iso8859-15'],
  [{ LANG: 'ru_RU.KOI8-R', LC_CTYPE: 'ru_RU.CP1251' }, 'windows-1251'],
  [{ LANG: 'ru_RU.KOI8-R', LC_CTYPE: '', LC_ALL: '' }, 'koi8-r'],
  [{ LANG: 'ru_RU.KOI8-R', LC_ALL: 'C.UTF-8' }, undefined],
  [{ LANG: 'en_US.utf8' }, undefined],
  [{ LANG: 'C' }, undefined],
  [{ LANG: 'xx.klingon' }, undefined],
  [{ LANG: 'xx.utf-16' }, undefined],
  [{}, undefined],
])('the encoding of %j is %s', async (environment, name) => {
  const encoding = localeEncoding(environment);
  const decoder = encoding === undefined ? undefined : await openDecoder(encoding);
  decoder?.decode('stdout', Buffer.from([0xff]), true);
  expect(decoder?.encoding).toBe(name);
});

const TEXTS: readonly (readonly [string, string])[] = [
  ['gbk', '// 数值 ok\n没有那个文件或目录\n'],
  ['gb18030', '没有 😀 あ\n'],
  ['euc-jp', 'そのようなファイルやディレクトリはありません\n'],
  ['shift_jis', 'ファイル: 数値 ｱｲ\n'],
  ['big5', '沒有此一檔案或目錄\n'],
  ['euc-kr', '그런 파일이나 디렉터리가 없습니다\n'],
  ['koi8-r', 'Нет такого файла\n'],
  ['windows-1252', 'Größe für “alle” – 5 €\n'],
];

test.each(TEXTS)('%s is decoded whatever the chunks', async (name, text) => {
  const charset = (await openCharset(name)) as Charset;
  const bytes = charset.open(Buffer.alloc(0), 'a').encode(Buffer.from(text));
  const cuts = fc.array(fc.nat(bytes.length), { maxLength: 8 }).map((some) => [0, ...some.sort((a, b) => a - b)]);
  fc.assert(
    fc.property(cuts, (at) => {
      const decoder = new OutputDecoder(charset);
      decoder.decode('stdout', Buffer.from([0xff]), true); // From here on it is decoded.
      const parts = at.map((from, i) => bytes.subarray(from, at[i + 1] ?? bytes.length));
      const shown = parts.map((part, i) => decoder.decode('stdout', part, i === parts.length - 1));
      expect(Buffer.concat(shown).toString()).toBe(text);
    }),
  );
});

test.each(['gbk', 'gb18030', 'shift_jis', 'euc-jp', 'koi8-r'])(
  'any bytes in %s have the same form whatever the chunks',
  async (name) => {
    const charset = (await openCharset(name)) as Charset;
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 6 }), (chunks) => {
        const decoder = new OutputDecoder(charset);
        decoder.decode('stderr', Buffer.from([0xff]), true);
        const shown = chunks.map((chunk) => decoder.decode('stderr', Buffer.from(chunk), false));
        const all = Buffer.concat([...shown, decoder.decode('stderr', Buffer.alloc(0), true)]).toString();
        expect(all).toBe(charset.decode(Buffer.concat(chunks)).toString());
      }),
    );
  },
);

test('output in the encoding of the locale is shown, and named once', async () => {
  const root = makeTempDirectory();
  const bytes = (text: string) => execFileSync('iconv', ['-t', 'GBK'], { input: text }).toString('hex');
  const print = (text: string) => `printf '${bytes(text).replace(/../g, '\\x$&')}'`;
  const command = `${print('数')}; sleep 0.1; ${print('值\n')}; ${print('错误\n')} >&2; exit 1`;
  const answer = await call(runShell, { command, streams: true }, { root, ...inLocale({ LANG: 'zh_CN.GBK' }) });
  expect(answer.result).toContain('\n数值\n错误\n\n[decoded from gbk, the encoding of the locale]\n');
  expect(answer.meta).toMatchObject({ encoding: 'gbk' });
  const plain = await call(runShell, { command: "printf 'é\\n'" }, { root, ...inLocale({ LANG: 'zh_CN.GBK' }) });
  expect(plain.result).toMatch(/^\[exit: 0\]\né\n\[/);
  expect(plain.meta).not.toHaveProperty('encoding');
  const other = await call(runShell, { command }, { root, ...inLocale({ LANG: 'C.UTF-8' }) });
  expect(other.result).toContain('\ufffd');
});

test('the output of a job, a long output and its log are decoded too', async () => {
  const session = createSession();
  onTestFinished(() => session.close());
  const at = { session, root: makeTempDirectory(), ...inLocale({ LANG: 'ru_RU.KOI8-R' }) };
  const line = "printf '\\xc4\\xc1 %s\\n'"; // да
  const long = await call(runShell, { command: `for i in {1..3000}; do ${line} $i; done` }, at);
  expect(long.result).toContain('да 3000\n');
  expect(long.meta).toMatchObject({ encoding: 'koi8-r', output_file: expect.any(String) });
  const job = await call(runShell, { command: `${line} 1; sleep 100`, background: true, wait_for: 'да' }, at);
  expect(job.result).toContain('да 1');
  const seen = await call(runShell, { job: (job.meta as { job: string }).job, since: 3 }, at);
  expect(seen.result).toContain(']\nа 1\n');
  expect(seen.meta).toMatchObject({ running: true, encoding: 'koi8-r' });
});
