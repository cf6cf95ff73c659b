import { type Request, toEnvelope, toFailure } from '@jinn/core';
import { nearestName, ToolError } from '@jinn/core/errors';
import type { Incoming } from '@jinn/core/text';
import { isObject } from '@jinn/core/text/is-object';
import { type ApiCall, refuseModelCall, toModelCall } from './model-calls.ts';

/**
 * The version of the protocol that docs/protocol.md describes. It changes when a caller that follows the page would
 * break.
 */
export const PROTOCOL_VERSION = 1;
const MAX_SHOWN = 60;
const SEND_CALL = 'send {"tool":"read_file","args":{"path":"README.md"}}';
/** The answer to an input without any value. */
export const MISSING_INPUT: Incoming = {
  ok: false,
  message: 'no input: pipe a JSON request to stdin (try jinn --help)',
  suggestion: SEND_CALL,
};

/** The names that other protocols have for the two keys of a request. */
const OTHER_NAMES = {
  tool: ['name', 'tool_name', 'toolname', 'function', 'method', 'command'],
  args: ['arguments', 'argument', 'parameters', 'params', 'input', 'tool_input'],
} as const;

/** A request whose shape has been checked. */
export interface StdioRequest extends Request {
  /** True if the call may overtake others. */
  readonly parallel: boolean;
  /** True if the answer must have all of `meta`. If absent, the flag of the process decides. */
  readonly wantsMeta?: boolean;
  /** The id as JSON text, which is repeated in the answer. */
  readonly requestId: string | undefined;
  /** Present if the request came in the form of a model's API; it is answered in the same form. */
  readonly modelCall?: ApiCall;
}

/** An answer, as a line. */
export interface AnsweredRequest {
  readonly ok: boolean;
  readonly line: string;
}

/** Returns a request, or the answer that refuses it. */
export function parseRequest(incoming: Incoming): StdioRequest | AnsweredRequest {
  const requestId = requestIdOf(incoming);
  try {
    if (!incoming.ok) throw new ToolError('invalid_request', incoming.message, { suggestion: incoming.suggestion });
    const request = toRequest(incoming.value);
    const { modelCall } = request;
    if (modelCall?.fault) return refuseRequest(modelCall.fault, { modelCall, requestId });
    return { ...request, requestId: modelCall ? JSON.stringify(modelCall.id) : requestId };
  } catch (error) {
    return refuseRequest(error, { requestId });
  }
}

/** Returns the answer to a request that failed before its call. */
export function refuseRequest(
  thrown: unknown,
  { modelCall, requestId }: Pick<StdioRequest, 'modelCall' | 'requestId'>,
): AnsweredRequest {
  const failure = toFailure(thrown);
  if (modelCall) return { ok: false, line: JSON.stringify(refuseModelCall(modelCall, failure.error)) };
  return { ok: false, line: withRequestId(toEnvelope(failure), requestId) };
}

/**
 * Checks the shape of a request. Throws `invalid_request`, which says what is wrong. Unknown keys are ignored, except one
 * that was meant to be `tool` or `args`: without its arguments a call could do something else.
 */
function toRequest(value: unknown): Omit<StdioRequest, 'requestId'> {
  if (!isObject(value)) throw invalid('a request is an object');
  const modelCall = isAbsent(value['tool']) && typeof value['type'] === 'string' ? toModelCall(value) : undefined;
  if (isAbsent(value['tool']) && !isAbsent(value['cancel'])) throw invalid('"cancel" must be a string or a number');
  const { tool, args, client, parallel, meta } = modelCall ? { ...value, ...modelCall } : value;
  if (typeof tool !== 'string') throw invalid(isAbsent(tool) ? missing(value, 'tool') : '"tool" must be a string');
  if (args === undefined && nearMiss(value, 'args') !== undefined) throw invalid(missing(value, 'args'));
  if (!isAbsent(args) && !isObject(args)) throw invalid('"args" must be an object');
  const checked = withFault(value, modelCall);
  return {
    tool,
    args: args ?? {},
    parallel: parallel === true,
    ...(checked && { modelCall: checked }),
    ...(typeof client === 'string' && { client }),
    ...(typeof meta === 'boolean' && { wantsMeta: meta }),
  };
}

function faultOfRest(rest: Readonly<Record<string, unknown>>): ToolError | undefined {
  const { parallel, meta, client, request_id, protocol } = rest;
  if (!isAbsent(parallel) && typeof parallel !== 'boolean') return invalid('"parallel" must be true or false');
  if (!isAbsent(meta) && typeof meta !== 'boolean') return invalid('"meta" must be true or false');
  if (!isAbsent(client) && typeof client !== 'string') return invalid('"client" must be a string');
  if (!isAbsent(request_id) && typeof request_id !== 'string' && typeof request_id !== 'number')
    return invalid('"request_id" must be a string or a number');
  if (!isAbsent(protocol) && protocol !== PROTOCOL_VERSION)
    return invalid(
      `"protocol" is ${String(JSON.stringify(protocol)).slice(0, MAX_SHOWN)}; this jinn speaks version ${PROTOCOL_VERSION}`,
    );
  return undefined;
}

/** Returns the request's model call. A fault goes with it, since its answer has the form of the API. */
function withFault(value: Readonly<Record<string, unknown>>, modelCall: ApiCall | undefined): ApiCall | undefined {
  const fault = modelCall?.fault ?? faultOfRest(value);
  if (fault && !modelCall) throw fault;
  return fault && modelCall ? { ...modelCall, fault } : modelCall;
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Returns the id of the request that the value cancels, as JSON text, if it is a cancel with an id. */
export function canceledBy(incoming: Incoming): string | undefined {
  if (!incoming.ok || !isObject(incoming.value) || !isAbsent(incoming.value['tool'])) return undefined;
  return jsonIdOf(incoming, 'cancel');
}

/**
 * Returns the id of a request as JSON text; undefined if it has none, or one that is neither a string nor a number. A
 * number stays as it was written: JavaScript would change a long one.
 */
export function requestIdOf(incoming: Incoming): string | undefined {
  return jsonIdOf(incoming, 'request_id');
}

function jsonIdOf(incoming: Incoming, key: 'request_id' | 'cancel'): string | undefined {
  if (!incoming.ok) return undefined;
  const id = (Object(incoming.value) as Readonly<Record<string, unknown>>)[key];
  if (typeof id === 'number') return incoming.numbers?.get(key) ?? String(id);
  return typeof id === 'string' ? JSON.stringify(id) : undefined;
}

/** Returns the JSON of an object that has members, with the id of a request, which is JSON text, as its last one. */
export function withRequestId(members: object, requestId: string | undefined): string {
  const text = JSON.stringify(members);
  return requestId === undefined ? text : `${text.slice(0, -1)},"request_id":${requestId}}`;
}

function missing(value: Record<string, unknown>, key: keyof typeof OTHER_NAMES): string {
  const near = nearMiss(value, key);
  if (near === undefined) return `"${key}" is missing`;
  return `"${key}" is missing; did you mean "${key}" by ${JSON.stringify(near.slice(0, MAX_SHOWN))}?`;
}

function nearMiss(value: Record<string, unknown>, key: keyof typeof OTHER_NAMES): string | undefined {
  const names = Object.keys(value).filter((name) => !['tool', 'args', 'client', 'request_id'].includes(name));
  const others: readonly string[] = OTHER_NAMES[key];
  return names.find((name) => others.includes(name.toLowerCase())) ?? nearestName(key, names);
}

function invalid(what: string): ToolError {
  return new ToolError('invalid_request', `invalid request: ${what}`, {
    suggestion: SEND_CALL,
  });
}
