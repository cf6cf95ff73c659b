/** A longer line is cut, since it would leave no room for others. */
const MAX_LINE_BYTES = 32 * 1024;
const RETURN = 13;
const NEWLINE = 10;
const LINE_END = Buffer.from('\n');
const CUT = Buffer.from('...');

interface Span {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * Passes lines on in one pass over the bytes. Of three or more equal lines in a row it passes the first and a count, of
 * too long lines the start and `...`, and of a line with carriage returns the part after the last one.
 */
export class LineFolder {
  /** The number of lines. A last one without a newline counts. */
  lines = 0;
  cuts = 0;
  /** True if text before a carriage return was dropped. */
  overwritten = false;
  readonly #emit: (bytes: Uint8Array, lines?: number) => void;
  /** The start of a line that continues in the next chunk, and its length so far. */
  #carry: Buffer[] = [];
  #carried = 0;
  /** True after a carriage return: the next text in the line replaces the line so far. */
  #returned = false;
  #previous: Span | undefined;
  #repeats = 0;

  /** Starts with no lines. `emit` gets whole lines, or a line and its end. Of the line that stands for equal ones, their number too. */
  constructor(emit: (bytes: Uint8Array, lines?: number) => void) {
    this.#emit = emit;
  }

  push(chunk: Buffer): void {
    if (this.#returned || chunk.includes(RETURN)) this.#pushReturns(chunk);
    else this.#pushPlain(chunk);
  }

  #pushPlain(chunk: Buffer): void {
    let start = 0;
    if (this.#carried > 0) {
      const newline = chunk.indexOf(NEWLINE);
      this.#addCarry(chunk.subarray(0, newline < 0 ? chunk.length : newline));
      if (newline < 0) return;
      this.#endCarry();
      start = newline + 1;
    }
    this.#pushLines(chunk, start);
  }

  /** The lines that were pushed and not passed on yet: equal lines, and a line that has not ended. */
  get pending(): string {
    const { bytes, start, end } = this.#previous ?? { bytes: LINE_END, start: 0, end: 0 };
    const repeated = bytes.toString('utf8', start, end);
    const run = this.#repeats > 1 ? foldedLine(this.#repeats) : `${repeated}\n`.repeat(this.#repeats);
    return run + this.unfinished;
  }

  /** The line that has not ended yet, cut if it is too long. */
  get unfinished(): string {
    return Buffer.concat(this.#carry).toString('utf8', 0, MAX_LINE_BYTES);
  }

  /** Ends the last line, if it has no newline, and the run that it belongs to. */
  finish(): void {
    if (this.#carried > 0) this.#endCarry();
    this.#endRun();
    this.#previous = undefined;
  }

  /** Takes the whole lines of a chunk. Consecutive lines that are passed on unchanged go in one piece. */
  #pushLines(chunk: Buffer, from: number): void {
    let passed = from;
    let start = from;
    for (let end = chunk.indexOf(NEWLINE, start); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = { bytes: chunk, start, end };
      if (end - start > MAX_LINE_BYTES || this.#isRepeat(line)) {
        if (start > passed) this.#emit(chunk.subarray(passed, start));
        this.#line(line);
        passed = end + 1;
      } else {
        this.#begin(line);
      }
      start = end + 1;
    }
    if (start > passed) this.#emit(chunk.subarray(passed, start));
    if (start < chunk.length) this.#addCarry(chunk.subarray(start));
  }

  /** Omits carriage returns and the text that they overwrite. */
  #pushReturns(chunk: Buffer): void {
    const kept = Buffer.allocUnsafe(chunk.length);
    let length = 0;
    let lineStart = 0;
    let isCarried = this.#carried > 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (byte === RETURN) {
        this.#returned = true;
        continue;
      }
      if (this.#returned && byte !== NEWLINE) {
        this.overwritten ||= isCarried || length > lineStart;
        if (isCarried) this.#dropCarry();
        isCarried = false;
        length = lineStart;
      }
      this.#returned = false;
      kept[length++] = byte;
      if (byte !== NEWLINE) continue;
      lineStart = length;
      isCarried = false;
    }
    this.#pushPlain(kept.subarray(0, length));
  }

  #addCarry(part: Buffer): void {
    if (this.#carried <= MAX_LINE_BYTES) this.#carry.push(part);
    this.#carried += part.length;
  }

  #endCarry(): void {
    const bytes = this.#carry.length === 1 ? (this.#carry[0] as Buffer) : Buffer.concat(this.#carry);
    this.#line({ bytes, start: 0, end: bytes.length });
    this.#dropCarry();
  }

  #dropCarry(): void {
    this.#carry = [];
    this.#carried = 0;
  }

  #line(line: Span): void {
    if (line.end - line.start > MAX_LINE_BYTES) {
      this.#endRun();
      this.lines++;
      this.cuts++;
      this.#previous = undefined;
      const whole = line.bytes.subarray(line.start, line.end);
      this.#emit(Buffer.concat([whole.subarray(0, wholeCharacters(whole, MAX_LINE_BYTES)), CUT, LINE_END]));
    } else if (this.#isRepeat(line)) {
      this.lines++;
      this.#repeats++;
    } else {
      this.#begin(line);
      this.#emitLine(line);
    }
  }

  #begin(line: Span): void {
    this.#endRun();
    this.lines++;
    this.#previous = line;
  }

  #isRepeat({ bytes, start, end }: Span): boolean {
    const previous = this.#previous;
    if (!previous || previous.end - previous.start !== end - start) return false;
    return bytes.compare(previous.bytes, previous.start, previous.end, start, end) === 0;
  }

  #endRun(): void {
    const repeats = this.#repeats;
    this.#repeats = 0;
    if (repeats === 1) this.#emitLine(this.#previous as Span);
    if (repeats > 1) this.#emit(Buffer.from(foldedLine(repeats)), repeats);
  }

  #emitLine({ bytes, start, end }: Span): void {
    this.#emit(bytes.subarray(start, end));
    this.#emit(LINE_END);
  }
}

function foldedLine(count: number): string {
  return `[... ${count} identical lines collapsed ...]\n`;
}

/** Keeps the last bytes that were pushed, in a buffer of at most twice that size. */
export class TailBuffer {
  readonly #max: number;
  #bytes = Buffer.alloc(0);
  #length = 0;
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get total(): number {
    return this.#total;
  }

  push(chunk: Uint8Array): void {
    this.#total += chunk.length;
    const part = chunk.length > this.#max ? chunk.subarray(chunk.length - this.#max) : chunk;
    this.#makeRoom(part.length);
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }

  /** The kept bytes, from the start of a character. The next push may change this view. */
  get bytes(): Buffer {
    const kept = this.#bytes.subarray(Math.max(0, this.#length - this.#max), this.#length);
    return kept.length < this.#total ? kept.subarray(startOfCharacter(kept)) : kept;
  }

  #makeRoom(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    if (this.#length + length > 2 * this.#max) {
      const kept = Math.min(this.#length, this.#max - length);
      this.#bytes.copyWithin(0, this.#length - kept, this.#length);
      this.#length = kept;
      return;
    }
    const grown = Buffer.allocUnsafe(Math.min(2 * this.#max, Math.max(1024, 2 * (this.#length + length))));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

function startOfCharacter(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && isContinuation(bytes[at])) at++;
  return at;
}

/** Returns the largest length up to `length` that does not split a UTF-8 character. */
export function wholeCharacters(bytes: Uint8Array, length: number): number {
  let end = Math.min(length, bytes.length);
  while (end > 0 && end > length - 4 && isContinuation(bytes[end])) end--;
  return end;
}

/** Returns where the characters end that are whole: the bytes behind may be the start of one. */
export function endOfCharacters(bytes: Uint8Array): number {
  const start = wholeCharacters(bytes, bytes.length - 1);
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - start < length ? Math.max(0, start) : bytes.length;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
