import { nearestName, type Request, ToolError } from '@jinn/core';

export interface StdioRequest extends Request {
  /** True if the call may overtake others. */
  readonly parallel: boolean;
  /** Echoed in the answer. */
  readonly request_id?: string | number;
}

/** The names that other protocols have for the two keys of a request. */
const OTHER_NAMES = {
  tool: ['name', 'tool_name', 'toolname', 'function', 'method', 'command'],
  args: ['arguments', 'argument', 'parameters', 'params', 'input', 'tool_input'],
} as const;

/**
 * Checks the shape of a request. Throws `invalid_request`, which says what is wrong. Unknown keys are ignored, except one
 * that was meant to be `tool` or `args`: without its arguments a call could do something else.
 */
export function toRequest(value: unknown): StdioRequest {
  if (!isObject(value)) throw invalid('a request is an object');
  const { tool, args, request_id, client, parallel = false } = value;
  if (typeof tool !== 'string') throw invalid(tool === undefined ? missing(value, 'tool') : '"tool" must be a string');
  if (args === undefined && nearMiss(value, 'args') !== undefined) throw invalid(missing(value, 'args'));
  if (args !== undefined && args !== null && !isObject(args)) throw invalid('"args" must be an object');
  if (typeof parallel !== 'boolean') throw invalid('"parallel" must be true or false');
  if (!isAbsent(client) && typeof client !== 'string') throw invalid('"client" must be a string');
  if (!isAbsent(request_id) && !isRequestId(request_id)) throw invalid('"request_id" must be a string or a number');
  return {
    tool,
    args: args ?? {},
    parallel,
    ...(!isAbsent(client) && { client }),
    ...(!isAbsent(request_id) && { request_id }),
  };
}

/** Returns the id for the answer to `value`, whatever else may be wrong with the value. */
export function requestIdOf(value: unknown): { request_id?: string | number } {
  return isObject(value) && isRequestId(value['request_id']) ? { request_id: value['request_id'] } : {};
}

function missing(value: Record<string, unknown>, key: keyof typeof OTHER_NAMES): string {
  const near = nearMiss(value, key);
  return near === undefined ? `"${key}" is missing` : `"${key}" is missing; did you mean "${key}" by ${quote(near)}?`;
}

function nearMiss(value: Record<string, unknown>, key: keyof typeof OTHER_NAMES): string | undefined {
  const names = Object.keys(value).filter((name) => !['tool', 'args', 'client', 'request_id'].includes(name));
  const others: readonly string[] = OTHER_NAMES[key];
  return names.find((name) => others.includes(name.toLowerCase())) ?? nearestName(key, names);
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function isRequestId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 60));
}

function invalid(what: string): ToolError {
  return new ToolError('invalid_request', `invalid request: ${what}`, {
    suggestion: 'send {"tool":"read_file","args":{"path":"README.md"}}',
  });
}
