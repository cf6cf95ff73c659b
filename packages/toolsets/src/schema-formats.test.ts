import { jsonSchemaInput, type ToolDescription } from '@jinn/core';
import { expect, test } from 'vitest';
import { compact, SCHEMA_FORMATS, toSchemaFormat } from './schema-formats.ts';

/** What a user may write, and what simplifying a schema would change. */
const SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'integer', minimum: 0, default: 0 },
    choice: { anyOf: [{ type: 'string' }, { type: 'array' }, { const: 'b' }] },
    pair: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
    old: { items: [{ type: 'string', description: 'x' }, { type: 'integer' }] },
    never: false,
    name: { type: 'string', minLength: 1, default: false },
    map: { propertyNames: { pattern: '^a' }, additionalProperties: false },
  },
  anyOf: [{ required: ['id'] }, { required: ['name'] }],
  additionalProperties: false,
};

async function describe(schema: object): Promise<ToolDescription> {
  const input = jsonSchemaInput(schema, { name: 't', examples: [] });
  const isSchemaExact = input.isExact === true;
  const rest = { effect: 'execute', description: 'd', output: undefined, examples: [], hosting: {} } as const;
  return { name: 't', schema: await input.schema(), isSchemaExact, ...rest };
}

test.each(SCHEMA_FORMATS)('shows the schema of a user in the format %s as it stands', async (format) => {
  const shown = toSchemaFormat(await describe(SCHEMA), format) as Record<string, unknown>;
  const { parameters } = (shown['function'] ?? shown) as { parameters?: object };
  const schema = parameters ?? shown['parametersJsonSchema'] ?? shown['inputSchema'] ?? shown['input_schema'];
  const { anyOf: _, ...withoutChoice } = SCHEMA;
  expect(schema).toEqual(format.startsWith('openai') ? SCHEMA : withoutChoice);
});

test('shows what only a choice at the root states, where a host refuses the choice', async () => {
  const either = { oneOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: false, c: { const: 1 } } }] };
  const schema = { type: 'object', properties: { b: { type: 'number' } }, ...either, allOf: [true] };
  expect(toSchemaFormat(await describe(schema), 'mcp')).toMatchObject({
    inputSchema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' }, c: { const: 1 } } },
  });
  for (const format of ['mcp', 'anthropic'] as const) {
    expect(JSON.stringify(toSchemaFormat(await describe(schema), format))).not.toContain('Of"');
  }
});

test('leaves out no more than descriptions to save tokens', async () => {
  const { old, ...properties } = SCHEMA.properties;
  expect(compact(await describe({ ...SCHEMA, description: 'all' })).schema).toEqual(SCHEMA);
  expect(
    compact(await describe({ properties: { ...properties, id: { description: 'id', type: 'integer' } } })).schema,
  ).toEqual({
    properties: { ...properties, id: { type: 'integer' } },
  });
  expect(old.items).toHaveLength(2);
});

test('tells an MCP host nothing that the names say, and nothing that only refuses', async () => {
  const own = {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Directory', default: '.' },
      limit: { type: 'integer', description: 'At most so many', minimum: 1, maximum: 60, default: 5 },
      files: { type: 'array', description: 'Files', minItems: 1, maxItems: 20, items: { type: 'string' } },
    },
  };
  const described = { ...(await describe(own)), isSchemaExact: false };
  expect(toSchemaFormat(described, 'mcp')).toMatchObject({
    inputSchema: {
      properties: {
        path: { type: 'string' },
        limit: { type: 'integer', description: 'At most so many', default: 5 },
        files: { type: 'array', items: { type: 'string' } },
      },
    },
  });
  expect(JSON.stringify(toSchemaFormat(described, 'mcp'))).not.toMatch(
    /Directory|Files|m(in|ax)Items|m(in|ax)imum|"\."/,
  );
});
