import { SAMPLE_BYTES } from '../query/limits.ts';
import type { Hit } from '../query/search-query.ts';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const ZERO = 48;
const NINE = 57;
/** Bytes of the longest path and the numbers behind it. */
const MAX_HEADER = 4_200;
const MAX_DIGITS = 20;

/**
 * Parses the matching lines that ripgrep prints with --null, --line-number, --column, --byte-offset and NUL as the
 * separator of fields. It keeps only a sample of a line, so that a line may be of any length.
 */
export class MatchingLines {
  readonly #onHit: (hit: Hit) => void;
  #header: Buffer = Buffer.alloc(0);
  #line: LineText | undefined;

  constructor(onHit: (hit: Hit) => void) {
    this.#onHit = onHit;
  }

  /** True if the output so far ends with a whole line. */
  get isComplete(): boolean {
    return this.#line === undefined && this.#header.length === 0;
  }

  /** Adds output. Throws if the bytes have another form. */
  push(chunk: Buffer): void {
    let rest: Buffer | undefined = chunk;
    while (rest && rest.length > 0) rest = this.#line ? this.#readText(this.#line, rest) : this.#readHeader(rest);
  }

  /** Reads the header and returns the bytes behind it; undefined if it is not complete. */
  #readHeader(chunk: Buffer): Buffer | undefined {
    const bytes = this.#header.length === 0 ? chunk : Buffer.concat([this.#header, chunk]);
    const header = parseHeader(bytes);
    this.#header = header ? Buffer.alloc(0) : bytes;
    if (!header && bytes.length > MAX_HEADER) throw new Error('the output of ripgrep cannot be parsed');
    if (!header) return undefined;
    this.#line = new LineText(header);
    return bytes.subarray(header.end);
  }

  #readText(line: LineText, bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf(LINE_FEED);
    line.push(end < 0 ? bytes : bytes.subarray(0, end));
    if (end < 0) return undefined;
    this.#onHit(line.toHit());
    this.#line = undefined;
    return bytes.subarray(end + 1);
  }
}

interface LineHeader extends Pick<Hit, 'path' | 'line' | 'offset'> {
  /** Undefined for a match at the very end of the line. */
  readonly start: number | undefined;
  /** The beginning of the line's text. */
  readonly end: number;
}

/**
 * Parses a path, a line number, a column and a byte offset, each with a NUL behind it. An empty match at the end of a
 * file has no column. Returns undefined while more bytes are needed.
 */
function parseHeader(bytes: Buffer): LineHeader | undefined {
  const pathEnd = bytes.indexOf(0);
  if (pathEnd < 0) return undefined;
  const line = parseNumber(bytes, pathEnd + 1);
  const second = line && parseNumber(bytes, line.end);
  const third = second && parseNumber(bytes, second.end);
  if (!line || !second || !third) return undefined;
  const path = bytes.toString('utf8', 0, pathEnd).replace(/^\.\//, '');
  if (third.value === undefined)
    return { path, line: line.value ?? 0, offset: second.value ?? 0, start: undefined, end: second.end };
  return { path, line: line.value ?? 0, offset: third.value, start: (second.value ?? 0) - 1, end: third.end };
}

/** Parses digits and a NUL. The value is undefined for anything else, and the result while more bytes are needed. */
function parseNumber(
  bytes: Buffer,
  start: number,
): { readonly value: number | undefined; readonly end: number } | undefined {
  let value = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === 0 && at > start) return { value, end: at + 1 };
    if (byte < ZERO || byte > NINE || at - start >= MAX_DIGITS) return { value: undefined, end: start };
    value = 10 * value + byte - ZERO;
  }
  return undefined;
}

/** The text of a line, which arrives in pieces. */
class LineText {
  readonly #header: LineHeader;
  #length = 0;
  #sample: Buffer = Buffer.alloc(0);
  #last = 0;

  constructor(header: LineHeader) {
    this.#header = header;
  }

  push(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const { start } = this.#header;
    const missing = SAMPLE_BYTES - this.#sample.length;
    if (start !== undefined && missing > 0 && this.#length + bytes.length > start) {
      const from = Math.max(0, start - this.#length);
      this.#sample = Buffer.concat([this.#sample, bytes.subarray(from, from + missing)]);
    }
    this.#length += bytes.length;
    this.#last = bytes.at(-1) as number;
  }

  toHit(): Hit {
    const { start, path, line, offset } = this.#header;
    // ripgrep adds a carriage return to a last line that has no line end.
    const length = this.#last === CARRIAGE_RETURN ? this.#length - 1 : this.#length;
    const from = start ?? length;
    return { path, line, offset, length, start: from, sample: this.#sample.subarray(0, length - from) };
  }
}
