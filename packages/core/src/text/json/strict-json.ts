import { Buffer, isUtf8 } from 'node:buffer';
import {
  advance,
  CLOSE_BRACE,
  type Incoming,
  isSpace,
  type JsonLimits,
  JsonScanner,
  MAX_DEPTH,
  MAX_JSON_BYTES,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
} from './json-scanner.ts';

const BOM = Buffer.from('\ufeff');
/** Longer texts are left to the scanner, which goes byte by byte. */
const MAX_LINE_BYTES = 4096;
/** How deep the JSON of a person's files and programs may nest. */
const MAX_STRICT_DEPTH = 1_000;

/** Reads the only value of these bytes, except for white space and a byte order mark. */
export function parseJson(
  bytes: Uint8Array,
  { maxDepth = MAX_DEPTH, maxBytes = MAX_JSON_BYTES, line = 1 }: JsonLimits = {},
): Incoming {
  const plain = bytes.length <= maxBytes ? readJsonLine(bytes, maxDepth) : undefined;
  return plain ? { ok: true, value: plain } : new WholeText({ maxDepth, maxBytes }).read(bytes, line);
}

/**
 * Parses the JSON of a file or a program's output with the refusals of `parseJson`, except for the depth. Throws
 * SyntaxError, whose message begins with `invalid JSON`.
 */
export function parseStrictJson(text: string | Uint8Array): unknown {
  const read = parseJson(typeof text === 'string' ? Buffer.from(text) : text, { maxDepth: MAX_STRICT_DEPTH });
  if (read.ok) return read.value;
  throw new SyntaxError(read.message);
}

class WholeText extends JsonScanner {
  read(bytes: Uint8Array, line: number): Incoming {
    this.position.line = line;
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const first = this.bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
    let i = this.#skipSpace(first);
    if (i === bytes.length) return notOne('there is no value');
    advance(this.position, this.bytes.subarray(first, i));
    this.begin(i);
    while (!this.answered && i < bytes.length) i = this.scan(i);
    this.endAt(i);
    const [answer] = this.answers as [Incoming];
    return answer.ok && this.#skipSpace(i) < bytes.length ? notOne('there is more than one value') : answer;
  }

  #skipSpace(start: number): number {
    let i = start;
    while (i < this.bytes.length && isSpace(this.bytes[i] as number)) i += 1;
    return i;
  }
}

function notOne(problem: string): Incoming {
  return { ok: false, message: `invalid JSON: ${problem}`, suggestion: 'send one value on each line' };
}

/**
 * Reads a text that is one object, exactly as JSON.stringify writes it, with or without a newline: the form of most
 * requests. Returns undefined for any other text. A text that JSON.stringify would write otherwise may have a duplicate
 * key or a number that JavaScript cannot hold, and is left to the scanner.
 */
export function readJsonLine(bytes: Uint8Array, maxDepth: number): object | undefined {
  const end = bytes[bytes.length - 1] === NEWLINE ? bytes.length - 1 : bytes.length;
  if (end > MAX_LINE_BYTES || bytes[0] !== OPEN_BRACE || bytes[end - 1] !== CLOSE_BRACE) return undefined;
  if (!isUtf8(bytes) || countOpening(bytes) > maxDepth) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, end).toString();
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function countOpening(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === OPEN_BRACE || byte === OPEN_BRACKET) count += 1;
  return count;
}
