import type { Readable } from 'node:stream';
import { isObject } from '@jinn/core/text';
import {
  AbstractMessageReader,
  type DataCallback,
  type Disposable,
  ErrorCodes,
  type Message,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
} from 'vscode-jsonrpc';

/** A larger frame is refused by its header, before memory is spent on it. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** The least memory of a value, however short its text: a message of many values is refused before it is parsed. */
const VALUE_BYTES = 40;
const MAX_WEIGHT = 32 * 1024 * 1024;
const MAX_HEADER_BYTES = 8 * 1024;
/** Lines that a server prints before its first frame, such as a banner, are skipped up to this length. */
const MAX_BANNER_BYTES = 64 * 1024;
/** The stream pauses when more bytes than this wait, and resumes below the second number. */
const MAX_WAITING = 1024 * 1024;
const FEW_WAITING = 100 * 1024;
/** The memory of a message next to its bytes. */
const MESSAGE_BYTES = 1024;
const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);
const [QUOTE, BACKSLASH, COMMA, LIST, OBJECT] = Buffer.from('"\\,[{');

export interface FrameOptions {
  readonly frameBytes?: number;
  toMessage?(fields: Record<string, unknown>, body: Buffer): Message;
}

/**
 * Cuts the output of a server into messages. The reader of the library allocates whatever a header announces, and stops
 * without a word at anything that is not a frame. This one ends the connection with an error that says why.
 */
export class FrameReader extends AbstractMessageReader {
  readonly #input: Readable;
  readonly #maxBytes: number;
  readonly #toMessage: NonNullable<FrameOptions['toMessage']>;
  #callback: DataCallback = () => {};
  #line: Buffer = NOTHING;
  /** Undefined while a header is read. */
  #body: Buffer | undefined;
  #filled = 0;
  #announced: number | undefined;
  #headerBytes = 0;
  #frames = 0;
  #waiting = 0;
  readonly #holds = new WeakMap<Message, () => void>();
  readonly #queued = new Set<string>();
  #failed = false;

  constructor(input: Readable, options: FrameOptions = {}) {
    super();
    this.#input = input;
    this.#maxBytes = options.frameBytes ?? MAX_FRAME_BYTES;
    this.#toMessage = options.toMessage ?? toMessage;
  }

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    const onData = (chunk: Buffer) => this.#read(chunk);
    const onClose = () => this.fireClose();
    this.#input.on('data', onData).once('close', onClose);
    return { dispose: () => void this.#input.off('data', onData).off('close', onClose) };
  }

  handled(message: Message): void {
    this.#queued.delete(keyOf(message) ?? '');
    this.#holds.get(message)?.();
  }

  /** Pauses the stream if too many bytes wait. Returns a function that ends the wait. */
  hold(bytes = MESSAGE_BYTES): () => void {
    if (this.#waiting < MAX_WAITING && this.#waiting + bytes >= MAX_WAITING) this.#input.pause();
    this.#waiting += bytes;
    return () => {
      if (this.#waiting >= FEW_WAITING && this.#waiting - bytes < FEW_WAITING) this.#input.resume();
      this.#waiting -= bytes;
    };
  }

  #read(chunk: Buffer): void {
    if (this.#failed) return;
    try {
      for (let rest = chunk; rest.length > 0; )
        rest = this.#body ? this.#readBody(this.#body, rest) : this.#readLine(rest);
    } catch (error) {
      this.#failed = true;
      this.#line = NOTHING;
      this.#body = undefined;
      this.fireError(error);
    }
  }

  #readLine(chunk: Buffer): Buffer {
    const end = chunk.indexOf(NEWLINE) + 1;
    const bytes = Buffer.concat([this.#line, end === 0 ? chunk : chunk.subarray(0, end)]);
    const isBanner = this.#frames === 0 && this.#announced === undefined;
    if (this.#headerBytes + bytes.length > (isBanner ? MAX_BANNER_BYTES : MAX_HEADER_BYTES)) throw notAFrame(bytes);
    this.#line = end === 0 ? bytes : NOTHING;
    if (end === 0) return NOTHING;
    this.#headerBytes += bytes.length;
    const line = bytes.toString('latin1').trimEnd();
    if (line === '') this.#endHeader(isBanner);
    else this.#readField(line, isBanner);
    return chunk.subarray(end);
  }

  #readField(line: string, isBanner: boolean): void {
    const announced = /^Content-Length:\s*(\d{1,10})$/i.exec(line)?.[1];
    if (announced === undefined) {
      const isPassedOver = isBanner ? !/^Content-Length:/i.test(line) : /^Content-Type:/i.test(line);
      if (isPassedOver) return;
      throw notAFrame(Buffer.from(line, 'latin1'));
    }
    if (this.#announced !== undefined) throw new Error('a header with two lengths');
    if (Number(announced) > this.#maxBytes) throw new Error(`a message of ${announced} bytes is too large`);
    this.#announced = Number(announced);
    this.#headerBytes = 0;
  }

  #endHeader(isBanner: boolean): void {
    if (isBanner) return;
    if (!this.#announced) throw new Error(`a header without ${this.#announced === 0 ? 'a message' : 'Content-Length'}`);
    this.#body = Buffer.allocUnsafe(this.#announced); // The system gives memory only for what is written into it.
    this.#filled = 0;
    this.#announced = undefined;
    this.#headerBytes = 0;
  }

  #readBody(body: Buffer, chunk: Buffer): Buffer {
    const count = chunk.copy(body, this.#filled);
    this.#filled += count;
    if (this.#filled < body.length) return NOTHING;
    this.#body = undefined;
    this.#frames++;
    if (weighsTooMuch(body)) throw new Error(`a message of ${body.length} bytes with too many values`);
    this.#hand(this.#toMessage(parse(body), body), body.length);
    return chunk.subarray(count);
  }

  #hand(message: Message, bytes: number): void {
    // We answer at once, so there is never anything to cancel. The library trips over one without parameters.
    if ('method' in message && message.method === '$/cancelRequest') return;
    const key = keyOf(message);
    if (key !== undefined) {
      if (this.#queued.has(key)) return; // The library would take the last of several and ignore the others without an error.
      this.#queued.add(key);
    }
    this.#holds.set(message, this.hold(bytes + MESSAGE_BYTES));
    this.#callback(message);
  }
}

function keyOf(message: Message): string | undefined {
  if (!('id' in message)) return undefined;
  return `${'method' in message ? 'request' : 'answer'} ${typeof message.id} ${String(message.id)}`;
}

function weighsTooMuch(body: Buffer): boolean {
  if (body.length * (1 + VALUE_BYTES) <= MAX_WEIGHT) return false;
  const most = (MAX_WEIGHT - body.length) / VALUE_BYTES;
  let values = 0;
  let isText = false;
  for (let i = 0; i < body.length && values <= most; i++) {
    const byte = body[i];
    if (byte === QUOTE) isText = !isText;
    else if (isText) i += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA || byte === LIST || byte === OBJECT) values++;
  }
  return values > most;
}

function parse(body: Buffer): Record<string, unknown> {
  let message: unknown;
  try {
    message = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Error(`a message that is not JSON: ${excerpt(body)}`);
  }
  if (isObject(message)) return message;
  throw new Error(`a message that is not an object: ${excerpt(body)}`);
}

function toMessage(
  { method, id, params, error, result }: Record<string, unknown>,
  body: Buffer,
): RequestMessage | NotificationMessage | ResponseMessage {
  if (typeof method === 'string') {
    const call = { jsonrpc: '2.0', method, ...(typeof params === 'object' && params !== null && { params }) };
    if (isId(id)) return { ...call, id };
    if (id === undefined || id === null) return call;
  }
  if (method !== undefined || (!isId(id) && id !== null)) throw new Error(`a message of no kind: ${excerpt(body)}`);
  if (!isObject(error)) return { jsonrpc: '2.0', id, result: result ?? null };
  const code = typeof error['code'] === 'number' ? error['code'] : ErrorCodes.UnknownErrorCode;
  const message = typeof error['message'] === 'string' ? error['message'] : '';
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function isId(value: unknown): value is number | string {
  return typeof value === 'number' || typeof value === 'string';
}

function notAFrame(bytes: Buffer): Error {
  return new Error(`output that is not a message: ${excerpt(bytes)}`);
}

function excerpt(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('utf8', 0, 80));
}
