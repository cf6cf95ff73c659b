import { type Request, ToolError } from '@jinn/core';

/** Checks the shape of a request; throws `invalid_request` that says what is wrong. Unknown keys are ignored. */
export function toRequest(value: unknown): Request {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('a request is an object');
  }
  const { tool, args, request_id } = value as Record<string, unknown>;
  if (typeof tool !== 'string') throw invalid(tool === undefined ? '"tool" is missing' : '"tool" must be a string');
  if (args !== undefined && args !== null && (typeof args !== 'object' || Array.isArray(args))) {
    throw invalid('"args" must be an object');
  }
  const id = typeof request_id === 'string' || typeof request_id === 'number' ? { request_id } : {};
  return { tool, args: args ?? {}, ...id };
}

function invalid(what: string): ToolError {
  return new ToolError('invalid_request', `invalid request: ${what}`, {
    suggestion: 'send {"tool":"read_file","args":{"path":"README.md"}}',
  });
}
