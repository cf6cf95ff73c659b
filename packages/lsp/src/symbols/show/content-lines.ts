import type { PlaceRange } from '../../index.ts';

const WORD = /^[@#$]?[\p{ID_Start}_$][\p{ID_Continue}$]*[!?]?$/u;
const PART = /[\p{ID_Continue}$]/u;
const ASCII = /^[\0-\x7f]*$/;
const MOST_LINE = 300;
const BOM = Buffer.from('\ufeff');

/** The lines of a file's content. Lines and columns count from 1. Columns count characters, without a byte order mark. */
export class ContentLines {
  readonly #content: Buffer;
  readonly #starts: number[] = [0];

  constructor(content: Buffer) {
    this.#content = content;
    for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) this.#starts.push(at + 1);
  }

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

  /** The end of the line for a column after it. */
  byteOf(line: number, column: number): number {
    const start = this.#textStart(line);
    const characters = [...this.#content.toString('utf8', start, this.startOf(line + 1))];
    return start + Buffer.byteLength(characters.slice(0, column - 1).join(''));
  }

  /** The end of the content for a line after the last. */
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

  /** Cut to 300 characters. */
  text(line: number): string {
    const text = this.#content.toString('utf8', this.startOf(line), this.startOf(line + 1)).replace(/\r?\n$/, '');
    return text.length <= MOST_LINE ? text : `${text.slice(0, MOST_LINE)}…`;
  }
}

/** Returns the identifier that a range covers, or undefined for a part of one, several, or none. */
export function wordOf(line: string, { start, end }: PlaceRange): string | undefined {
  if (start.line !== end.line) return undefined;
  const characters = ASCII.test(line) ? line : [...line];
  const covered = characters.slice(start.character - 1, end.character - 1);
  const word = typeof covered === 'string' ? covered : covered.join('');
  const isCut = [characters[start.character - 2], characters[end.character - 1]].some((next) => PART.test(next ?? ''));
  return WORD.test(word) && !isCut ? word : undefined;
}
