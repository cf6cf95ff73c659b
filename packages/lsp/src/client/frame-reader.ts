import type { Readable } from 'node:stream';
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
import { isRecord } from './server-requests.ts';

/** A frame may hold this many bytes; it is refused by its header, before memory is spent on it. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;
const MAX_HEADER_BYTES = 8 * 1024;
/** Lines that a server prints before its first frame, such as a banner, are passed over up to here. */
const MAX_BANNER_BYTES = 64 * 1024;
/** The stream rests while more messages than this wait for their turn, and flows again below the second number. */
const MAX_WAITING = 1_000;
const FEW_WAITING = 100;
const NEWLINE = 10;

export interface FrameLimits {
  readonly frameBytes: number;
}

/**
 * Cuts the output of a server into messages. The reader of the library allocates whatever a header announces, and stops
 * without a word at anything that is not a frame; this one ends the connection with an error that says why.
 */
export class FrameReader extends AbstractMessageReader {
  readonly #input: Readable;
  readonly #maxBytes: number;
  #callback: DataCallback = () => {};
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes of the body that is being read; undefined while a header is read. */
  #need: number | undefined;
  /** What the header that is being read announces. */
  #announced: number | undefined;
  #headerBytes = 0;
  #frames = 0;
  #waiting = 0;
  /** The ids of answers that wait for their turn. */
  readonly #answered = new Set<unknown>();
  #failed = false;

  constructor(input: Readable, limits: Partial<FrameLimits> = {}) {
    super();
    this.#input = input;
    this.#maxBytes = limits.frameBytes ?? MAX_FRAME_BYTES;
  }

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    const onData = (chunk: Buffer) => this.#read(chunk);
    const onClose = () => this.fireClose();
    this.#input.on('data', onData).once('close', onClose);
    return { dispose: () => void this.#input.off('data', onData).off('close', onClose) };
  }

  /** Notes that a message has been handled, so that the stream flows on. */
  handled(message: Message): void {
    this.#waiting--;
    if (isAnswer(message)) this.#answered.delete(message.id);
    if (this.#waiting === FEW_WAITING) this.#input.resume();
  }

  #read(chunk: Buffer): void {
    if (this.#failed) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    try {
      while (this.#need === undefined ? this.#readHeaderLine() : this.#readBody(this.#need));
    } catch (error) {
      this.#failed = true;
      this.#chunks = [];
      this.fireError(error);
    }
  }

  /** Reads a line of a header. False if it is not there yet. */
  #readHeaderLine(): boolean {
    const bytes = this.#joined();
    const end = bytes.indexOf(NEWLINE);
    const isBanner = this.#frames === 0 && this.#announced === undefined;
    const length = end < 0 ? bytes.length : end + 1;
    if (this.#headerBytes + length > (isBanner ? MAX_BANNER_BYTES : MAX_HEADER_BYTES)) throw notAFrame(bytes);
    if (end < 0) return false;
    this.#headerBytes += length;
    this.#drop(length);
    const line = bytes.toString('latin1', 0, end).trimEnd();
    if (line === '') this.#endHeader(isBanner);
    else this.#readField(line, isBanner);
    return true;
  }

  #readField(line: string, isBanner: boolean): void {
    const announced = /^Content-Length:\s*(\d{1,15})$/i.exec(line)?.[1];
    if (announced === undefined) {
      if (isBanner || /^Content-Type:/i.test(line)) return;
      throw notAFrame(Buffer.from(line, 'latin1'));
    }
    if (Number(announced) > this.#maxBytes) throw new Error(`a message of ${announced} bytes is too large`);
    this.#announced = Number(announced);
    this.#headerBytes = 0;
  }

  #endHeader(isBanner: boolean): void {
    if (isBanner) return;
    if (this.#announced === undefined) throw new Error('a header without Content-Length');
    this.#need = this.#announced;
    this.#announced = undefined;
    this.#headerBytes = 0;
  }

  /** Reads a body and hands its message on. False if it is not all there yet. */
  #readBody(need: number): boolean {
    if (this.#size < need) return false;
    const body = this.#joined().subarray(0, need);
    this.#drop(need);
    this.#need = undefined;
    this.#frames++;
    this.#hand(parse(body));
    return true;
  }

  #hand(message: Message): void {
    // We answer at once, so there is never anything to cancel; the library trips over one without parameters.
    if ('method' in message && message.method === '$/cancelRequest') return;
    if (isAnswer(message)) {
      if (this.#answered.has(message.id)) return; // The library would take the last of several answers.
      this.#answered.add(message.id);
    }
    this.#waiting++;
    if (this.#waiting === MAX_WAITING) this.#input.pause();
    this.#callback(message);
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first) return first;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  #drop(count: number): void {
    const rest = this.#joined().subarray(count);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
  }
}

function isAnswer(message: Message): message is Message & { readonly id: unknown } {
  return !('method' in message);
}

function parse(body: Buffer): Message {
  let message: unknown;
  try {
    message = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Error(`a message that is not JSON: ${excerpt(body)}`);
  }
  if (isRecord(message)) return toMessage(message, body);
  throw new Error(`a message that is not an object: ${excerpt(body)}`);
}

/**
 * Makes the message that the library expects, each field of the type that it relies on. The library prints a message of
 * no kind as text, which a deep one makes it fail at, and leaves a request open when the text of its error is no text.
 */
function toMessage(
  { method, id, params, error, result }: Record<string, unknown>,
  body: Buffer,
): RequestMessage | NotificationMessage | ResponseMessage {
  if (typeof method === 'string') {
    const call = { jsonrpc: '2.0', method, ...(isParams(params) && { params }) };
    if (isId(id)) return { ...call, id };
    if (id === undefined || id === null) return call;
  }
  if (method !== undefined || (!isId(id) && id !== null)) throw new Error(`a message of no kind: ${excerpt(body)}`);
  if (!isRecord(error)) return { jsonrpc: '2.0', id, result: result ?? null };
  const code = typeof error['code'] === 'number' ? error['code'] : ErrorCodes.UnknownErrorCode;
  const message = typeof error['message'] === 'string' ? error['message'] : '';
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function isId(value: unknown): value is number | string {
  return typeof value === 'number' || typeof value === 'string';
}

function isParams(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function notAFrame(bytes: Buffer): Error {
  return new Error(`output that is not a message: ${excerpt(bytes)}`);
}

function excerpt(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('utf8', 0, 80));
}
