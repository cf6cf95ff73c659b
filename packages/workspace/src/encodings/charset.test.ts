import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Charset, openCharset } from './charset.ts';

const BYTE_ENCODINGS = [
  'windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258',
  'iso-8859-1 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-9 iso-8859-15',
  'koi8-r koi8-u macintosh ibm437 ibm850 shift_jis euc-jp gbk gb18030 big5 euc-kr',
].flatMap((names) => names.split(' '));
const ENCODINGS = [...BYTE_ENCODINGS, 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'];

async function open(name: string): Promise<Charset> {
  return (await openCharset(name)) as Charset;
}

test.each(ENCODINGS)('any bytes in %s come back as they were, also around a change', async (name) => {
  const charset = await open(name);
  const width = /16/.test(name) ? 2 : /32/.test(name) ? 4 : 1;
  const bytes = fc.uint8Array({ maxLength: 60 });
  const whole = bytes.map((some) => Buffer.from(some.subarray(0, some.length - (some.length % width))));
  fc.assert(
    fc.property(whole, bytes, (before, after) => {
      const { encode: encodePlain } = charset.open(Buffer.alloc(0), 'a'); // The content may start with a mark.
      const at = encodePlain(Buffer.from('\n{old}'));
      const content = Buffer.concat([before, at, after]);
      const { text, encode } = charset.open(content, 'a');
      expect(encode(text)).toEqual(content);
      const edited = Buffer.from(text.toString().replace('{old}', '{other}'));
      const wanted = Buffer.concat([before, encodePlain(Buffer.from('\n{other}')), after]);
      if (!edited.equals(text)) expect(encode(edited)).toEqual(wanted);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['windows-1252', 'naïve café — 10 €'],
  ['iso-8859-15', 'cœur €'],
  ['koi8-u', 'Привіт, світе'],
  ['macintosh', 'Ünïcödé'],
  ['ibm437', 'é ░▒▓'],
  ['shift_jis', '数値を表示する ｶﾅ ①㈱髙'],
  ['euc-jp', '数値を表示する ｶﾅ'],
  ['iso-2022-jp', '数値 is a number\n次の行'],
  ['gbk', '数值 变量'],
  ['gb18030', '数值 𠀀 ü'],
  ['big5', '數值'],
  ['euc-kr', '값 펲'],
  ['utf-16be', 'é 𠀀'],
  ['utf-32le', 'é 𠀀'],
])('reads and writes %s', async (name, text) => {
  const charset = await open(name);
  const bytes = charset.open(Buffer.alloc(0), 'a').encode(Buffer.from(text));
  expect(charset.decode(bytes).toString()).toBe(text);
  expect(charset.open(bytes, 'a').text.toString()).toBe(text);
});

test('one broken byte is one character', async () => {
  const charset = await open('gb18030');
  const bytes = Buffer.from([0x41, 0xff, 0xff, 0x0a]);
  expect(charset.decode(bytes).toString()).toBe('A\ufffd\ufffd\n');
  expect(charset.open(bytes, 'a').text.toString()).toHaveLength(6);
});

test('a character that the encoding lacks is refused with its line', async () => {
  const { encode } = (await open('windows-1252')).open(Buffer.from('a'), 'a');
  expect(() => encode(Buffer.from('one\ntwo 数'))).toThrow('windows-1252 lacks 数 (U+6570) in line 2');
  const jis = (await open('iso-2022-jp')).open(Buffer.from('a'), 'a');
  expect(() => jis.encode(Buffer.from('ｶ'))).toThrow('iso-2022-jp lacks ｶ (U+FF76) in line 1');
});

test('ISO-2022-JP that would be written in another form is not opened', async () => {
  const charset = await open('iso-2022-jp');
  const doubled = Buffer.from('\x1b$B\x1b$B?t\x1b(B');
  expect(charset.decode(doubled).toString()).toContain('数');
  expect(() => charset.open(doubled, 'a.txt')).toThrow('a.txt is ISO-2022-JP in a form');
});

test('an encoding has many names', async () => {
  const names = [
    'latin1',
    'Latin-1',
    'CP1252',
    'sjis',
    'Windows-31J',
    'GB2312',
    'UTF-16',
    'utf_32be',
    'cp437',
    'KOI8R',
  ];
  const found = await Promise.all(names.map(async (name) => (await openCharset(name))?.name));
  expect(found).toEqual([
    ...['iso-8859-1', 'iso-8859-1', 'windows-1252', 'shift_jis', 'windows-31j', 'gbk'],
    ...['utf-16le', 'utf-32be', 'ibm437', 'koi8r'],
  ]);
  expect(await openCharset('UTF-8')).toBeUndefined();
  await expect(openCharset('base64')).rejects.toMatchObject({ code: 'invalid_args' });
  await expect(openCharset('klingon')).rejects.toMatchObject({ message: 'unknown encoding: klingon' });
});
