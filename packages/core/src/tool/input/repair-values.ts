import { ToolError } from '../../errors/index.ts';
import { MAX_VALUES, parseJson } from '../../text/index.ts';
import type { JsonSchema } from './input.ts';

/**
 * Undoes what hosts do to values: drops nulls for optional members, parses lists, objects, numbers and booleans that
 * come as text, and takes a text for an object that needs nothing else. `rename` gives each object its own names first.
 * Throws `invalid_args` for a list or an object with too many members.
 */
export function repairMembers(schema: JsonSchema, members: object, rename: Rename = (_, given) => given): object {
  const { properties = {} } = schema;
  const schemaOf = (key: string) => (Object.hasOwn(properties, key) ? properties[key] : undefined);
  const entries = Object.entries(dropNulls(schema, rename(schema, members)));
  for (const [key, value] of entries) checkCount(key, value);
  return Object.fromEntries(entries.map(([key, value]) => [key, repair(schemaOf(key), value, rename)]));
}

function checkCount(key: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  if (count <= MAX_VALUES) return;
  throw new ToolError('invalid_args', `${key.slice(0, 60)} has ${count} members: at most ${MAX_VALUES} are taken`, {
    suggestion: 'send fewer of them in one call',
  });
}

type Rename = (schema: JsonSchema, members: object) => object;

/** Drops nulls for optional members, unless the schema allows them. */
export function dropNulls({ properties = {}, required = [] }: JsonSchema, members: object): object {
  const isLeftOut = ([key, value]: [string, unknown]) => {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return value === null && schema !== undefined && !required.includes(key) && !allowsNull(schema);
  };
  const entries = Object.entries(members);
  return entries.some(isLeftOut) ? Object.fromEntries(entries.filter((entry) => !isLeftOut(entry))) : members;
}

/** A schema that a user wrote may have a list of types, or none. */
function allowsNull({ type, anyOf, enum: values }: JsonSchema): boolean {
  if (anyOf) return anyOf.some(allowsNull);
  if (type === undefined) return values === undefined || values.includes(null);
  return type.includes('null');
}

function repair(schema: JsonSchema | undefined, given: unknown, rename: Rename): unknown {
  const value = typeof given === 'string' ? parseText(schema?.type, given) : given;
  if (typeof value === 'string' && schema?.type === 'object') return toObject(schema, value);
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return schema?.type === 'object' ? repairMembers(schema, value, rename) : value;
  return schema?.type === 'array' ? value.map((item) => repair(schema.items, item, rename)) : value;
}

/** A text such as a path stands for an object that needs no other member. */
function toObject({ properties = {}, required = [] }: JsonSchema, text: string): unknown {
  const [name, ...others] = required;
  if (name === undefined || others.length > 0 || properties[name]?.type !== 'string') return text;
  return { [name]: text };
}

/** Returns the value of the wanted type that a text stands for, or else the text. */
export function parseText(wanted: string | undefined, text: string): unknown {
  if (wanted === 'boolean') return /^(true|false)$/.test(text) ? text === 'true' : text;
  if (wanted === 'integer' || wanted === 'number') return toNumber(text);
  if (wanted !== 'array' && wanted !== 'object') return text;
  const parsed = parseJson(Buffer.from(text));
  if (!parsed.ok || typeof parsed.value !== 'object') return text;
  return Array.isArray(parsed.value) === (wanted === 'array') ? parsed.value : text;
}

/** Returns the number that a text stands for, or else the text. */
export function toNumber(text: string): number | string {
  const number = Number(text);
  return /^-?\d+(\.\d+)?$/.test(text) && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
}
