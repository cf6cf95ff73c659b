import type { JsonSchema, Tool } from '@jinn/core';
import { describe, expect, test } from 'vitest';
import { FIXED_TOOLSETS } from './index.ts';
import { toSchemaFormat } from './schema-formats.ts';
import { toStrictSchema } from './strict-schema.ts';

const TOOLS = FIXED_TOOLSETS.flatMap(({ name: toolset, tools }) => tools.map((entry) => ({ toolset, entry })));

/** Gives null for each member that arguments leave out, as a model has to that keeps to a strict schema. */
function withNulls(schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withNulls(schema.items ?? {}, item));
  if (typeof value !== 'object' || value === null || !schema.properties) return value;
  const nulls = Object.keys(schema.properties).map((key) => [key, null]);
  const given = Object.entries(value).map(([key, member]) => [key, withNulls(schema.properties?.[key] ?? {}, member)]);
  return { ...Object.fromEntries(nulls), ...Object.fromEntries(given) };
}

/** Yields a schema and all within it. */
function* partsOf(schema: JsonSchema): Generator<JsonSchema> {
  yield schema;
  const within = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.items ? [schema.items] : []),
  ];
  for (const part of within) yield* partsOf(part);
}

async function strictOf(tool: Tool): Promise<JsonSchema> {
  const strict = toStrictSchema(await tool.input.schema());
  if (!strict) throw new Error(`${tool.name} has no strict schema`);
  return strict;
}

describe.each(TOOLS)('$toolset/$entry.name', ({ entry }) => {
  test('has a strict schema, in which each object is closed and requires all', async () => {
    for (const part of partsOf(await strictOf(await entry.load()))) {
      expect(part).not.toHaveProperty('default');
      if (part.type !== 'object') continue;
      expect(part.additionalProperties).toBe(false);
      expect(part.required).toEqual(Object.keys(part.properties ?? {}));
    }
  });

  test('takes null for absent', async () => {
    const tool = await entry.load();
    const strict = await strictOf(tool);
    for (const example of tool.examples) {
      expect(await tool.input.parse(withNulls(strict, example))).toEqual(await tool.input.parse(example));
    }
  });
});

const object = (properties: object, more: object = {}): JsonSchema =>
  ({ type: 'object', properties, ...more }) as JsonSchema;

test('what is optional may be null, and what is required may not', () => {
  const members = {
    a: { type: 'string' },
    b: { type: 'string', enum: ['x'], default: 'x' },
    c: { anyOf: [{ type: 'string' }] },
  };
  expect(toStrictSchema(object(members, { required: ['a'] }))).toEqual({
    type: 'object',
    properties: {
      a: { type: 'string' },
      b: { description: 'Null means "x"', anyOf: [{ type: 'string', enum: ['x'] }, { type: 'null' }] },
      c: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
    required: ['a', 'b', 'c'],
    additionalProperties: false,
  });
  expect(toStrictSchema(object({ a: { type: 'integer' } }))?.properties).toEqual({ a: { type: ['integer', 'null'] } });
});

const MAP = { type: 'object', additionalProperties: { type: 'string' } };

test('an optional member that cannot be expressed is left out', () => {
  expect(toStrictSchema(object({ a: { type: 'string' }, map: MAP }))?.required).toEqual(['a']);
});

test.each([
  ['a map that is required', object({ map: MAP }, { required: ['map'] })],
  ['an open object', object({}, { additionalProperties: { type: 'string' } })],
  ['another keyword', object({}, { oneOf: [] })],
  ['several types', object({ a: { type: ['string', 'number'] } }, { required: ['a'] })],
  ['a list without items', object({ a: { type: 'array' } }, { required: ['a'] })],
  ['a choice with such a branch', object({ a: { anyOf: [{ type: 'string' }, MAP] } }, { required: ['a'] })],
  ['no schema', true as unknown as JsonSchema],
])('%s has no strict schema, and its tool is shown as it is', (_, schema) => {
  expect(toStrictSchema(schema)).toBeUndefined();
  const tool = {
    name: 't',
    effect: 'read',
    description: 'd',
    schema,
    output: undefined,
    examples: [],
    hosting: {},
  } as const;
  const { function: shown } = toSchemaFormat(tool, 'openai', { strict: true }) as { function: object };
  expect(shown).toMatchObject({ parameters: schema, strict: false });
  expect(toSchemaFormat(tool, 'openai')).not.toHaveProperty('function.strict');
});
