import fc from 'fast-check';
import { expect, inject, onTestFinished, test } from 'vitest';
import { Replacer } from './replace-matches.ts';

interface Options {
  readonly limitMs?: number;
  readonly maxBytes?: number;
  readonly flags?: string;
}

/** Replaces in each content in turn; gives the results as latin1. */
async function replace(
  pattern: string,
  replacement: string | readonly (string | number)[],
  contents: readonly (string | Buffer)[],
  { limitMs = 5_000, maxBytes = 1e8, flags = 'gmv' }: Options = {},
) {
  const replacer = new Replacer({ pattern, flags, replacement: [replacement].flat() }, limitMs);
  onTestFinished(() => replacer.close());
  const results = [];
  for (const content of contents) {
    const { bytes, ...found } = await replacer.replaceIn(Buffer.from(content as string), maxBytes);
    results.push({ ...found, text: bytes?.toString('latin1') });
  }
  return results;
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

test('replaces every match in every text, and tells the lines', async () => {
  expect(await replace('(b)(.)', [2, 1], ['a\nbc\nabd', 'none', ''])).toEqual([
    { text: 'a\ncb\nadb', count: 2, firstLine: 2, lastLine: 3 },
    { text: undefined, count: 0, firstLine: 1, lastLine: 1 },
    { text: undefined, count: 0, firstLine: 1, lastLine: 1 },
  ]);
});

test('matches at line boundaries, and where nothing is', async () => {
  expect(await replace('^', '> ', ['a\r\nb'])).toMatchObject([{ text: '> a\r> \n> b', count: 3 }]);
});

test('replaces as String.replace does with a function', async () => {
  const parts = fc.array(fc.constantFrom('$', '$1', '$&', '<', 'é', '\u{1f600}', 0, 1, 2));
  const text = fc.array(fc.constantFrom('a', 'b', 'ab', '\n', 'é', '\u{1f600}', '-')).map((all) => all.join(''));
  const pattern = fc.constantFrom('(a)(b)?', '(?<x>a)|(b)', '(^)(.?)', '([^a])()', '()()', '(?<=(a))(b)');
  await fc.assert(
    fc.asyncProperty(pattern, parts, text, async (source, replacement, before) => {
      const [result] = await replace(source, replacement, [before]);
      const expected = before.replace(new RegExp(source, 'gmv'), (...match) =>
        replacement.map((part) => (typeof part === 'string' ? part : (match[part] ?? ''))).join(''),
      );
      if (result?.count === 0) expect(expected).toBe(before);
      else expect(result?.text).toBe(utf8(expected));
    }),
    { numRuns: 40 / inject('runsDivisor') },
  );
});

test.for([
  ['keeps bytes that are not UTF-8', 'a', '€', 'f\xf6a\xff', 'f\xf6\xe2\x82\xac\xff'],
  ['finds text beside bytes that are not UTF-8', 'naïve', 'é', `\xff${utf8('naïve')}`, '\xff\xc3\xa9'],
  ['takes such a byte for one character', '.', [0, 0], '\xff\xc3', '\xff\xff\xc3\xc3'],
  [
    'keeps overlong and broken sequences',
    'x',
    '',
    '\xc0\x80x\xed\xa0\x80x\xf5\xe2\x82',
    '\xc0\x80\xed\xa0\x80\xf5\xe2\x82',
  ],
  ['keeps all lengths of characters', 'x', '', `\xff${utf8('aé€\u{1f600}')}x`, `\xff${utf8('aé€\u{1f600}')}`],
] as const)('%s', async ([, pattern, replacement, before, after]) => {
  expect((await replace(pattern, replacement, [latin1(before)]))[0]?.text).toBe(after);
});

test('changes no byte outside of the matches, whatever the bytes are', async () => {
  const bytes = fc
    .uint8Array({ maxLength: 40 })
    .map((array) => Buffer.from(array).toString('latin1').replaceAll('@', ''));
  const pairs = fc.sample(fc.tuple(bytes, bytes), 600 / inject('runsDivisor'));
  const results = await replace(
    '@',
    '€',
    pairs.map((pair) => latin1(pair.join('@'))),
  );
  expect(results.map(({ text }) => text)).toEqual(pairs.map((pair) => pair.join('\xe2\x82\xac')));
});

test('keeps characters whole in texts longer than its buffer', async () => {
  for (const lead of ['', 'x']) {
    const before = `${lead}${'\u{1f600}'.repeat(100_000)}@`;
    for (const wrong of [Buffer.alloc(0), latin1('\xff')]) {
      const [result] = await replace('@', '!', [Buffer.concat([wrong, Buffer.from(before)])]);
      expect(result?.text === wrong.toString('latin1') + utf8(before.replace('@', '!'))).toBe(true);
    }
  }
});

test('stops a pattern that backtracks', async () => {
  const hostile = replace('(a+)+$', '', [`${'a'.repeat(40)}!`], { limitMs: 200 });
  await expect(hostile).rejects.toMatchObject({ code: 'timeout', suggestion: expect.any(String) });
});

test('gives no content that is larger than the limit', async () => {
  expect(
    (await replace('.', Array(1_000).fill(0), ['y'.repeat(5_000_000)], { maxBytes: 1e6 }))[0]?.text,
  ).toBeUndefined();
  expect((await replace('^.', '', ['y'.repeat(999)], { maxBytes: 998 }))[0]?.text).toHaveLength(998);
  expect((await replace('^.', 'xx', ['y'.repeat(999)], { maxBytes: 999 }))[0]?.text).toBeUndefined();
});
