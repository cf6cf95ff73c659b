import { foreignByte, splitForeign } from './foreign-bytes.ts';

const MAX_PENDING = 65_536;

/** Text that is written as bytes piece by piece, up to a limit. Lone surrogates become the bytes that they stand for. */
export class GrowingBytes {
  readonly #maxBytes: number;
  #buffer: Buffer<ArrayBuffer>;
  #length = 0;
  #pending = '';

  /** Makes an empty text; `buffer` is one that is not needed any more, and is overwritten. */
  constructor(buffer: ArrayBuffer, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#buffer = Buffer.from(buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes, with room behind them. */
  get buffer(): ArrayBuffer {
    return this.#buffer.buffer;
  }

  /** Adds a text. Returns false once the result is too large. */
  add(text: string): boolean {
    if (this.#length + this.#pending.length + text.length > this.#maxBytes + MAX_PENDING) return false;
    for (let at = 0; at < text.length; ) {
      let end = Math.min(text.length, at + MAX_PENDING);
      const last = text.charCodeAt(end - 1);
      // A pair of surrogates stays together.
      if (end < text.length && last >= 0xd800 && last <= 0xdbff) end--;
      this.#pending += text.length === end - at ? text : text.slice(at, end);
      if (this.#pending.length >= MAX_PENDING && !this.flush()) return false;
      at = end;
    }
    return true;
  }

  /** Writes the last bytes. Returns false if the result is too large. */
  flush(): boolean {
    const text = this.#pending;
    this.#pending = '';
    for (const part of splitForeign(text)) this.#write(part);
    return this.#length <= this.#maxBytes;
  }

  #write(part: string): void {
    const most = 3 * part.length;
    if (this.#length + most > this.#buffer.length) this.#grow(this.#length + Math.max(most, this.#length >> 3));
    const byte = foreignByte(part);
    if (byte !== undefined) this.#buffer[this.#length++] = byte;
    else this.#length += this.#buffer.write(part, this.#length);
  }

  #grow(size: number): void {
    const larger = Buffer.from(new ArrayBuffer(size));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
