import { expect, test } from 'vitest';
import type { ToolError } from '../../errors/index.ts';
import { createSchemaCheck, jsonSchemaInput } from './json-schema-input.ts';

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

const TREE = { type: 'object', properties: { a: { $ref: '#/$defs/tree' } } };
const OPEN_TREE = { allOf: [TREE], anyOf: [TREE, TREE], unevaluatedProperties: false };

/** Each schema lets the next one be tried twice. */
function chain(length: number): object {
  const links = Array.from({ length }, (_, i) => {
    const next = { $ref: `#/$defs/d${i + 1}` };
    return [`d${i}`, { anyOf: [next, next] }] as const;
  });
  return Object.fromEntries([...links, [`d${length}`, { type: 'string' }]]);
}

function nested(depth: number): object {
  let tree: object = { a: 1 };
  for (let level = 0; level < depth; level++) tree = { a: tree };
  return tree;
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
    { additionalProperties: { pattern: 'a*a*b|!' } },
    Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, `${'a'.repeat(300)}!`])),
  ],
  ['a chain of choices', { properties: { a: { $ref: '#/$defs/d0' } }, $defs: chain(28) }, { a: 5 }],
  ['unevaluated members of a tree', { $ref: '#/$defs/tree', $defs: { tree: OPEN_TREE } }, nested(40)],
  ['a choice of trees', { $ref: '#/$defs/tree', $defs: { tree: { oneOf: [TREE, TREE, TREE] } } }, nested(60)],
];

test.each(ATTACKS)(
  'refuses %s that takes too long or too much memory, and lets other work go on',
  async (_, schema, args) => {
    let turns = 0;
    const timer = setInterval(() => turns++, 20);
    const error = await refusal(schema, args).finally(() => clearInterval(timer));
    expect(error.code).toBe('timeout');
    // The speed of the machine decides which of the two limits a growing list of faults reaches first.
    expect(error.message).toMatch(/still running after 2 seconds|takes more memory than there is/);
    expect(error.suggestion).toContain('fix inputSchema');
    expect(turns).toBeGreaterThan(10);
  },
  SOON_MS,
);

test('refuses a text for which a pattern takes more memory than there is', { timeout: SOON_MS }, async () => {
  const error = await refusal({ properties: { a: { pattern: '^(a|b)*$' } } }, { a: 'ab'.repeat(4_000_000) });
  expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('takes more memory than there is') });
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

test('goes on after a check that took too long', { timeout: SOON_MS }, async () => {
  const slow = createSchemaCheck({ pattern: CATASTROPHIC });
  const [failed, next] = await Promise.all([slow(HARD_TEXT).catch((error) => error.message), slow('b')]);
  expect([failed, next]).toEqual([expect.stringContaining('still running'), [expect.stringContaining('must match')]]);
});

test('says the first fault when there is no time to find all', { timeout: SOON_MS }, async () => {
  const check = createSchemaCheck({ required: ['x'], properties: { a: { pattern: CATASTROPHIC } } });
  expect(await check({ a: HARD_TEXT })).toEqual(['missing required member x']);
});

test('tells unique items from others in little time, and finds what is there twice', { timeout: SOON_MS }, async () => {
  const items = Array.from({ length: 20_000 }, (_, i) => ({ n: i, s: 'x' }));
  const check = createSchemaCheck({ properties: { u: { uniqueItems: true, items: { type: 'object' } } } });
  expect(await check({ u: items })).toEqual([]);
  expect(await check({ u: [...items, { s: 'x', n: 5 }] })).toEqual([expect.stringContaining('items 5 and 20000')]);
});

test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__proto__'])(
  'a member called %s is one only if it was sent',
  async (name) => {
    const properties = Object.fromEntries([[name, { type: 'string' }]]);
    const sent = (value: unknown) => JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`);
    const check = createSchemaCheck({ properties });
    expect(await check({ name: 'x' })).toEqual([]);
    expect(await check(sent('x'))).toEqual([]);
    if (name !== '__proto__') expect(await check(sent(1))).toEqual([`${name}: must be string`]);
    expect(await createSchemaCheck({ required: [name] })({})).toEqual([`missing required member ${name}`]);
  },
);
