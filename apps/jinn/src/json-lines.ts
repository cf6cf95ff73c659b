import { type Incoming, type JsonLimits, MAX_JSON_BYTES, parseJson, refuseLarge } from '@jinn/core/text';

const [NEWLINE, QUOTE, COMMA, COLON, BACKSLASH] = [0x0a, 0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
const EMPTY = Buffer.alloc(0);
const BOM = Buffer.from('\ufeff');
/** A larger buffer is not kept for the next value. */
const MAX_KEPT_BYTES = 1_048_576;

/**
 * Reads JSON values from a stream of bytes, one a line. A line that ends inside an object or a list goes on with the next
 * ones, until its brackets are closed. After a fault, reading goes on with the next line.
 */
export class JsonLines {
  /** True if nothing but white space and a byte order mark was read so far. */
  empty = true;
  readonly #limits: JsonLimits;
  readonly #maxBytes: number;
  readonly #answers: Incoming[] = [];
  /** The bytes of the value that has not ended, of which there are `#length`; the last line begins at `#lineStart`. */
  #text: Buffer = EMPTY;
  #length = 0;
  #lineStart = 0;
  #lineNumber = 1;
  /** How many brackets of the value are open, and the number of its first line. */
  #open = 0;
  #firstLine = 1;
  /** True until the line ends of which a part was dropped. */
  #isLineLost = false;
  /** True after a value that is too large, until a line begins with a brace. */
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

  /** Returns the next finished value or fault, in stream order; undefined if more bytes are needed, or all is read. */
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
    // A brace at the start of a line, where no value can stand, begins the next request: this one was cut short.
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

  /** Answers for the bytes before `end`, and keeps the others. */
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

/**
 * Counts the brackets that a line opens less those that it closes, without regard to their kind and outside of strings.
 * A string that does not end on the line closes all: no value can hold it.
 */
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

/** Returns the position of the quote that ends a string; -1 if there is none. */
function endOfString(line: Buffer, start: number): number {
  for (let end = line.indexOf(QUOTE, start + 1); end >= 0; end = line.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (line[end - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}
