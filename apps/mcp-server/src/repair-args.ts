import type { ToolDescription } from '@jinn/core';

type Schema = ToolDescription['schema'];

/** Keys that hosts add to the arguments of every call for their own use. */
const INJECTED = ['intent', 'accept_large_output'];

/**
 * Undoes what hosts do to arguments: it removes keys that they add, and parses lists and objects that come as JSON text.
 * Arguments that fit the tool's schema stay as they are.
 */
export function repairArgs({ properties = {} }: Schema, args: Readonly<Record<string, unknown>>): object {
  const isOurs = ([key]: [string, unknown]) => Object.hasOwn(properties, key) || !INJECTED.includes(key);
  const given = Object.entries(args).filter(isOurs);
  return Object.fromEntries(given.map(([key, value]) => [key, parseText(properties[key], value)]));
}

function parseText(schema: Schema | undefined, value: unknown): unknown {
  const wanted = schema?.type;
  if (typeof value !== 'string' || (wanted !== 'array' && wanted !== 'object')) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) === (wanted === 'array') && typeof parsed === 'object' ? parsed : value;
  } catch {
    return value;
  }
}
