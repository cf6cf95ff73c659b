import { parseJson } from '@jinn/core/text';
import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server';

/** The most bytes of a message. A larger one is refused. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** A larger refused message is not searched for its id: parsing one that is all brackets takes much memory. */
const MAX_ID_SEARCH_BYTES = 1024 * 1024;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** Why a message is refused, as an error of JSON-RPC. */
export interface MessageRefusal {
  readonly code: number;
  readonly message: string;
  readonly id: string;
}

/** Parses one message or batch. Refuses text that is not strict JSON, and a request whose id the SDK would never answer. */
export function parseMessage(bytes: Buffer): { readonly value: unknown } | { readonly refusal: MessageRefusal } {
  const incoming = parseJson(bytes, { maxBytes: MAX_MESSAGE_BYTES });
  if (!incoming.ok) {
    const { code, id } = readRefusedId(bytes);
    return { refusal: { code, message: `${incoming.message}; ${incoming.suggestion}`, id } };
  }
  const { value, numbers } = incoming;
  const id = numbers?.get('id');
  const refusal = isRequest(value) && !isTaken(value.id) ? toIdRefusal(value.id, id) : undefined;
  if (refusal) return { refusal };
  for (const message of Array.isArray(value) ? value : [value]) dropNullArguments(message);
  return { value };
}

// Clients in Go, Java and C# send null arguments, which the SDK refuses.
function dropNullArguments(message: unknown): void {
  const { params } = Object(message) as { params?: { arguments?: unknown } | null };
  if (params?.arguments === null) delete params.arguments;
}

/** Returns why one message of a connection is refused, or undefined if the SDK accepts it. */
export function refusalOf(value: unknown): MessageRefusal | undefined {
  if (isRequest(value) && !isTaken(value.id)) return toIdRefusal(value.id);
  if (isMessage(value)) return undefined;
  return { code: INVALID_REQUEST, message: 'not a JSON-RPC 2.0 message', id: idTextOf(value) };
}

/** Refuses a message of more bytes than are read. */
export function tooLarge(): MessageRefusal {
  const message = `a message is at most ${MAX_MESSAGE_BYTES / 1024 / 1024} MB`;
  return { code: INVALID_REQUEST, message, id: 'null' };
}

/** Returns the response of JSON-RPC that says why a message is refused. */
export function toResponse({ code, message, id }: MessageRefusal): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`;
}

// Without its id, the sender of a refused message would wait for ever.
function readRefusedId(bytes: Buffer): Pick<MessageRefusal, 'code' | 'id'> {
  const unreadable = { code: PARSE_ERROR, id: 'null' };
  if (bytes.length > MAX_ID_SEARCH_BYTES) return unreadable;
  try {
    const text = bytes.toString();
    const id = idTextOf(JSON.parse(text));
    if (!text.includes('\ufffd')) return { code: INVALID_REQUEST, id };
    return { ...unreadable, id: id.includes('\ufffd') ? 'null' : id };
  } catch {
    return unreadable;
  }
}

/** Returns the id of a message as JSON text. `null` if it has none, or one that JavaScript cannot hold exactly. */
export function idTextOf(value: unknown): string {
  const { id } = Object(value) as { id?: unknown };
  const isHeld = typeof id === 'string' || (Number.isFinite(id) && !(Math.abs(id as number) > Number.MAX_SAFE_INTEGER));
  return isHeld ? JSON.stringify(id) : 'null';
}

function toIdRefusal(id: unknown, text = idTextOf({ id })): MessageRefusal {
  const message = 'the id of a request must be a string or an integer from -(2^53 - 1) to 2^53 - 1';
  return { code: INVALID_REQUEST, message, id: text };
}

function isTaken(id: unknown): boolean {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function isRequest(value: unknown): value is { readonly method: unknown; readonly id: unknown } {
  return typeof value === 'object' && value !== null && 'method' in value && 'id' in value;
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value) || value.jsonrpc !== '2.0') return false;
  const { method, id, params } = value as { method?: unknown; id?: unknown; params?: object };
  if (id !== undefined && !isTaken(id)) return false;
  if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params))) return false;
  if (method === undefined) return 'result' in value || 'error' in value;
  if (typeof method !== 'string') return false;
  return id === undefined || params === undefined || !('_meta' in params) || isJSONRPCRequest(value);
}
