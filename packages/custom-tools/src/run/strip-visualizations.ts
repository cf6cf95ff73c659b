import { ToolError } from '@jinn/core/errors';

/** The member of a script's output that a person is shown. */
const KEY = '_visualization';
/** Data is far less nested, and the stack of JSON.stringify overflows far later. */
const MAX_DEPTH = 500;

/**
 * Copies a JSON value without the members called `_visualization`, at every depth. All else stays as it is, a member
 * called `__proto__` too. Throws `resource_limit` if the value is nested too deeply.
 */
export function stripVisualizations<T>(value: T): T {
  return strip(value, 0) as T;
}

function strip(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) {
    throw new ToolError('resource_limit', `the output is nested deeper than ${MAX_DEPTH} levels`, {
      suggestion: 'the tool must return flatter data',
    });
  }
  if (Array.isArray(value)) return value.map((item) => strip(item, depth + 1));
  const kept = Object.entries(value).filter(([key]) => key !== KEY);
  return Object.fromEntries(kept.map(([key, member]) => [key, strip(member, depth + 1)]));
}
