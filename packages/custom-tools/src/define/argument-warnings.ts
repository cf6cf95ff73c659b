import { nearestName, ToolError } from '@jinn/core/errors';
import { countDigits } from '@jinn/core/text';
import { isObject } from '@jinn/core/text/is-object';

/** A number with at most this many significant digits is held exactly, in whatever form it was written. */
const SAFE_DIGITS = 15;
const MAX_WARNINGS = 5;
const MAX_KEY = 60;
/** A schema with one of these allows arguments that it does not list, or lists them elsewhere. */
const OPEN = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', '$ref', '$dynamicRef'];
/** Keywords whose schemas describe the same object. */
const SAME_OBJECT = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'];

/**
 * Returns warnings about the numbers of some arguments: large ones may have lost digits before they arrived. Throws
 * `invalid_args` for a number that certainly is not what was sent, or that looks like one.
 */
export function checkNumbers(tool: string, args: object): string[] {
  const odd: string[] = [];
  const waiting: (readonly [at: string, value: unknown])[] = [['', args]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [at, value] = next;
    if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) waiting.push([at === '' ? key : `${at}.${key}`, member]);
    } else if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
      if (countDigits(value) > SAFE_DIGITS) throw inexact(tool, at, `arrived as ${value}, which may have lost digits`);
      odd.push(`${at}: the tool got ${value}; if more digits were sent, send the number as a text`);
    } else if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      throw inexact(tool, at, 'is larger than any number that can be passed on');
    }
  }
  return odd.slice(0, MAX_WARNINGS);
}

function inexact(tool: string, at: string, why: string): ToolError {
  return new ToolError('invalid_args', `${tool}: ${at}: the number ${why}; the tool did not run`, {
    suggestion: `send it as a text if inputSchema takes one, or with at most ${SAFE_DIGITS} digits that are not 0; beyond 2^53 more are not safe`,
  });
}

/**
 * Lists the arguments that a schema does not list, if it lists some and does not allow others explicitly. JSON Schema
 * lets them pass, but they may be misspelled.
 */
export function findUnlisted(schema: object, args: object): string[] {
  const names = listedNames(schema);
  if (names === undefined || names.size === 0) return [];
  const unlisted = Object.keys(args).filter((key) => !names.has(key));
  return unlisted.slice(0, MAX_WARNINGS).map((key) => {
    const near = nearestName(key, names);
    const meant = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
    return `inputSchema of the tool has no argument ${JSON.stringify(key.slice(0, MAX_KEY))}${meant}`;
  });
}

function listedNames(schema: unknown): Set<string> | undefined {
  if (!isObject(schema)) return new Set();
  if (OPEN.some((keyword) => keyword in schema)) return undefined;
  const { properties } = schema;
  const names = new Set(isObject(properties) ? Object.keys(properties) : []);
  for (const keyword of SAME_OBJECT) {
    const value = schema[keyword];
    const isOne = !Array.isArray(value) && keyword !== 'dependentSchemas';
    for (const part of isOne ? [value] : Object.values(value ?? {})) {
      const more = listedNames(part);
      if (more === undefined) return undefined;
      for (const name of more) names.add(name);
    }
  }
  return names;
}
