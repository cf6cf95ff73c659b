import { type Incoming, readJsonLine } from '@jinn/core/text';
import {
  advance,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isSpace,
  JsonScanner,
  MIB,
  MORE_STATES,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '@jinn/core/text/json/json-scanner';

// Further states: between values, in the rest of a value that nests too deeply, and in the rest of a bad line.
const [BETWEEN, DEPTHS, LINE] = [MORE_STATES, MORE_STATES + 1, MORE_STATES + 2];
const EMPTY = Buffer.alloc(0);
const BOM = Buffer.from('\ufeff');
const BEFORE_VALUE = [COMMA, COLON, OPEN_BRACKET];

/** Reads JSON values from a stream of bytes. After a fault it goes on with the next value. */
export class JsonStream extends JsonScanner {
  /** True if nothing but white space (and a BOM) was read so far. */
  empty = true;
  protected override state = BETWEEN;
  #taken = 0;
  #bomBytes = 0;
  /** A copy of the value so far; without one, `bytes` is the caller's chunk. */
  #memory: Buffer = EMPTY;
  /** The offset of the byte at `position`. While a value is read, that is its first byte. */
  #positioned = 0;
  /** The last byte of the previous chunk. */
  #lastByte = 0;
  /** In the state DEPTHS, the last byte that was not white space. */
  #significant = 0;
  /** True if the value was refused on the line on which it began: then it ends with that line, closed or not. */
  #endsWithLine = false;
  /** Where the scanner is in `bytes`. */
  #at = 0;

  /** Takes the next bytes of the stream. It never throws, and the caller may reuse the buffer afterwards. */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0 || (this.state === BETWEEN && this.#readPlainLine(chunk))) return;
    const held = this.bytes.length;
    this.bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    if (held > 0) this.#remember(held, this.bytes);
    this.limit = this.answered ? this.bytes.length : Math.min(this.bytes.length, this.maxBytes);
    for (let i = held; i < this.bytes.length; ) i = this.scan(i);
    this.#lastByte = this.bytes[this.bytes.length - 1] as number;
    if (this.answered) {
      this.#moveTo(this.bytes.length);
      this.bytes = EMPTY;
    } else if (held === 0 || this.start > 0) this.#remember(0, this.bytes.subarray(this.start));
    this.item -= this.start;
    this.start = 0;
    this.#positioned = 0;
  }

  /** Marks the end of the stream. Nothing may be pushed afterwards. */
  end(): void {
    if (this.#isInBom()) this.begin(0);
    this.endAt(this.bytes.length);
  }

  /** Returns the next finished value or fault, in stream order; undefined if more bytes are needed, or all is read. */
  next(): Incoming | undefined {
    const incoming = this.answers[this.#taken];
    if (!incoming) return undefined;
    this.#taken += 1;
    if (this.#taken === this.answers.length) {
      this.answers.length = 0;
      this.#taken = 0;
    }
    return incoming;
  }

  protected override begin(i: number): void {
    this.empty = false;
    this.#endsWithLine = false;
    this.#moveTo(i);
    super.begin(i);
  }

  protected override scan(i: number): number {
    this.#at = i;
    if (this.#endsWithLine && this.bytes[i] === NEWLINE) return this.#endLine(i);
    if (this.state < MORE_STATES || i >= this.limit) return super.scan(i);
    if (this.state === BETWEEN) return this.#between(i);
    return this.state === LINE ? this.#inLine(i) : this.#inDepths(i);
  }

  protected override answer(incoming: Incoming): void {
    if (!incoming.ok) {
      const newline = this.bytes.indexOf(NEWLINE, this.start);
      this.#endsWithLine = newline < 0 || newline >= this.#at;
    }
    super.answer(incoming);
    if (this.#memory.length > MIB) this.#memory = EMPTY;
  }

  protected override endValue(i: number): number {
    const next = super.endValue(i);
    if (this.depth === 0) this.state = this.isFlawed ? LINE : BETWEEN;
    return next;
  }

  /** Gives up the text. Reading goes on after the line, or right here if the next value begins within a cut one. */
  protected override fault(i: number, problem: string): number {
    super.fault(i, problem);
    this.state = this.bytes[i] === OPEN_BRACE && this.#startsLine(i) ? BETWEEN : LINE;
    return i;
  }

  protected override tooDeep(i: number): number {
    super.tooDeep(i);
    this.#significant = COMMA;
    this.state = DEPTHS;
    return i;
  }

  /** Reads a chunk that is one plain object. Returns false, and reads nothing, if it is not. */
  #readPlainLine(chunk: Uint8Array): boolean {
    if (this.#isInBom()) return false;
    const value = chunk.length <= this.maxBytes ? readJsonLine(chunk, this.maxDepth) : undefined;
    if (value === undefined) return false;
    this.answers.push({ ok: true, value });
    this.empty = false;
    this.#bomBytes = BOM.length;
    this.#lastByte = chunk[chunk.length - 1] as number;
    advance(this.position, Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    return true;
  }

  #isInBom(): boolean {
    return this.#bomBytes % BOM.length > 0;
  }

  #between(i: number): number {
    const byte = this.bytes[i] as number;
    if (byte === BOM[this.#bomBytes]) {
      this.#bomBytes += 1;
      this.#positioned = i + 1; // The mark takes no column.
      return i + 1;
    }
    const isTorn = this.#isInBom();
    this.#bomBytes = BOM.length;
    if (!isTorn && isSpace(byte)) return i + 1;
    this.begin(i);
    return isTorn ? this.fault(i, 'expected a value, found a torn byte order mark') : i;
  }

  /** Counts brackets without regard to their kind, since remembering the kinds would take unbounded memory. */
  #inDepths(i: number): number {
    const { bytes, limit } = this;
    for (let at = i; at < limit; at += 1) {
      const byte = bytes[at] as number;
      const isNext = byte === OPEN_BRACE && this.#startsLine(at) && !BEFORE_VALUE.includes(this.#significant);
      if (isNext) return this.fault(at, '');
      if (byte === NEWLINE && this.#endsWithLine) return at;
      if (byte > 0x20) this.#significant = byte;
      if (byte === QUOTE) return this.startString(at, DEPTHS);
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.depth += 1;
      if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.depth -= 1;
      if (this.depth === 0) return this.endValue(at + 1);
    }
    return limit;
  }

  #endLine(i: number): number {
    this.#endsWithLine = false;
    this.depth = 0;
    this.state = BETWEEN;
    return i + 1;
  }

  #inLine(i: number): number {
    const newline = this.bytes.indexOf(NEWLINE, i);
    if (newline < 0) return this.bytes.length;
    this.state = BETWEEN;
    return newline + 1;
  }

  #startsLine(i: number): boolean {
    return (i > 0 ? this.bytes[i - 1] : this.#lastByte) === NEWLINE;
  }

  #moveTo(i: number): void {
    advance(this.position, this.bytes.subarray(this.#positioned, i));
    this.#positioned = i;
  }

  /** Appends bytes to the copy, which grows by doubling, so that small chunks stay cheap. */
  #remember(held: number, bytes: Buffer): void {
    const length = held + bytes.length;
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#memory.length, 1024));
      this.#memory.copy(larger, 0, 0, held);
      this.#memory = larger;
    }
    bytes.copy(this.#memory, held);
    this.bytes = this.#memory.subarray(0, length);
  }
}
