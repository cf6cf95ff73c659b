import { expect, test } from 'vitest';
import type { ToolError } from '../../errors/index.ts';
import { createSchemaCheck, jsonSchemaInput } from './json-schema-input.ts';

const of = { name: 'take', examples: [{ path: 'a' }] };
const SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    mode: { enum: ['head', 'tail'] },
    size: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] },
  },
  required: ['path'],
  additionalProperties: false,
};

async function refusal(schema: object, args: unknown): Promise<ToolError> {
  return Promise.resolve(jsonSchemaInput(schema, of).parse(args)).then(
    () => expect.fail('accepted'),
    (error) => error,
  );
}

test('serves the schema as it stands', async () => {
  expect(jsonSchemaInput(SCHEMA, of).schema()).toBe(SCHEMA);
});

test('takes null for what is optional as left out, and only there', async () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: ['string', 'null'] }, c: { type: 'integer' } },
    required: ['c'],
    additionalProperties: false,
  };
  const { parse } = jsonSchemaInput(schema, of);
  expect(await parse({ a: null, b: null, c: 1 })).toEqual({ b: null, c: 1 });
  for (const args of [{ c: null }, { c: 1, d: null }, { c: '1' }]) {
    await expect(parse(args)).rejects.toMatchObject({ code: 'invalid_args' });
  }
});

test('gives back arguments that fit, as they came', async () => {
  const args = { path: 'a', mode: 'tail', size: [1, 'MB'] };
  expect(await jsonSchemaInput(SCHEMA, of).parse(args)).toBe(args);
  expect(await jsonSchemaInput({}, of).parse({ any: 1 })).toEqual({ any: 1 });
});

test.each<[unknown, string]>([
  [{}, 'take: missing required argument path'],
  [{ path: '' }, 'take: path: must NOT have fewer than 1 characters'],
  [{ path: 1 }, 'take: path: must be string'],
  [{ path: 'a', mode: 'x' }, 'take: mode: must be equal to one of the allowed values: ["head","tail"]'],
  [{ path: 'a', size: [1, 2] }, 'take: size.1: must be string'],
  [{ path: 'a', paht: 'b' }, 'take: unknown argument "paht"'],
  [[], 'take: args: must be object'],
  [null, 'take: args: must be object'],
  ['a', 'take: args: must be object'],
])('refuses %j and names the fault', async (args, message) => {
  const error = await refusal(SCHEMA, args);
  expect(error).toMatchObject({ code: 'invalid_args', message });
  expect(error.example).toEqual({ tool: 'take', args: { path: 'a' } });
});

test('names the arguments of a tool that has no example', async () => {
  const bare = { name: 'take', examples: [] };
  const parse = async (schema: object) => jsonSchemaInput(schema, bare).parse({});
  await expect(parse(SCHEMA)).rejects.toMatchObject({
    suggestion: 'the arguments of take are: path (required), mode, size',
  });
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`a${i}`, {}]));
  const error = await parse({ properties: many, required: ['a1'] }).catch((thrown) => thrown);
  expect(error.suggestion).toMatch(/^the arguments of take are: a0, a1 \(required\), .*, a19 and 10 more$/);
  const unnamed = await parse({ minProperties: 1 }).catch((thrown) => thrown);
  expect(unnamed).not.toHaveProperty('suggestion', expect.anything());
});

test.each<[string, object, object, string]>([
  ['const', { properties: { c: { const: { x: 1 } } } }, { c: 2 }, 'take: c: must be {"x":1}'],
  [
    'unevaluatedProperties',
    { properties: { a: {} }, unevaluatedProperties: false },
    { a: 1, bb: 2 },
    'take: unknown argument "bb"',
  ],
  ['false', { properties: { no: false } }, { no: 1 }, 'take: no: is not allowed'],
  [
    'anyOf',
    { anyOf: [{ required: ['id'] }, { required: ['name', 'x'] }] },
    {},
    'take: args: fits none of the alternatives: (1) missing required argument id, (2) missing required argument name and missing required argument x',
  ],
  [
    'oneOf with references',
    {
      properties: { v: { oneOf: [{ $ref: '#/$defs/n' }, { $ref: '#/$defs/s' }] } },
      $defs: { n: { type: 'number' }, s: { type: 'string', minLength: 3 } },
    },
    { v: 'ab' },
    'take: v: fits none of the alternatives: (1) v: must be number, (2) v: must NOT have fewer than 3 characters',
  ],
  [
    'nested choices',
    { anyOf: [{ required: ['a'] }, { anyOf: [{ required: ['b'] }, { required: ['c'] }] }] },
    {},
    'take: args: fits none of the alternatives: (1) missing required argument a, (2) args: fits none of the alternatives: (1) missing required argument b, (2) missing required argument c',
  ],
  ['oneOf that fits twice', { oneOf: [{}, {}] }, {}, 'take: args: must match exactly one schema in oneOf'],
  [
    'if',
    JSON.parse('{"if": {"required": ["a"]}, "then": {"required": ["b"]}}'),
    { a: 1 },
    'take: missing required argument b',
  ],
  [
    'uniqueItems',
    { properties: { u: { uniqueItems: true } } },
    { u: [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }] },
    'take: u: must NOT have duplicate items (items 0 and 2 are identical)',
  ],
  ['multipleOf', { properties: { m: { multipleOf: 0.01 } } }, { m: 0.075 }, 'take: m: must be multiple of 0.01'],
])('words the fault of %s', async (_, schema, args, message) => {
  expect(await refusal(schema, args)).toMatchObject({ message });
});

test('takes decimals that are multiples as they are written', async () => {
  const input = jsonSchemaInput({ properties: { price: { multipleOf: 0.01 } } }, of);
  for (const price of [0.07, 19.99, 4.35, 1e10]) expect(await input.parse({ price })).toEqual({ price });
});

test('items are unique if no two are the same value', async () => {
  const check = createSchemaCheck({ uniqueItems: true });
  expect(await check([1, '1', [1], { a: 1 }, { a: '1' }, null, true])).toEqual([]);
  expect(await createSchemaCheck({ uniqueItems: false })([1, 1])).toEqual([]);
});

test('says little of a large value, in little time and memory', { tags: 'slow', timeout: 20_000 }, async () => {
  const check = createSchemaCheck({ items: { type: 'string' } });
  expect(await check(Array.from({ length: 3_000_000 }, () => 1))).toEqual(['0: must be string']);
  const unique = createSchemaCheck({ uniqueItems: true });
  expect(await unique(Array.from({ length: 200_000 }, (_, i) => ({ i })))).toEqual([]);
});

test('a schema that fits trees is checked in little time, however deep they are', { timeout: 20_000 }, async () => {
  const branch = (kind: string) => ({
    properties: { kind: { const: kind }, left: { $ref: '#/$defs/tree' } },
    required: ['kind'],
  });
  const check = createSchemaCheck({
    $ref: '#/$defs/tree',
    $defs: { tree: { anyOf: [branch('add'), branch('multiply'), branch('leaf')] } },
  });
  let tree: object = { kind: 'none' };
  for (let depth = 0; depth < 60; depth++) tree = { kind: 'multiply', left: tree };
  expect(await check(tree)).not.toEqual([]);
});

test('proposes the argument that was probably meant', async () => {
  const error = await refusal(SCHEMA, { path: 'a', mdoe: 'head' });
  expect(error.suggestion).toBe('did you mean "mode"?');
});

test('reads draft-07 where the schema says so, and 2020-12 otherwise', async () => {
  const items = { type: 'object', properties: { a: { items: [{ type: 'string' }] } } };
  const draft07 = { ...items, $schema: 'http://json-schema.org/draft-07/schema#' };
  expect(await refusal(draft07, { a: [1] })).toMatchObject({ message: 'take: a.0: must be string' });
  expect(await refusal(items, { a: [1] })).toMatchObject({ message: expect.stringContaining('schema is invalid') });
});

test.each([
  'https://json-schema.org/draft-07/schema#',
  'http://json-schema.org/draft-06/schema#',
  'http://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/schema#',
  '',
])('knows the draft %s', async ($schema) => {
  const schema = { ...SCHEMA, $schema };
  expect(jsonSchemaInput(schema, of).schema()).toBe(schema);
  expect(await refusal(schema, {})).toMatchObject({ code: 'invalid_args' });
});

test.each([
  [{ type: 'objekt' }],
  [{ properties: { a: { $ref: 'https://example.com/a.json' } } }],
  [{ $ref: '#/definitions/none' }],
])('says that a schema is wrong: %j', async (schema) => {
  await expect(Promise.resolve(jsonSchemaInput(schema, of).parse({}))).rejects.toThrow();
});

test('checks any value against a schema, and says what is wrong', async () => {
  const check = createSchemaCheck({
    type: 'object',
    properties: { n: { type: 'number' } },
    required: ['n'],
    additionalProperties: false,
  });
  expect(await check({ n: 1 })).toEqual([]);
  expect(await check({ n: 'x' })).toEqual(['n: must be number']);
  expect(await check({ m: 1 })).toEqual(['missing required member n', 'unknown member "m"']);
  expect(await check([])).toEqual(['it: must be object']);
  await expect(createSchemaCheck({ $ref: '#/none' })({})).rejects.toThrow('none');
});
