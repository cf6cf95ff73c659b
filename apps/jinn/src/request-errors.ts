import { nearestName, ToolError } from '@jinn/core/errors';
import type { Incoming } from '@jinn/core/text';

const MAX_SHOWN = 60;
const SEND_CALL = 'send {"tool":"read_file","args":{"path":"README.md"}}';
export const NO_INPUT: Incoming = {
  ok: false,
  message: 'no input: pipe a JSON request to stdin (try jinn --help)',
  suggestion: SEND_CALL,
};

/** The names that other protocols have for the two keys of a request. */
const OTHER_NAMES = {
  tool: ['name', 'tool_name', 'toolname', 'function', 'method', 'command'],
  args: ['arguments', 'argument', 'parameters', 'params', 'input', 'tool_input'],
} as const;

/** Formats the error for a missing key, with the other key that was probably meant by it. */
export function missing(value: Record<string, unknown>, key: keyof typeof OTHER_NAMES): string {
  const near = nearMiss(value, key);
  return near === undefined ? `"${key}" is missing` : `"${key}" is missing; did you mean "${key}" by ${quote(near)}?`;
}

/** Returns the key that was probably meant by `key`. */
export function nearMiss(value: Record<string, unknown>, key: keyof typeof OTHER_NAMES): string | undefined {
  const names = Object.keys(value).filter((name) => !['tool', 'args', 'client', 'request_id'].includes(name));
  const others: readonly string[] = OTHER_NAMES[key];
  return names.find((name) => others.includes(name.toLowerCase())) ?? nearestName(key, names);
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, MAX_SHOWN));
}

/** Makes the refusal of a request. */
export function invalid(what: string): ToolError {
  return new ToolError('invalid_request', `invalid request: ${what}`, {
    suggestion: SEND_CALL,
  });
}
