import { expect, test } from 'vitest';
import { acceptArgs } from './define-tool.ts';
import type { JsonSchema } from './input/input.ts';

/** An object of one argument `a`. */
const withOne = (a: JsonSchema, rest: object = {}): JsonSchema => ({
  type: 'object',
  properties: { a },
  required: ['a'],
  additionalProperties: false,
  ...rest,
});

const item: JsonSchema = withOne({ type: 'string' });

test.each<[JsonSchema, unknown]>([
  [{ type: 'string', minLength: 1 }, 'x'],
  [{ type: 'boolean' }, false],
  [{ type: 'integer', minimum: 0, maximum: 2 }, 2],
  [{ type: 'integer', minimum: 0, maximum: 2 }, 0],
  [{ type: 'number' }, 1.5],
  [{ enum: ['x', 'y'], type: 'string' }, 'y'],
  [{ type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 }, ['x', 'y']],
  [{ type: 'array', items: item }, [{ a: 'x' }]],
])('accepts what %j allows: %j', (schema, a) => {
  expect(acceptArgs(withOne(schema), { a })).toEqual({ a });
});

test.each<[JsonSchema, unknown]>([
  [{ type: 'string', minLength: 1 }, ''],
  [{ type: 'string' }, 1],
  [{ type: 'string' }, undefined],
  [{ type: 'boolean' }, 'true'],
  [{ type: 'integer' }, 1.5],
  [{ type: 'integer' }, 2 ** 53],
  [{ type: 'integer' }, '1'],
  [{ type: 'integer', minimum: 0 }, -1],
  [{ type: 'integer', maximum: 2 }, 3],
  [{ type: 'number' }, Number.NaN],
  [{ type: 'number' }, Number.POSITIVE_INFINITY],
  [{ enum: ['x'], type: 'string' }, 'z'],
  [{ type: 'array', items: { type: 'string' }, minItems: 1 }, []],
  [{ type: 'array', items: { type: 'string' }, maxItems: 1 }, ['x', 'y']],
  [{ type: 'array', items: { type: 'string' } }, ['x', 1]],
  [{ type: 'array', items: { type: 'string' } }, { 0: 'x' }],
  [{ type: 'array' }, []],
  [{ type: 'array', items: item }, [{ a: 'x', b: 1 }]],
  [item, []],
  [item, null],
  [{ type: 'object', properties: {} }, {}],
  [{ type: 'object', additionalProperties: false }, {}],
  [{ type: 'string', pattern: '^x' } as JsonSchema, 'x'],
  [{}, 'x'],
])('leaves to zod what %j may not allow: %j', (schema, a) => {
  expect(acceptArgs(withOne(schema), { a })).toBeUndefined();
});

test.each([[[]], ['x'], [null], [undefined], [{}], [{ a: 'x', b: 1 }], [{ A: 'x' }]])('leaves %j to zod', (value) => {
  expect(acceptArgs(item, value)).toBeUndefined();
});

test('fills in defaults, and needs nothing that is optional', () => {
  const schema = withOne({ type: 'string', default: 'x' }, { required: [] });
  expect(acceptArgs(schema, {})).toEqual({ a: 'x' });
  const optional = withOne({ type: 'string' }, { required: [] });
  expect(acceptArgs(optional, {})).toEqual({});
  expect(acceptArgs(optional, [])).toBeUndefined();
});

test('is not fooled by names of the prototype', () => {
  expect(acceptArgs(item, JSON.parse('{"a":"x","__proto__":{"b":1}}'))).toBeUndefined();
  expect(acceptArgs(item, { a: 'x', constructor: 1 })).toBeUndefined();
  expect(acceptArgs(item, Object.create({ a: 'x' }))).toBeUndefined();
});
