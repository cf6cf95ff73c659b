import { ToolError } from '@jinn/core';

const STEP = /\.?(?:\[(-?\d+|\*)\]|\["((?:\\.|[^"\\])*)"\]|\['((?:\\.|[^'\\])*)'\]|([^.[\]]+))/y;
const MAX_STEPS = 64;
const MAX_LISTED = 20;

/** A key, an index (from the end if negative), or all members. */
type Step = string | number | '*';

/**
 * Finds a part of a JSON text by a path such as `$.items[0].name`, `items[-1]` or `items[*].name`, and returns it as indented
 * JSON. Throws `invalid_args` for a text or a path that is not valid, and `not_found` for a path that leads nowhere.
 */
export function findJsonPart(text: string, jsonPath: string, path: string): string {
  const steps = parseSteps(jsonPath);
  const found = steps.reduce(
    (values: readonly unknown[], step) => values.flatMap((value) => stepInto(value, step)),
    [parseJson(text, path)],
  );
  if (found.length === 0) throw nothing(text, jsonPath, path);
  return JSON.stringify(steps.includes('*') ? found : found[0], undefined, 2);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw new ToolError('invalid_args', `${path} is not JSON, so json_path cannot be used`, {
      suggestion: 'read its lines with start_line and end_line',
      cause,
    });
  }
}

function parseSteps(jsonPath: string): Step[] {
  const clean = jsonPath.trim().replace(/^\$/, '');
  const steps: Step[] = [];
  let at = 0;
  while (at < clean.length && steps.length < MAX_STEPS) {
    STEP.lastIndex = at;
    const [part, index, double, single, name] = STEP.exec(clean) ?? [];
    if (part === undefined) break;
    at += part.length;
    if (index !== undefined) steps.push(index === '*' ? '*' : Number(index));
    else steps.push((double ?? single ?? name ?? '').replace(/\\(.)/g, '$1'));
  }
  if (at === clean.length) return steps;
  throw new ToolError('invalid_args', `json_path: cannot be read from ${JSON.stringify(clean.slice(at, at + 40))} on`, {
    suggestion: 'write it as $.key, $.list[0], $["a key"] or $.list[*].name',
  });
}

function stepInto(value: unknown, step: Step): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (step === '*') return Object.values(value);
  if (typeof step === 'number') {
    if (!Array.isArray(value)) return [];
    const index = step < 0 ? value.length + step : step;
    return index in value ? [value[index]] : [];
  }
  return Object.hasOwn(value, step) ? [(value as Record<string, unknown>)[step]] : [];
}

function nothing(text: string, jsonPath: string, path: string): ToolError {
  const root = parseJson(text, path);
  const keys = typeof root === 'object' && root !== null && !Array.isArray(root) ? Object.keys(root) : [];
  const length = Array.isArray(root) ? `it is a list of ${root.length}` : 'it has no keys';
  const known = keys.length > 0 ? `at the top it has ${keys.slice(0, MAX_LISTED).join(', ')}` : length;
  return new ToolError('not_found', `${path} has nothing at ${jsonPath.slice(0, 100)}`, { suggestion: known });
}
