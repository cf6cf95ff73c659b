import { type Request, toEnvelope, toFailure } from '@jinn/core';
import { nearestName, ToolError } from '@jinn/core/errors';
import { type ApiCall, refuseModelCall, toModelCall } from '@jinn/core/model-calls';
import { type Incoming, isObject, type JsonLimits, MAX_JSON_BYTES, parseJson, refuseLarge } from '@jinn/core/text';

/** The version in docs/protocol.md. It changes when a caller that follows the page would break. */
const PROTOCOL_VERSION = 1;
const MAX_SHOWN = 60;
const SEND_CALL = 'send {"tool":"read_file","args":{"path":"README.md"}}';
export const MISSING_INPUT: Incoming = {
  ok: false,
  message: 'no input: pipe a JSON request to stdin (try jinn --help)',
  suggestion: SEND_CALL,
};

const OTHER_NAMES = {
  tool: ['name', 'tool_name', 'toolname', 'function', 'method', 'command'],
  args: ['arguments', 'argument', 'parameters', 'params', 'input', 'tool_input'],
} as const;

export interface StdioRequest extends Request {
  /** True if the call may overtake others. */
  readonly parallel: boolean;
  /** True if the answer must have all of `meta`. If absent, the flag of the process decides. */
  readonly wantsMeta?: boolean;
  /** The id as JSON text, which is repeated in the answer. */
  readonly requestId: string | undefined;
  /** Present if the request came in the form of a model's API. It is answered in the same form. */
  readonly modelCall?: ApiCall;
}

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

/** Unknown keys are ignored, except one that was meant to be `tool` or `args`: the call could do something else. */
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
      `"protocol" is ${String(JSON.stringify(protocol)).slice(0, MAX_SHOWN)}. This jinn speaks version ${PROTOCOL_VERSION}`,
    );
  return undefined;
}

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
 * Returns the id of a request as JSON text, or undefined if it has none, or one that is neither a string nor a number. A
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
  return `"${key}" is missing: did you mean "${key}" by ${JSON.stringify(near.slice(0, MAX_SHOWN))}?`;
}

function nearMiss(value: Record<string, unknown>, key: keyof typeof OTHER_NAMES): string | undefined {
  const names = Object.keys(value).filter((name) => !['tool', 'args', 'client', 'request_id'].includes(name));
  const others: readonly string[] = OTHER_NAMES[key];
  return names.find((name) => others.includes(name.toLowerCase())) ?? nearestName(key, names);
}

function invalid(what: string): ToolError {
  return new ToolError('invalid_request', `invalid request: ${what}`, { suggestion: SEND_CALL });
}

const [NEWLINE, QUOTE, COMMA, COLON, BACKSLASH] = [0x0a, 0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
const EMPTY = Buffer.alloc(0);
const BOM = Buffer.from('\ufeff');
const MAX_KEPT_BYTES = 1_048_576;

/**
 * Reads JSON values from a stream of bytes, one a line. A line that ends inside an object or a list continues with the next
 * ones, until its brackets are closed. After a fault, reading continues with the next line.
 */
export class JsonLines {
  /** True if nothing but white space and a byte order mark was read so far. */
  empty = true;
  readonly #limits: JsonLimits;
  readonly #maxBytes: number;
  readonly #answers: Incoming[] = [];
  /** The bytes of the value that has not ended, of which there are `#length`. The last line starts at `#lineStart`. */
  #text: Buffer = EMPTY;
  #length = 0;
  #lineStart = 0;
  #lineNumber = 1;
  #open = 0;
  #firstLine = 1;
  /** True until the line ends of which a part was dropped. */
  #isLineLost = false;
  /** True after a value that is too large, until a line starts with a brace. */
  #isSkipping = false;

  constructor(limits: JsonLimits = {}) {
    this.#limits = limits;
    this.#maxBytes = limits.maxBytes ?? MAX_JSON_BYTES;
  }

  /** Takes the next bytes of the stream. It never throws, and the caller may reuse the buffer afterwards. */
  push(chunk: Uint8Array): void {
    if (this.#readLoneLine(chunk)) return;
    let start = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline >= 0; newline = chunk.indexOf(NEWLINE, start)) {
      this.#append(chunk.subarray(start, newline + 1));
      this.#endLine();
      start = newline + 1;
    }
    this.#append(chunk.subarray(start));
  }

  /** Marks the end of the stream. Nothing may be pushed afterwards. */
  end(): void {
    this.#endLine();
    if (this.#length > 0) this.#endValue(this.#length);
  }

  /** Returns the next finished value or fault, in stream order, or undefined if more bytes are needed, or all is read. */
  next(): Incoming | undefined {
    return this.#answers.shift();
  }

  /** Reads a chunk that is one object, so that a client that writes no newline is answered too. */
  #readLoneLine(chunk: Uint8Array): boolean {
    if (this.#length > 0 || this.#isLineLost || this.#isSkipping) return false;
    const newline = chunk.indexOf(NEWLINE);
    const end = newline < 0 ? chunk.length : newline;
    if (end < chunk.length - 1 || chunk[0] !== OPEN_BRACE || chunk[end - 1] !== CLOSE_BRACE) return false;
    const read = parseJson(chunk, this.#limits);
    if (!read.ok) return false;
    this.empty = false;
    this.#answers.push(read);
    if (newline >= 0) this.#lineNumber += 1;
    return true;
  }

  #append(bytes: Uint8Array): void {
    if (this.#isLineLost) return;
    const length = this.#length + bytes.length;
    if (length > this.#maxBytes + 1) {
      this.empty = false;
      this.#answers.push(refuseLarge(this.#maxBytes));
      this.#keepFrom(this.#length);
      this.#isLineLost = bytes.at(-1) !== NEWLINE;
      this.#isSkipping = true;
      return;
    }
    if (length > this.#text.length) {
      // It grows by doubling, so that small chunks stay cheap.
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#text.length));
      this.#text.copy(larger, 0, 0, this.#length);
      this.#text = larger;
    }
    this.#text.set(bytes, this.#length);
    this.#length = length;
  }

  #endLine(): void {
    const line = this.#text.subarray(this.#lineStart, this.#length);
    if (!this.#isLineLost) this.#readLine(this.#lineNumber === 1 && line.indexOf(BOM) === 0 ? line.subarray(3) : line);
    this.#isLineLost = false;
    this.#lineNumber += 1;
  }

  #readLine(line: Buffer): void {
    this.#isSkipping &&= line[0] !== OPEN_BRACE;
    if (this.#isSkipping) this.#keepFrom(this.#length);
    else if (this.#lineStart === 0) this.#beginValue(line);
    else this.#continueValue(line);
  }

  #beginValue(line: Buffer): void {
    if (!line.some(isInk)) {
      this.#keepFrom(this.#length);
      return;
    }
    this.empty = false;
    const read = parseJson(line, { ...this.#limits, line: this.#lineNumber });
    this.#open = !read.ok && read.isUnfinished ? countOpen(line) : 0;
    if (this.#open > 0) {
      this.#firstLine = this.#lineNumber;
      this.#lineStart = this.#length;
    } else {
      this.#answers.push(read);
      this.#keepFrom(this.#length);
    }
  }

  #continueValue(line: Buffer): void {
    // A brace at the start of a line, where no value can be, starts the next request: this one was cut short.
    if (line[0] === OPEN_BRACE && !this.#awaitsValue()) {
      this.#endValue(this.#lineStart);
      this.#beginValue(this.#text.subarray(0, this.#length));
      return;
    }
    this.#lineStart = this.#length;
    this.#open += countOpen(line);
    if (this.#open <= 0) this.#endValue(this.#length);
  }

  #awaitsValue(): boolean {
    const last = this.#text.subarray(0, this.#lineStart).findLast(isInk);
    return last === COMMA || last === COLON || last === OPEN_BRACKET;
  }

  #endValue(end: number): void {
    this.#answers.push(parseJson(this.#text.subarray(0, end), { ...this.#limits, line: this.#firstLine }));
    this.#keepFrom(end);
  }

  #keepFrom(start: number): void {
    this.#text.copyWithin(0, start, this.#length);
    this.#length -= start;
    this.#lineStart = 0;
    if (this.#length === 0 && this.#text.length > MAX_KEPT_BYTES) this.#text = EMPTY;
  }
}

function isInk(byte: number): boolean {
  return byte !== 0x20 && byte !== 0x09 && byte !== 0x0d && byte !== NEWLINE;
}

/** Counts the brackets outside of strings. A string that does not end on the line closes all: no value can hold it. */
function countOpen(line: Buffer): number {
  let open = 0;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) open += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) open -= 1;
    else if (byte === QUOTE) {
      at = endOfString(line, at);
      if (at < 0) return Number.NEGATIVE_INFINITY;
    }
  }
  return open;
}

function endOfString(line: Buffer, start: number): number {
  for (let end = line.indexOf(QUOTE, start + 1); end >= 0; end = line.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (line[end - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}
