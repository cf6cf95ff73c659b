import type { ToolDescription } from '@jinn/core';

/** The shapes in which hosts take tools. */
export const SCHEMA_FORMATS = ['openai', 'anthropic', 'mcp'] as const;

export type SchemaFormat = (typeof SCHEMA_FORMATS)[number];

type Schema = ToolDescription['schema'];

const FORMATS: Readonly<Record<SchemaFormat, (tool: ToolDescription) => object>> = {
  openai: ({ name, description, schema }) => ({
    type: 'function',
    function: { name, description, parameters: schema },
  }),
  anthropic: ({ name, description, schema }) => ({ name, description, input_schema: schema }),
  mcp: ({ name, description, schema, effect }) => ({
    name,
    description,
    inputSchema: schema,
    annotations: { readOnlyHint: effect === 'read', destructiveHint: effect !== 'read', openWorldHint: false },
  }),
};

/** One tool in the shape that a host takes. */
export function toSchemaFormat(tool: ToolDescription, format: SchemaFormat): object {
  return FORMATS[format](tool);
}

/** The same tool without the words on its arguments, for a context that is dear. */
export function compact(tool: ToolDescription): ToolDescription {
  return { ...tool, schema: withoutDescriptions(tool.schema) };
}

function withoutDescriptions({ description: _, properties, items, ...rest }: Schema): Schema {
  const members = Object.entries(properties ?? {}).map(([key, schema]) => [key, withoutDescriptions(schema)]);
  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(items && { items: withoutDescriptions(items) }),
  };
}
