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

/** Returns where the characters end that are whole: the bytes behind may be the beginning of one. */
export function endOfCharacters(bytes: Uint8Array): number {
  const start = wholeCharacters(bytes, bytes.length - 1);
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - start < length ? Math.max(0, start) : bytes.length;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
