import type { JsonSchema } from '@jinn/core';

/**
 * The keywords that strict function calling accepts next to `type`, `properties`, `required`, `items`, `anyOf` and
 * `additionalProperties`.
 */
const KEPT = [
  'description',
  'title',
  'enum',
  'const',
  'pattern',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
] as const;
/** The keywords that it does not accept, and that calls are checked for anyway. */
const LEFT_OUT = ['default', 'minLength', 'maxLength', 'propertyNames', '$schema', 'examples'] as const;
const STRUCTURE = ['type', 'properties', 'required', 'items', 'anyOf', 'additionalProperties'] as const;
const KNOWN = new Set<string>([...KEPT, ...LEFT_OUT, ...STRUCTURE]);

/**
 * Returns the schema in the form of OpenAI's strict function calling: each object is closed and requires all of its
 * members. An optional member may be null, which counts as absent, or is omitted if it cannot be expressed, such as a
 * map. Returns undefined for a schema that it cannot express at all.
 */
export function toStrictSchema(schema: JsonSchema): JsonSchema | undefined {
  if (typeof schema !== 'object' || Array.isArray(schema)) return undefined;
  if (Object.keys(schema).some((key) => !KNOWN.has(key))) return undefined;
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => (KEPT as readonly string[]).includes(key)));
  const described = { ...kept, ...describeDefault(schema) };
  if (schema.anyOf) return choice(described, schema.anyOf);
  if (schema.type === 'object') return closedObject(described, schema);
  if (schema.type === 'array') return list(described, schema);
  return typeof schema.type === 'string' ? { ...described, type: schema.type } : undefined;
}

function describeDefault({ default: value, description = '' }: JsonSchema): object {
  if (value === undefined || value === '' || value === false) return {};
  return { description: `${description}${description ? '. ' : ''}Null means ${JSON.stringify(value)}` };
}

function choice(described: object, branches: readonly JsonSchema[]): JsonSchema | undefined {
  const anyOf = branches.map(toStrictSchema);
  return anyOf.includes(undefined) ? undefined : { ...described, anyOf: anyOf as JsonSchema[] };
}

function list(described: object, { items }: JsonSchema): JsonSchema | undefined {
  const strict = items && toStrictSchema(items);
  return strict && { ...described, type: 'array', items: strict };
}

function closedObject(described: object, schema: JsonSchema): JsonSchema | undefined {
  const { properties, required = [], additionalProperties } = schema;
  // Without properties it is a map. An open object would lose the members that its schema does not name.
  if (properties === undefined || (additionalProperties !== false && additionalProperties !== undefined))
    return undefined;
  const members = Object.entries(properties).map(([key, member]): [string, JsonSchema | undefined] => {
    const strict = toStrictSchema(member);
    return [key, strict && !required.includes(key) ? nullable(strict) : strict];
  });
  if (members.some(([key, member]) => member === undefined && required.includes(key))) return undefined;
  const told = members.filter(([, member]) => member !== undefined) as [string, JsonSchema][];
  return {
    ...described,
    type: 'object',
    properties: Object.fromEntries(told),
    required: told.map(([key]) => key),
    additionalProperties: false,
  };
}

function nullable(schema: JsonSchema): JsonSchema {
  const { anyOf, description, ...rest } = schema;
  const told = description === undefined ? {} : { description };
  // Some would apply a constraint next to a list of types to null too.
  const isPlain = anyOf === undefined && Object.keys(rest).length === 1;
  if (isPlain) return { ...told, type: [rest.type, 'null'] } as unknown as JsonSchema;
  return { ...told, anyOf: [...(anyOf ?? [rest]), { type: 'null' }] };
}
