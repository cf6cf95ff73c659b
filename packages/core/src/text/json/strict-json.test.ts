import { describe, expect, test } from 'vitest';
import { MAX_VALUES } from './json-scanner.ts';
import { parseJson, parseStrictJson } from './strict-json.ts';

describe('a value by itself', () => {
  const parse = (text: string | Uint8Array) => parseJson(Buffer.from(text));

  test.each(['{"a":1}', ' {"a":1.0}\r\n', '[1]', '12', '"x"', '\ufeff{}', `{"a":"${'x'.repeat(9000)}"}`])(
    'is read: %j',
    (text) => {
      expect(parse(text)).toMatchObject({ ok: true, value: JSON.parse(text.replace('\ufeff', '')) });
    },
  );

  test.each([
    ['', 'there is no value'],
    [' \n', 'there is no value'],
    ['{} {}', 'there is more than one value'],
    ['{}]', 'there is more than one value'],
    ['{"a":1,"a":2}', 'duplicate key "a"'],
    ['{"a":1,"a":2}{}', 'duplicate key "a"'],
    ['['.repeat(65), 'nested deeper than 64 levels'],
    [
      Buffer.from([0x7b, 0xff]),
      'expected a key in double quotes or "}", found a character outside ASCII (line 1, column 2)',
    ],
    [Buffer.from([0x22, 0xff, 0x22]), 'found a byte that is not UTF-8 (line 1, column 2)'],
  ])('is refused: %j', (text, problem) => {
    expect(parse(text)).toEqual({ ok: false, message: `invalid JSON: ${problem}`, suggestion: expect.any(String) });
  });
});

test('refuses too many values, wherever they lie', () => {
  // The list itself, two values in each list and object of it, and single ones.
  const listOf = (single: number) => `[${'0,'.repeat(single)}${'[0],{"a":0},'.repeat(29_999)}{"a":{}}]`;
  const read = (single: number) => parseJson(Buffer.from(listOf(single)));
  expect(read(MAX_VALUES - 119_999)).toMatchObject({ ok: true });
  expect(read(MAX_VALUES - 119_998)).toMatchObject({ message: `invalid JSON: it has more than ${MAX_VALUES} values` });
});

describe('strict JSON of a file', () => {
  test('is read with a byte order mark, and nested as deep as a schema may be', () => {
    expect(parseStrictJson('\ufeff {"a":"a","b":"a"}\n')).toEqual({ a: 'a', b: 'a' });
    const deep = '['.repeat(900) + ']'.repeat(900);
    expect(parseStrictJson(deep)).toEqual(JSON.parse(deep));
  });

  test.each([
    ['', 'invalid JSON: there is no value'],
    ['{} {}', 'invalid JSON: there is more than one value'],
    ['{"sandbox":"auto","sandbox":"off"}', 'invalid JSON: duplicate key "sandbox"'],
    ['['.repeat(1_001), 'invalid JSON: '],
  ])('refuses %j', (json, message) => {
    expect(() => parseStrictJson(json)).toThrow(message);
  });
});
