import type { ToolDescription } from '@jinn/core';
import { toStrictSchema } from './strict-schema.ts';

export const SCHEMA_FORMATS = ['openai', 'openai-responses', 'anthropic', 'gemini', 'mcp'] as const;

export type SchemaFormat = (typeof SCHEMA_FORMATS)[number];

type Schema = ToolDescription['schema'];

/** How the schema of a tool is shaped for an API. */
export interface SchemaOptions {
  /** True for the strict function calling of OpenAI, which forces the model to follow the schema. False if absent. */
  readonly strict?: boolean;
}

const FORMATS: Readonly<Record<SchemaFormat, (tool: ToolDescription, strict: boolean) => object>> = {
  openai: ({ name, description, schema }, strict) => ({
    type: 'function',
    function: { name, description, ...toParameters(schema, strict) },
  }),
  // The API treats a tool that does not say it as strict.
  'openai-responses': ({ name, description, schema }, strict) => ({
    type: 'function',
    name,
    description,
    strict: false,
    ...toParameters(schema, strict),
  }),
  anthropic: ({ name, description, schema }) => ({ name, description, input_schema: withoutRootChoice(schema) }),
  gemini: ({ name, description, schema }) => ({
    name,
    description,
    parametersJsonSchema: { ...withoutRootChoice(schema), type: 'object' },
  }),
  mcp: toMcpTool,
};

/**
 * Returns the parameters of a tool. A schema that strict function calling cannot express stays as it is, and the tool
 * is not strict then.
 */
function toParameters(schema: Schema, isStrict: boolean): object {
  const strict = isStrict ? toStrictSchema(schema) : undefined;
  if (strict) return { parameters: strict, strict: true };
  return { parameters: schema, ...(isStrict && { strict: false }) };
}

/** A tool as MCP lists it. */
export interface McpTool {
  /** The name by which it is called. */
  readonly name: string;
  /** The name for a user. */
  readonly title: string;
  /** Its purpose, in words for a model. */
  readonly description: string;
  /** The JSON Schema of the arguments. */
  readonly inputSchema: Schema & { readonly type: 'object' };
  /** Present if the tool always answers with data. */
  readonly outputSchema?: { readonly type: 'object' };
  /** The hints without those that have MCP's defaults: not read-only, destructive, open world. */
  readonly annotations: { readonly readOnlyHint?: true; readonly openWorldHint?: false };
}

/** Describes a tool for MCP. Its annotations follow from its effect. Only a tool that runs commands reaches the open world. */
export function toMcpTool(tool: ToolDescription): McpTool {
  const { name, description, schema, isSchemaExact, output, effect, isMarked } = tool;
  return {
    name,
    title: `${isMarked ? '⚠ ' : ''}${toTitle(name)}`,
    description,
    inputSchema: { ...(isSchemaExact ? withoutRootChoice(schema) : flatten(schema)), type: 'object' },
    // Its members are omitted: they stand in the docs, and every conversation would pay for them.
    ...(output && { outputSchema: { type: 'object' } }),
    annotations: {
      ...(effect === 'read' && { readOnlyHint: true }),
      ...(effect !== 'execute' && { openWorldHint: false }),
    },
  };
}

function toTitle(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
}

/**
 * Leaves out `anyOf`, `oneOf` and `allOf` at the root of a schema that a user wrote: Anthropic's API refuses a request
 * with one of them there. Arguments that only stand in these are shown with the others. Calls are checked against the
 * whole schema.
 */
function withoutRootChoice(schema: Schema): Schema {
  const { anyOf, oneOf, allOf, ...rest } = schema as Schema & Record<'oneOf' | 'allOf', readonly Schema[] | undefined>;
  const parts = [anyOf, oneOf, allOf].flatMap((part) => (Array.isArray(part) ? part : []));
  if (parts.length === 0) return schema;
  const stated = parts.flatMap((part: Schema) => Object.entries(part.properties ?? {}));
  return { ...rest, properties: { ...Object.fromEntries(stated), ...rest.properties } };
}

/**
 * Simplifies a schema for hosts. Some reject a choice of types, so that "one or a list" becomes the list. Every
 * conversation pays for each word, so these are omitted: constraints that only refuse calls, defaults of false, zero,
 * nothing or the working directory, and descriptions of a single word.
 */
function flatten({
  anyOf,
  properties,
  items,
  additionalProperties,
  minLength: _,
  minimum: __,
  maximum: ___,
  minItems: ____,
  maxItems: _____,
  propertyNames: ______,
  default: value,
  description,
  ...rest
}: Schema & { readonly propertyNames?: unknown }): Schema {
  const told = description?.includes(' ') ? { description } : {};
  if (anyOf) return { ...told, ...rest, ...flatten(anyOf.find(({ type }) => type === 'array') ?? anyOf[0] ?? {}) };
  const isPlain = !value || value === '.' || (Array.isArray(value) && value.length === 0);
  const members = Object.entries(properties ?? {}).map(([key, schema]) => [key, flatten(schema)]);
  return {
    ...rest,
    ...told,
    ...(!isPlain && { default: value }),
    ...(isConstraint(additionalProperties) && { additionalProperties }),
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(items && { items: flatten(items) }),
  };
}

function isConstraint(schema: Schema['additionalProperties']): boolean {
  return typeof schema === 'object' && Object.keys(schema).length > 0;
}

export function toSchemaFormat(
  tool: ToolDescription,
  format: SchemaFormat,
  { strict = false }: SchemaOptions = {},
): object {
  return FORMATS[format](tool, strict);
}

/** Returns the tool without the descriptions of its arguments, to save tokens. */
export function compact(tool: ToolDescription): ToolDescription {
  return { ...tool, schema: withoutDescriptions(tool.schema) };
}

function withoutDescriptions(schema: Schema): Schema {
  // A schema that a user wrote may have true or false for a part, or a list of schemas.
  if (typeof schema !== 'object' || Array.isArray(schema)) return schema;
  const { description: _, properties, items, ...rest } = schema;
  const members = Object.entries(properties ?? {}).map(([key, member]) => [key, withoutDescriptions(member)]);
  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(items !== undefined && { items: withoutDescriptions(items) }),
  };
}
