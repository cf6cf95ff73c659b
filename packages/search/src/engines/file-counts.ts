const LINE_FEED = 10;

/** Parses the output of `rg --count --null`: a path, NUL, a number, line feed. A path may contain line feeds. */
export class FileCounts {
  readonly #onCount: (path: string, count: number) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(onCount: (path: string, count: number) => void) {
    this.#onCount = onCount;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (;;) {
      const nul = bytes.indexOf(0, start);
      const end = nul < 0 ? -1 : bytes.indexOf(LINE_FEED, nul);
      if (end < 0) break;
      const path = bytes.subarray(start, nul).toString().replace(/^\.\//, '');
      this.#onCount(path, Number(bytes.subarray(nul + 1, end).toString('latin1')));
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
  }
}
