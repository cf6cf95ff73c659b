import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { createUserFiles, openWorkspace } from '../guard/index.ts';
import { CharsetFinder } from './find-charset.ts';
import { Encodings } from './index.ts';

const RUSSIAN = '// Проверка: все файлы должны быть прочитаны до конца\nint x = 1;\n';
const CHINESE = '// 读取配置文件，如果文件不存在则返回默认值\nint x = 1;\n';

function sources(files: Record<string, string> = {}, settings?: object) {
  const [root, state] = [makeTempDirectory(), makeTempDirectory()];
  makeTree(root, files);
  if (settings) fs.writeFileSync(`${state}/config.json`, JSON.stringify(settings));
  const workspace = openWorkspace({ root });
  return { workspace, user: createUserFiles({ home: undefined, state, closed: [] }) };
}

function scene(...made: Parameters<typeof sources>) {
  return new Encodings(sources(...made));
}

async function find(encodings: Encodings, path: string, content: Buffer | string) {
  return (await encodings.find(path, Buffer.from(content)))?.name;
}

test.each([
  ['windows-1252', 'Der Schlüssel für die Übergabe fehlt, größer als erlaubt'],
  ['windows-1250', 'Błąd podczas otwierania pliku źródłowego'],
  ['windows-1251', RUSSIAN],
  ['koi8-r', RUSSIAN],
  ['windows-1253', 'Η εντολή αυτή εμφανίζει τα περιεχόμενα του αρχείου'],
  ['shift_jis', 'ファイルを読み込んで、数値を表示する'],
  ['euc-jp', 'ファイルを読み込んで、数値を表示する'],
  ['gb18030', CHINESE],
  ['big5', '讀取設定檔，如果檔案不存在則傳回預設值'],
  ['euc-kr', '파일을 읽고 값을 표시한다. 파일이 없으면 기본값을 돌려준다'],
  ['macintosh', 'Der Schlüssel für die Übergabe fehlt, größer als erlaubt'],
  ['ibm850', 'Não é possível abrir o arquivo de configuração: permissão negada'],
  ['utf-16le', 'plain text, no mark'],
  ['utf-16be', 'plain text, no mark é'],
  ['utf-32le', 'plain text, no mark é'],
  ['utf-32be', 'plain text, no mark é'],
])('finds %s by its bytes', async (name, text) => {
  expect(await find(scene(), 'a.txt', iconv.encode(`${text}\n`, name))).toBe(name);
});

test('a mark, and the escapes of ISO-2022-JP, say what it is', async () => {
  const encodings = scene();
  expect(await find(encodings, 'a', Buffer.from('fffe6100', 'hex'))).toBe('utf-16le');
  expect(await find(encodings, 'a', Buffer.from('feff0061', 'hex'))).toBe('utf-16be');
  expect(await find(encodings, 'a', Buffer.from('fffe000061000000', 'hex'))).toBe('utf-32le');
  expect(await find(encodings, 'a', Buffer.from('0000feff00000061', 'hex'))).toBe('utf-32be');
  expect(await find(encodings, 'a', 'x \x1b$B?tCM\x1b(B\n')).toBe('iso-2022-jp');
});

test('nothing is guessed of UTF-8, of UTF-8 with a broken byte, and of data', async () => {
  const encodings = scene();
  expect(await find(encodings, 'a', 'naïve 数値\n')).toBeUndefined();
  expect(await find(encodings, 'a', Buffer.from('naïve 数値 \xff'.slice(0), 'utf8').subarray(0, -1))).toBeUndefined();
  expect(
    await find(encodings, 'a', Buffer.from(Array.from({ length: 400 }, (_, i) => (i * 89) % 256))),
  ).toBeUndefined();
  expect(await find(encodings, 'a', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR')).toBeUndefined();
});

test('a file with a few signs is Western', async () => {
  const encodings = scene();
  for (const text of ['10 \xb0C', '\xa9 2020 Acme', 'caf\xe9', 'price 5 \xa3']) {
    expect(await find(encodings, 'a', Buffer.from(text, 'latin1'))).toBe('windows-1252');
  }
});

test('the project decides before the bytes do, and a call before the project', async () => {
  const content = iconv.encode(RUSSIAN, 'koi8-r');
  const attributes = 'old/*.txt working-tree-encoding=IBM866\n*.c -working-tree-encoding\n';
  const files = {
    '.editorconfig': '[*]\ncharset = utf-8\n[*.l1]\ncharset = latin1\n',
    '.gitattributes': attributes,
    'old/new/.gitattributes': '*.txt text working-tree-encoding=iso-8859-5 eol=lf\n',
    'old/.editorconfig': '[w*.txt]\ncharset = utf-16be\n',
  };
  const encodings = scene(files, { encodings: { 'old/**': 'windows-1251', '*.l1': 'koi8-u', bad: 'klingon' } });
  expect(await find(encodings, 'a.txt', content)).toBe('koi8-r');
  expect(await find(encodings, 'a.l1', content)).toBe('windows-1252');
  expect(await find(encodings, 'old/a.txt', content)).toBe('ibm866');
  expect(await find(encodings, 'old/wide.txt', content)).toBe('utf-16be');
  expect(await find(encodings, 'old/new/a.txt', content)).toBe('iso-8859-5');
  expect(await find(encodings, 'old/a.c', content)).toBe('windows-1251');
  expect(await find(encodings, 'bad', content)).toBe('koi8-r');
  expect(await find(encodings, 'a.l1', 'é')).toBeUndefined();
  expect((await encodings.find('a.l1', content, { asked: 'Mac Roman' }))?.name).toBe('macintosh');
  await expect(encodings.find('a.l1', content, { asked: 'klingon' })).rejects.toMatchObject({ code: 'invalid_args' });
});

test('globs of .editorconfig stand for files as there, and a hostile one for none', async () => {
  const hostile = [
    '{a,b}'.repeat(60),
    '**/'.repeat(400),
    '*a'.repeat(40),
    '{1..1000000000}',
    '[',
    '{a',
    '*'.repeat(5_000),
  ];
  const sections = (charset: string, globs: readonly string[]) =>
    globs.map((glob) => `[${glob}]\n Charset = ${charset} ; as it was\n`).join('');
  const encodings = scene({
    '.editorconfig': sections('koi8-r', ['*']),
    'a/.editorconfig': `; by hand\nroot = true\n[*.md]\nindent_size = 2\n${sections('ibm866', ['/top.txt', 'lib/**.{c,h}', '[xy]?.txt'])}`,
    'b/.editorconfig': `${sections('koi8-u', hostile)}[*]\ncharset=${' '.repeat(100_000)}x y\n`,
  });
  const name = (path: string) => find(encodings, path, Buffer.from('caf\xe9', 'latin1'));
  for (const path of ['a/top.txt', 'a/lib/b/a.c', 'a/lib/a.h', 'a/z/x1.txt'])
    expect([path, await name(path)]).toEqual([path, 'ibm866']);
  for (const path of ['a/z/top.txt', 'a/z/a.c', 'a/z1.txt'])
    expect([path, await name(path)]).toEqual([path, 'windows-1252']);
  expect(await name(`b/${'a'.repeat(100)}`)).toBe('koi8-r');
});

test('a content of more than 16 MB is not decoded, and refused if an encoding is asked for', async () => {
  const finder = new CharsetFinder({ ...sources(), session: {} });
  const content = Buffer.alloc(16 * 1024 * 1024 + 1, 0xe9);
  const file = (size: number) => ({ path: 'a', content: content.subarray(0, size) });
  expect(await finder.find(file(content.length))).toBeUndefined();
  expect(await finder.find(file(content.length - 1))).toBeDefined();
  await expect(finder.find(file(content.length), 'latin1')).rejects.toMatchObject({ code: 'file_too_large' });
});
