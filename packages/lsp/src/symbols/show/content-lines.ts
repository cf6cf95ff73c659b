const MOST_LINE = 300;
const BOM = Buffer.from('\ufeff');

/** The lines of a file's content. Lines and columns count from 1; columns count characters, without a byte order mark. */
export class ContentLines {
  readonly #content: Buffer;
  readonly #starts: number[] = [0];

  constructor(content: Buffer) {
    this.#content = content;
    for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) this.#starts.push(at + 1);
  }

  /** Returns the line that holds a byte. */
  lineOf(byte: number): number {
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] as number) <= byte) low = middle;
      else high = middle;
    }
    return low + 1;
  }

  columnOf(byte: number): number {
    return [...this.#content.toString('utf8', this.#textStart(this.lineOf(byte)), byte)].length + 1;
  }

  /** Returns the byte at a column of a line; the end of the line for a column behind it. */
  byteOf(line: number, column: number): number {
    const start = this.#textStart(line);
    const characters = [...this.#content.toString('utf8', start, this.startOf(line + 1))];
    return start + Buffer.byteLength(characters.slice(0, column - 1).join(''));
  }

  /** Returns the byte where a line starts; the end of the content for a line behind the last. */
  startOf(line: number): number {
    return this.#starts[line - 1] ?? this.#content.length;
  }

  #textStart(line: number): number {
    const hasMark = line === 1 && this.#content.subarray(0, BOM.length).equals(BOM);
    return hasMark ? BOM.length : this.startOf(line);
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Returns the text of a line, cut to 300 characters. */
  text(line: number): string {
    const text = this.#content.toString('utf8', this.startOf(line), this.startOf(line + 1)).replace(/\r?\n$/, '');
    return text.length <= MOST_LINE ? text : `${text.slice(0, MOST_LINE)}…`;
  }
}
