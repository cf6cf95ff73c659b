import { nearestArgument, parseJson, type ToolDescription } from '@jinn/core';

type Schema = ToolDescription['schema'];
type Members = Readonly<Record<string, unknown>>;

/** Keys that known hosts add to the arguments of every call for their own use. They are left out without a warning. */
const INJECTED = ['intent', 'accept_large_output', 'wait_for_previous'];
const MAX_SHOWN_KEY = 60;

export interface Repaired {
  readonly args: object;
  readonly warnings: readonly string[];
}

/**
 * Undoes what hosts do to arguments: it leaves out keys that they add and nulls for what is optional, and parses lists,
 * objects, numbers and booleans that come as text. A key that any tool has, or that is like one of this tool's, stays: it
 * is a mistake that the tool must refuse. `known` returns the arguments of all tools.
 */
export async function repairArgs(schema: Schema, args: Members, known: () => Promise<Set<string>>): Promise<Repaired> {
  const { properties = {}, additionalProperties } = schema;
  const isOurs = (key: string) => Object.hasOwn(properties, key) || !INJECTED.includes(key);
  const given = Object.entries(args).filter(([key]) => isOurs(key));
  const isUnknown = ([key]: [string, unknown]) =>
    additionalProperties === false &&
    !Object.hasOwn(properties, key) &&
    nearestArgument(key, Object.keys(properties)) === undefined;
  const others = given.some(isUnknown) ? await known() : new Set<string>();
  const isAdded = (entry: [string, unknown]) => isUnknown(entry) && !others.has(entry[0]);
  const kept = given.filter((entry) => !isAdded(entry));
  return {
    args: repairMembers(schema, Object.fromEntries(kept)),
    warnings: given.filter(isAdded).map(([key]) => `unknown argument ${quote(key)} was left out`),
  };
}

function quote(key: string): string {
  return JSON.stringify(key.slice(0, MAX_SHOWN_KEY));
}

function repairMembers({ properties = {}, required = [] }: Schema, members: object): object {
  const schemaOf = (key: string) => (Object.hasOwn(properties, key) ? properties[key] : undefined);
  const isLeftOut = ([key, value]: [string, unknown]) => {
    const schema = schemaOf(key);
    return value === null && schema !== undefined && !required.includes(key) && !allowsNull(schema);
  };
  const entries = Object.entries(members).filter((entry) => !isLeftOut(entry));
  return Object.fromEntries(entries.map(([key, value]) => [key, repair(schemaOf(key), value)]));
}

/** A schema that a user wrote may have a list of types, or none. */
function allowsNull({ type, anyOf, enum: values }: Schema): boolean {
  if (anyOf) return anyOf.some(allowsNull);
  if (type === undefined) return values === undefined || values.includes(null);
  return type.includes('null');
}

function repair(schema: Schema | undefined, given: unknown): unknown {
  const value = typeof given === 'string' ? parseText(schema?.type, given) : given;
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return schema?.type === 'object' ? repairMembers(schema, value) : value;
  return schema?.type === 'array' ? value.map((item) => repair(schema.items, item)) : value;
}

/**
 * Returns the value that a text stands for, if it is of the wanted type; else the text, also where JavaScript cannot hold
 * the number that was sent, or a list or object has what a message may not have either.
 */
function parseText(wanted: string | undefined, text: string): unknown {
  if (wanted === 'boolean') return /^(true|false)$/.test(text) ? text === 'true' : text;
  if (wanted === 'integer' || wanted === 'number') return toNumber(text);
  if (wanted !== 'array' && wanted !== 'object') return text;
  const parsed = parseJson(Buffer.from(text));
  if (!parsed.ok || typeof parsed.value !== 'object') return text;
  return Array.isArray(parsed.value) === (wanted === 'array') ? parsed.value : text;
}

function toNumber(text: string): number | string {
  const number = Number(text);
  return /^-?\d+(\.\d+)?$/.test(text) && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
}
