const BACKTICK = 0x60;
const NEWLINE = 0x0a;
const FENCE = Buffer.from('```');

/** Finds the longest run of backticks that begins a line, blanks aside, in a text that comes in chunks. */
export class FenceScanner {
  #longest = 0;
  #run = 0;
  /** True while only blanks and backticks have been seen in the line. */
  #atStart = true;
  #isFirst = true;

  push(chunk: Buffer): void {
    const scansAll = !this.#isFirst;
    this.#isFirst = false;
    if (!scansAll && !chunk.includes(FENCE)) this.#skipTo(chunk);
    else for (const byte of chunk) this.#see(byte);
  }

  /** 0 when there is none of three or more. */
  get longest(): number {
    return this.#longest >= FENCE.length ? this.#longest : 0;
  }

  /** Looks at the last line only: no other one can have a fence. */
  #skipTo(chunk: Buffer): void {
    const last = chunk.lastIndexOf(NEWLINE);
    for (const byte of chunk.subarray(last + 1)) {
      this.#see(byte);
      if (!this.#atStart) return;
    }
  }

  #see(byte: number): void {
    if (byte === BACKTICK) {
      if (!this.#atStart) return;
      this.#run++;
      if (this.#run > this.#longest) this.#longest = this.#run;
      return;
    }
    if (byte === NEWLINE) {
      this.#atStart = true;
      this.#run = 0;
    } else if (this.#run > 0 || (byte !== 0x20 && byte !== 0x09)) {
      this.#atStart = false;
    }
  }
}
