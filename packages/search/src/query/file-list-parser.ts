/** Parses the output of `rg --files-with-matches --null`: paths, each with a NUL behind it. */
export class FileListParser {
  readonly #onName: (path: string) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(onName: (path: string) => void) {
    this.#onName = onName;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let nul = bytes.indexOf(0); nul >= 0; nul = bytes.indexOf(0, start)) {
      this.#onName(bytes.subarray(start, nul).toString().replace(/^\.\//, ''));
      start = nul + 1;
    }
    this.#rest = bytes.subarray(start);
  }
}
