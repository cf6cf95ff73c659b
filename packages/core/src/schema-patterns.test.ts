import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ToolError } from './errors.ts';
import { createSchemaCheck, jsonSchemaInput } from './json-schema-input.ts';
import { stepsOf } from './pattern-cost.ts';

/** A check that goes on for hours on the thread of the caller takes less than this. */
const SOON_MS = 20_000;
const CATASTROPHIC = '^(a+)+$';
const HARD_TEXT = `${'a'.repeat(60)}!`;

async function refusal(schema: object, args: object): Promise<ToolError> {
  const input = jsonSchemaInput({ type: 'object', ...schema }, { name: 'take', examples: [] });
  return Promise.resolve(input.parse(args)).then(
    () => expect.fail('accepted'),
    (error) => error,
  );
}

const ATTACKS: readonly (readonly [string, object, object])[] = [
  ['nested quantifiers', { properties: { a: { pattern: CATASTROPHIC } } }, { a: HARD_TEXT }],
  ['nested quantifiers in patternProperties', { patternProperties: { [CATASTROPHIC]: {} } }, { [HARD_TEXT]: 1 }],
  ['propertyNames', { propertyNames: { pattern: CATASTROPHIC } }, { [HARD_TEXT]: 1 }],
  ['optional parts', { properties: { a: { pattern: `^${'(?:a|ab)?'.repeat(40)}$` } } }, { a: `${'a'.repeat(40)}!` }],
  ['alternatives', { properties: { a: { pattern: '^(a|a)*$' } } }, { a: HARD_TEXT }],
  ['a polynomial', { properties: { a: { pattern: 'a*a*a*a*b' } } }, { a: 'a'.repeat(20_000) }],
  ['look-ahead', { properties: { a: { pattern: '^(?=(a+)+$)' } } }, { a: HARD_TEXT }],
  ['a reference', { properties: { a: { pattern: '^(a+)+\\1$' } } }, { a: HARD_TEXT }],
  ['a bounded repetition', { properties: { a: { pattern: '^(a{1,30}){1,30}b$' } } }, { a: HARD_TEXT }],
  [
    'many fields',
    { additionalProperties: { pattern: 'a*a*b' } },
    Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, `${'a'.repeat(2_000)}${i}`])),
  ],
];

test.each(ATTACKS)(
  'refuses %s that take too long, and lets other work go on',
  async (_, schema, args) => {
    let turns = 0;
    const timer = setInterval(() => turns++, 20);
    const error = await refusal(schema, args).finally(() => clearInterval(timer));
    expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('was still being matched') });
    expect(error.suggestion).toContain('mend the pattern');
    expect(turns).toBeGreaterThan(10);
  },
  SOON_MS,
);

test('refuses a text for which a pattern takes more memory than there is', { timeout: SOON_MS }, async () => {
  const error = await refusal({ properties: { a: { pattern: '^(a|b)*$' } } }, { a: 'ab'.repeat(4_000_000) });
  expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('cannot be matched: ') });
});

test('gives the right answers of patterns that are matched on a thread', async () => {
  const check = createSchemaCheck({
    properties: {
      words: { items: { pattern: '^[a-z]+(-[a-z]+)*$' } },
      other: { items: { not: { pattern: '^(x|x)+$' } } },
      either: { anyOf: [{ pattern: '^(?=a)a(b+)+$' }, { pattern: '^(c+)+$' }] },
    },
    patternProperties: { '^(z+)+$': { type: 'number' } },
  });
  expect(await check({ words: ['a', 'a-b-c'], other: ['y', 'z', 'xy'], either: 'abb', zzz: 1 })).toEqual([]);
  expect(await check({ either: 'cc' })).toEqual([]);
  expect(await check({ words: ['a', 'B-c', '-'] })).toEqual([
    'words.1: must match pattern "^[a-z]+(-[a-z]+)*$"',
    'words.2: must match pattern "^[a-z]+(-[a-z]+)*$"',
  ]);
  expect(await check({ other: ['y', 'xx'] })).toEqual(['other.1: must NOT be valid']);
  expect(await check({ zz: 'text' })).toEqual(['zz: must be number']);
  expect(await check({ either: 'b' })).toMatchObject([
    expect.stringContaining('(2) either: must match pattern "^(c+)+$"'),
  ]);
});

test('checks at the same time do not disturb each other', async () => {
  const check = createSchemaCheck({ items: { pattern: '^(a+)+$' } });
  const texts = ['a', 'b', 'aa', 'ab', 'aaa'];
  const answers = await Promise.all(texts.map((text) => check([text])));
  expect(answers.map((faults) => faults.length)).toEqual([0, 1, 0, 1, 0]);
});

test.each<[pattern: string, most: number]>([
  ['^[a-z]+$', 1e4],
  ['^\\d{4}-\\d{2}-\\d{2}$', 1e3],
  ['^(low|medium|high)$', 1e5],
  ['^https?://', 1e3],
  ['^v?\\d+\\.\\d+\\.\\d+(?:-[\\w.]+)?$', Number.MAX_VALUE],
  ['^[^\\]\\\\(+]+\\(\\+$', 1e4],
  ['^(?<name>ab)*$', 1e4],
])('knows that %s ends soon', (pattern, most) => {
  expect(() => new RegExp(pattern, 'u')).not.toThrow();
  expect(stepsOf(pattern)(100)).toBeLessThanOrEqual(most);
});

test.each(['(a+)+', '(a|b)*', '(?:a?)*', '(?=a)b', '(?<!a)b', '(a)\\1', '(?<n>a)\\k<n>', '((a){2,})*', '(a{2}b?)+'])(
  'knows nothing of %s',
  (pattern) => {
    expect(() => new RegExp(pattern, 'u')).not.toThrow();
    expect(stepsOf(pattern)(10)).toBe(Number.POSITIVE_INFINITY);
  },
);

const atom = fc.constantFrom('a', 'b', '.', '[ab]', '\\w', '(a)', '(?:ab)', '(a|ab)', '\\u{61}', '(?<n>b)', '^', '$');
const quantified = fc
  .tuple(atom, fc.constantFrom('', '', '?', '*', '+', '{2}', '{1,3}', '*?', '{2,}?'))
  .map(([part, quantifier]) => (/^[\^$]$/.test(part) ? part : part + quantifier));

test('what is matched at once ends soon, whatever the pattern', () => {
  const patterns = fc.array(quantified, { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(patterns, fc.integer({ min: 0, max: 3_000 }), (pattern, length) => {
      if (pattern.split('(?<n>').length > 2 || stepsOf(pattern)(length + 1) > 5_000_000) return;
      const start = process.hrtime.bigint();
      new RegExp(pattern, 'u').test(`${'a'.repeat(length)}!`);
      expect(Number(process.hrtime.bigint() - start) / 1e6).toBeLessThan(2_000);
    }),
  );
});
