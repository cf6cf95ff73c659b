import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { MAX_VALUES, parseJson, parseStrictJson } from './parse-json.ts';

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

test('accepts what JSON.parse accepts, with the same value', () => {
  const odd = [...'{}[]",:\\\n \t-+.0123eEtrufalsn/bxé\u2028😀', 'true', 'null', '"a"', '"a":', '\\u0061', '1.0'];
  const text = fc.tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t'));
  const edit = fc.record({ at: fc.nat(), cut: fc.nat(3), put: fc.constantFrom('', ...odd) });
  fc.assert(
    fc.property(text, fc.array(edit, { maxLength: 3 }), ([value, indent], edits) => {
      const json = edits.reduce(
        (before, { at, cut, put }) => {
          const start = at % (before.length + 1);
          return before.slice(0, start) + put + before.slice(start + cut);
        },
        JSON.stringify(value, null, indent),
      );
      const bytes = Buffer.from(json);
      const read = parseJson(bytes);
      const expected = parsedOf(bytes.toString());
      if (read.ok) expect([read.value]).toEqual(expected);
      else if (!read.message.includes('duplicate key')) expect(expected, json).toEqual([]);
    }),
    { numRuns: 5_000 / inject('runsDivisor') },
  );
});

/** Returns the value of a text in a list, which is empty if JSON.parse refuses it. */
function parsedOf(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

test.each([
  ['{"id":1.0,"a":[1.0]}', { id: '1.0' }],
  ['{"id":12345678901234567890}', { id: '12345678901234567890' }],
  ['[{"id":1.0}]', undefined],
  ['{"id":1}', undefined],
])('keeps the digits of the outermost members of %s', (text, numbers) => {
  const read = parseJson(Buffer.from(text));
  expect(read.ok && read.numbers && Object.fromEntries(read.numbers)).toEqual(numbers);
});
