import { ToolError } from '@jinn/core/errors';

/** More lines than this take more memory than a call may have. */
const MAX_LINES = 3_000_000;
const MARK = '\xef\xbb\xbf';

/**
 * The lines of a text (bytes as latin1), counted from 0. A line ends with `\n` or `\r\n`; a text without any `\n` has
 * lines that end with `\r`. It holds offsets only, since a file may have millions of lines.
 */
export class FileLines {
  readonly count: number;
  /** A byte order mark, or nothing. */
  readonly mark: string;
  readonly #bytes: string;
  readonly #newline: string;
  /** Where each line begins; one more element for the end. */
  readonly #starts: Int32Array;

  /** Throws `resource_limit` for a text of more than 3 million lines; `path` is for the message. */
  constructor(bytes: string, path: string) {
    this.#bytes = bytes;
    this.mark = bytes.startsWith(MARK) ? MARK : '';
    this.#newline = bytes.includes('\n') ? '\n' : '\r';
    this.count = this.#countLines(path);
    this.#starts = new Int32Array(this.count + 1);
    let at = this.mark.length;
    for (let line = 0; line < this.count; line++) {
      this.#starts[line] = at;
      at = bytes.indexOf(this.#newline, at) + 1;
    }
    this.#starts[this.count] = bytes.length;
  }

  /** Returns a line without its ending. */
  text(line: number): string {
    return this.#bytes.slice(this.#starts[line], this.#textEnd(line));
  }

  /** Returns the ending of a line; empty for a last line without one. */
  ending(line: number): string {
    return this.#bytes.slice(this.#textEnd(line), this.#starts[line + 1]);
  }

  /** Returns the bytes of the lines from `start` up to `end`, which is not among them. */
  bytes(start: number, end: number): string {
    return this.#bytes.slice(this.#starts[start], this.#starts[end]);
  }

  #countLines(path: string): number {
    const { length } = this.mark;
    let count = 0;
    for (
      let at = this.#bytes.indexOf(this.#newline, length);
      at >= 0;
      at = this.#bytes.indexOf(this.#newline, at + 1)
    ) {
      if (++count > MAX_LINES) throw tooManyLines(path);
    }
    const isOpen = this.#bytes.length > length && !this.#bytes.endsWith(this.#newline);
    return isOpen ? count + 1 : count;
  }

  #textEnd(line: number): number {
    const [start, end] = [this.#starts[line] as number, this.#starts[line + 1] as number];
    if (end === start || this.#bytes[end - 1] !== this.#newline) return end;
    const isCrlf = this.#newline === '\n' && end - 1 > start && this.#bytes[end - 2] === '\r';
    return end - (isCrlf ? 2 : 1);
  }
}

function tooManyLines(path: string): ToolError {
  return new ToolError('resource_limit', `${path} has more than ${MAX_LINES} lines, too many to match line by line`, {
    suggestion: 'use edit_file with the exact text, or search_replace, for this file',
  });
}
