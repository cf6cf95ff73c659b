import { Buffer, isUtf8 } from 'node:buffer';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isPunctuation,
  isSpace,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  readJsonLine,
} from './json-bytes.ts';
import { describe, EXPECTED, type Incoming, quote } from './json-fault.ts';
import { advance } from './json-position.ts';
import {
  A_COLON,
  A_KEY,
  A_VALUE,
  AFTER_ELEMENT,
  AFTER_MEMBER,
  answer,
  BETWEEN,
  createReader,
  DEPTHS,
  ESCAPE,
  FIRST_ELEMENT,
  FIRST_KEY,
  flaw,
  keepNumber,
  LINE,
  moveTo,
  type Reader,
  remember,
  report,
  STRING,
  TOKEN,
} from './json-reader.ts';

export interface JsonValuesOptions {
  /** How deep objects and arrays may nest; 64 by default. */
  readonly maxDepth?: number;
  /** The most bytes of a value; 64 MiB by default. With more than 128 MiB, V8 may refuse to hold its keys. */
  readonly maxBytes?: number;
}

export interface JsonValues {
  /** Takes the next bytes of the stream. It never throws, and the caller may reuse the buffer afterwards. */
  push(chunk: Uint8Array): void;
  /** Marks the end of the stream. Nothing may be pushed afterwards. */
  end(): void;
  /** Returns the next finished value or fault, in stream order; undefined if more bytes are needed, or all is read. */
  next(): Incoming | undefined;
  /** True if nothing but white space (and a BOM) has been seen so far. */
  readonly empty: boolean;
}

const MIB = 1024 * 1024;
const MAX_DEPTH = 64;
const MAX_BYTES = 64 * MIB;
const MAX_TOKEN_BYTES = 1024;
const MAX_LISTED_KEYS = 16;
const EMPTY = Buffer.alloc(0);
const BOM = [0xef, 0xbb, 0xbf];
const TOKEN_FORM = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

const BEFORE_VALUE = [COMMA, COLON, OPEN_BRACKET];

const WITHIN = [between, inString, inEscape, inToken, inDepths, inLine];

type Step = (r: Reader, i: number) => number;

/** Reads JSON values (RFC 8259) from a stream of bytes. For a text that is not JSON it says why. */
export function createJsonValues({ maxDepth = MAX_DEPTH, maxBytes = MAX_BYTES }: JsonValuesOptions = {}): JsonValues {
  const reader = createReader(maxDepth, maxBytes);
  return {
    push: (chunk) => push(reader, chunk),
    end: () => end(reader),
    next: () => next(reader),
    get empty() {
      return reader.empty;
    },
  };
}

/** Reads one value that is all of these bytes; the same refusals as for a stream. */
export function parseJson(
  bytes: Uint8Array,
  { maxDepth = MAX_DEPTH, maxBytes = MAX_BYTES }: JsonValuesOptions = {},
): Incoming {
  const plain = bytes.length <= maxBytes ? readJsonLine(bytes, maxDepth) : undefined;
  return plain ? { ok: true, value: plain } : parseBytewise(bytes, { maxDepth, maxBytes });
}

/** How deep the JSON of a person's files and programs may nest. */
const MAX_STRICT_DEPTH = 1_000;

/**
 * Parses the JSON of a file or a program's output with the refusals of `parseJson`, but for the depth. Throws SyntaxError, whose
 * message begins with `invalid JSON`.
 */
export function parseStrictJson(text: string | Uint8Array): unknown {
  const read = parseJson(typeof text === 'string' ? Buffer.from(text) : text, { maxDepth: MAX_STRICT_DEPTH });
  if (read.ok) return read.value;
  throw new SyntaxError(read.message);
}

function parseBytewise(bytes: Uint8Array, options: JsonValuesOptions): Incoming {
  const values = createJsonValues(options);
  values.push(bytes);
  values.end();
  const only = values.next();
  if (only?.ok === false) return only;
  const problem = only === undefined ? 'there is no value' : values.next() && 'there is more than one value';
  if (problem !== undefined) return { ok: false, message: `invalid JSON: ${problem}`, suggestion: 'send one value' };
  return only as Incoming;
}

function push(r: Reader, chunk: Uint8Array): void {
  if (chunk.length === 0 || (r.state === BETWEEN && takeLine(r, chunk))) return;
  const held = r.bytes.length;
  r.bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  if (held > 0) remember(r, held, r.bytes);
  r.limit = r.answered ? r.bytes.length : Math.min(r.bytes.length, r.maxBytes);
  for (let i = held; i < r.bytes.length; ) i = i < r.limit ? step(r, i) : pastLimit(r, i);
  r.lastByte = r.bytes[r.bytes.length - 1] as number;
  if (r.answered) {
    moveTo(r, r.bytes.length);
    r.bytes = EMPTY;
  } else if (held === 0 || r.start > 0) remember(r, 0, r.bytes.subarray(r.start));
  r.item -= r.start;
  r.start = 0;
  r.positioned = 0;
}

/** Reads a chunk that is one plain object. Returns false, and reads nothing, if it is not. */
function takeLine(r: Reader, chunk: Uint8Array): boolean {
  if (r.bomBytes % BOM.length > 0) return false;
  const value = chunk.length <= r.maxBytes ? readJsonLine(chunk, r.maxDepth) : undefined;
  if (value === undefined) return false;
  r.finished.push({ ok: true, value });
  r.empty = false;
  r.bomBytes = BOM.length;
  r.lastByte = chunk[chunk.length - 1] as number;
  advance(r.position, Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
  return true;
}

function end(r: Reader): void {
  if (r.bomBytes > 0 && r.bomBytes < BOM.length) begin(r, 0);
  const at = r.bytes.length;
  if (r.state === TOKEN && r.depth === 0) endToken(r, at);
  else report(r, `the text ends inside ${surroundings(r)}`, { at });
}

function surroundings({ state, depth, after }: Reader): string {
  if (state === STRING || state === ESCAPE) return 'a string';
  if (depth === 0) return 'a byte order mark';
  return after[depth] === AFTER_MEMBER ? 'an object' : 'an array';
}

function next(r: Reader): Incoming | undefined {
  const incoming = r.finished[r.taken];
  if (!incoming) return undefined;
  r.taken += 1;
  if (r.taken === r.finished.length) {
    r.finished.length = 0;
    r.taken = 0;
  }
  return incoming;
}

/** Reads on from index `i` and returns the next index. It consumes bytes, changes the state, or both. */
function step(r: Reader, i: number): number {
  return r.state < BETWEEN ? structure(r, i) : (WITHIN[r.state - BETWEEN] as Step)(r, i);
}

function proceed(r: Reader, i: number, state: number): number {
  r.state = state;
  return i + 1;
}

function between(r: Reader, i: number): number {
  const byte = r.bytes[i] as number;
  if (byte === BOM[r.bomBytes]) {
    r.bomBytes += 1;
    r.positioned = i + 1; // The mark takes no column.
    return i + 1;
  }
  const torn = r.bomBytes > 0 && r.bomBytes < BOM.length;
  r.bomBytes = BOM.length;
  if (!torn && isSpace(byte)) return i + 1;
  begin(r, i);
  return torn ? fault(r, i, 'expected a value, found a torn byte order mark') : i;
}

function begin(r: Reader, i: number): void {
  r.empty = false;
  r.answered = false;
  r.resumeAfterLine = false;
  r.start = i;
  moveTo(r, i);
  r.limit = Math.min(r.bytes.length, i + r.maxBytes);
  r.state = A_VALUE;
}

function structure(r: Reader, i: number): number {
  const byte = r.bytes[i] as number;
  const { state } = r;
  if (isSpace(byte)) return i + 1;
  if (byte === COMMA && state === AFTER_MEMBER) return proceed(r, i, A_KEY);
  if (byte === COMMA && state === AFTER_ELEMENT) return proceed(r, i, A_VALUE);
  if (byte === COLON && state === A_COLON) return proceed(r, i, A_VALUE);
  if (byte === QUOTE && (state === A_KEY || state === FIRST_KEY)) return startString(r, i, A_COLON);
  if (byte === CLOSE_BRACE && (state === AFTER_MEMBER || state === FIRST_KEY)) return close(r, i);
  if (byte === CLOSE_BRACKET && (state === AFTER_ELEMENT || state === FIRST_ELEMENT)) return close(r, i);
  if (state === A_VALUE || state === FIRST_ELEMENT) return startValue(r, i, byte);
  return misplaced(r, i, byte);
}

function startValue(r: Reader, i: number, byte: number): number {
  if (byte === QUOTE) return startString(r, i, A_VALUE);
  if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return open(r, i, byte);
  r.item = i;
  return isPunctuation(byte) ? misplaced(r, i, byte) : proceed(r, i, TOKEN);
}

function misplaced(r: Reader, i: number, byte: number): number {
  return fault(r, i, `expected ${EXPECTED[r.state]}, found ${describe(byte)}`);
}

function open(r: Reader, i: number, byte: number): number {
  if (r.depth === r.maxDepth) {
    report(r, `nested deeper than ${r.maxDepth} levels`, { suggestion: `send it with at most ${r.maxDepth} levels` });
    r.significant = COMMA;
    r.state = DEPTHS;
    return i;
  }
  r.depth += 1;
  r.firstKey[r.depth] = r.keys.length;
  r.after[r.depth] = byte === OPEN_BRACE ? AFTER_MEMBER : AFTER_ELEMENT;
  return proceed(r, i, byte === OPEN_BRACE ? FIRST_KEY : FIRST_ELEMENT);
}

function close(r: Reader, i: number): number {
  const firstKey = r.firstKey[r.depth] as number;
  if (r.keys.length > firstKey) r.keys.length = firstKey;
  if (r.keySets.length > r.depth) r.keySets.length = r.depth;
  r.depth -= 1;
  return endValue(r, i + 1);
}

/** Counts brackets without regard to their kind, since remembering the kinds would take unbounded memory. */
function inDepths(r: Reader, i: number): number {
  const { bytes, limit } = r;
  for (let at = i; at < limit; at += 1) {
    const byte = bytes[at] as number;
    if (byte === OPEN_BRACE && startsLine(r, at) && !BEFORE_VALUE.includes(r.significant)) return fault(r, at, '');
    if (byte > 0x20) r.significant = byte;
    if (byte === QUOTE) return startString(r, at, DEPTHS);
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) r.depth += 1;
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) r.depth -= 1;
    if (r.depth === 0) return endValue(r, at + 1);
  }
  return limit;
}

function inLine(r: Reader, i: number): number {
  const newline = r.bytes.indexOf(NEWLINE, i);
  return newline < 0 ? r.bytes.length : proceed(r, newline, BETWEEN);
}

function startString(r: Reader, i: number, afterString: number): number {
  r.item = i;
  r.afterString = afterString;
  r.escaped = false;
  return proceed(r, i, STRING);
}

function inString(r: Reader, i: number): number {
  const { bytes, limit } = r;
  let at = i;
  let byte = 0;
  for (; at < limit; at += 1) {
    byte = bytes[at] as number;
    if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) break;
  }
  if (at === limit) return at;
  if (byte === QUOTE) return endString(r, at);
  if (byte !== BACKSLASH) return fault(r, at, `expected an escape or the end of a string, found ${describe(byte)}`);
  r.escaped = true;
  return proceed(r, at, ESCAPE);
}

/** Hands a byte that cannot follow a backslash back to the string: it may be its end, or a line break. */
function inEscape(r: Reader, i: number): number {
  const byte = r.bytes[i] as number;
  const character = String.fromCharCode(byte);
  const inHex = r.hexDigits > 0;
  if ((inHex ? '0123456789abcdefABCDEF' : '"\\/bfnrtu').includes(character)) {
    r.hexDigits = inHex ? r.hexDigits - 1 : character === 'u' ? 4 : 0;
    return proceed(r, i, r.hexDigits > 0 ? ESCAPE : STRING);
  }
  const expected = inHex ? 'four hexadecimal digits after \\u' : 'one of " \\ / b f n r t u after a backslash';
  r.hexDigits = 0;
  r.state = STRING;
  flaw(r, i, `expected ${expected}, found ${describe(byte)}`);
  return i;
}

function endString(r: Reader, i: number): number {
  if (r.afterString === A_VALUE) return endValue(r, i + 1);
  if (r.afterString === A_COLON && !r.answered) checkKey(r, r.bytes.toString('utf8', r.item + 1, i));
  return proceed(r, i, r.afterString);
}

function checkKey(r: Reader, text: string): void {
  const key = r.escaped ? (JSON.parse(`"${text}"`) as string) : text;
  r.lastKey = key;
  if (isRepeated(r, key))
    report(r, `duplicate key ${quote(key, 40)}`, { suggestion: 'give each key of an object once' });
}

function isRepeated({ depth, keys, firstKey, keySets }: Reader, key: string): boolean {
  const many = keySets[depth];
  if (many) return many.has(key) || !many.add(key);
  const first = firstKey[depth] as number;
  if (keys.includes(key, first)) return true;
  keys.push(key);
  if (keys.length - first > MAX_LISTED_KEYS) keySets[depth] = new Set(keys.slice(first));
  return false;
}

function inToken(r: Reader, i: number): number {
  const { bytes, limit } = r;
  let at = i;
  while (at < limit && !isPunctuation(bytes[at] as number)) at += 1;
  if (at - r.item > MAX_TOKEN_BYTES) flaw(r, r.item, 'expected a value, found a word or number longer than 1 KiB');
  return at < limit ? endToken(r, at) : at;
}

function endToken(r: Reader, i: number): number {
  if (!r.answered) {
    const text = r.bytes.toString('utf8', r.item, i);
    if (!TOKEN_FORM.test(text)) flaw(r, r.item, `expected a value, found ${quote(text, 20)}`);
    else if (r.depth === 1 && r.after[1] === AFTER_MEMBER) keepNumber(r, text);
  }
  return endValue(r, i);
}

function endValue(r: Reader, i: number): number {
  if (r.depth > 0) {
    r.state = r.after[r.depth] as number;
    return i;
  }
  if (!r.answered) accept(r, r.bytes.subarray(r.start, i));
  r.state = r.resumeAfterLine ? LINE : BETWEEN;
  return i;
}

function accept(r: Reader, text: Buffer): void {
  const decoded = text.toString();
  if (isUtf8(text)) {
    answer(r, { ok: true, value: JSON.parse(decoded), ...(r.numbers && { numbers: r.numbers }) });
    return;
  }
  const encoded = Buffer.from(decoded);
  let sound = 0;
  while (encoded[sound] === text[sound]) sound += 1;
  flaw(r, r.start + sound, 'found a byte that is not UTF-8', 'encode the request as UTF-8');
}

/** Gives up the current text. Reading goes on after the line, or right here if the next value begins within a cut one. */
function fault(r: Reader, i: number, problem: string): number {
  report(r, problem, { at: i });
  r.depth = 0;
  r.state = r.bytes[i] === OPEN_BRACE && startsLine(r, i) ? BETWEEN : LINE;
  return i;
}

function pastLimit(r: Reader, i: number): number {
  const { state, maxBytes } = r;
  if (state === TOKEN && isPunctuation(r.bytes[i] as number)) return endToken(r, i);
  const limit = maxBytes % MIB === 0 ? `${maxBytes / MIB} MiB` : `${maxBytes} bytes`;
  report(r, `a value is larger than ${limit}`, { suggestion: 'send less in one request' });
  return i;
}

function startsLine(r: Reader, i: number): boolean {
  return (i > 0 ? r.bytes[i - 1] : r.lastByte) === NEWLINE;
}
