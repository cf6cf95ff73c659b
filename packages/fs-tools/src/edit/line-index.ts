import { ToolError } from '@jinn/core/errors';
import { findInOnePass, fuzzyView } from '../match/find-text.ts';

/** More lines than this take more memory than a call may have. */
const MAX_LINES = 3_000_000;
export const MARK = '\xef\xbb\xbf';

/**
 * The lines of a text (bytes as latin1), counted from 0. A line ends with `\n` or `\r\n`. A text without any `\n` has
 * lines that end with `\r`. It holds offsets only, since a file may have millions of lines.
 */
export class FileLines {
  readonly count: number;
  readonly mark: string;
  readonly #bytes: string;
  readonly #newline: string;
  /** Where each line starts. One more element for the end. */
  readonly #starts: Int32Array;

  /** Throws `resource_limit` for more than 3 million lines. With `keepsMark`, the first line has the byte order mark. */
  constructor(bytes: string, path: string, keepsMark = false) {
    this.#bytes = bytes;
    this.mark = bytes.startsWith(MARK) && !keepsMark ? MARK : '';
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

  text(line: number): string {
    return this.#bytes.slice(this.#starts[line], this.#textEnd(line));
  }

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
      if (++count > MAX_LINES)
        throw new ToolError(
          'resource_limit',
          `${path} has more than ${MAX_LINES} lines, too many to match line by line`,
          { suggestion: 'use edit_file with the exact text, or search_replace, for this file' },
        );
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

/** The ways to compare two lines, the strictest first. */
export const COMPARISONS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.slice(0, contentEnd(line)),
  trimBlanks,
  (line) => trimBlanks(/[\x80-\xff]/.test(line) ? fuzzyView(line).text : line),
];

/** The first comparison that ignores indentation. */
export const TRIMMED = 2;

/** Counts steps of work, and throws when there are more than a call may take. */
export type StepCounter = (steps: number) => void;

/** Finds runs of lines in a file. Only lines that someone will look for are indexed, each by a number. */
export class LineIndex {
  readonly #compare: (line: string) => string;
  readonly #spend: StepCounter;
  readonly #numbers = new Map<string, number>();
  /** The number of each line of the file, or -1 for one that no one looks for. */
  readonly #lines: Int32Array;
  /** The lines with number n are #places[#firsts[n]] up to #places[#firsts[n + 1]]. */
  readonly #places: Int32Array;
  readonly #firsts: Int32Array;

  constructor(file: FileLines, wanted: Iterable<string>, compare: (line: string) => string, spend: StepCounter) {
    this.#compare = compare;
    this.#spend = spend;
    for (const line of wanted) {
      const key = compare(line);
      if (!this.#numbers.has(key)) this.#numbers.set(key, this.#numbers.size);
    }
    this.#lines = Int32Array.from({ length: file.count }, (_, i) => this.#numberOf(file.text(i)));
    this.#firsts = new Int32Array(this.#numbers.size + 1);
    for (const number of this.#lines) if (number >= 0) this.#firsts[number + 1] = this.#countOf(number + 1) + 1;
    for (let n = 1; n < this.#firsts.length; n++) this.#firsts[n] = this.#countOf(n) + this.#countOf(n - 1);
    const next = this.#firsts.slice();
    this.#places = new Int32Array(this.#countOf(this.#numbers.size));
    this.#lines.forEach((number, at) => {
      if (number < 0) return;
      const slot = next[number] as number;
      this.#places[slot] = at;
      next[number] = slot + 1;
    });
  }

  /** Returns where a line is, in order. It must have been among the wanted ones. */
  placesOf(line: string): Int32Array {
    return this.#placesOf(this.#numberOf(line));
  }

  /** Finds where lines stand one below the other, in order. With `atEnd`, only at the end of the file. */
  find(lines: readonly string[], atEnd: boolean): number[] {
    this.#spend(lines.length);
    const numbers = Int32Array.from(lines, (line) => this.#numberOf(line));
    const last = this.#lines.length - numbers.length;
    if (last < 0) return [];
    if (atEnd) return this.#countEqual(numbers, last) === numbers.length ? [last] : [];
    let rarest = 0;
    numbers.forEach((number, i) => {
      if (this.#placesOf(number).length < this.#placesOf(numbers[rarest] as number).length) rarest = i;
    });
    return this.#findBy(numbers, rarest) ?? this.#findInOnePass(numbers);
  }

  #numberOf(line: string): number {
    return this.#numbers.get(this.#compare(line)) ?? -1;
  }

  #countOf(slot: number): number {
    return this.#firsts[slot] as number;
  }

  #placesOf(number: number): Int32Array {
    return number < 0 ? new Int32Array(0) : this.#places.subarray(this.#firsts[number], this.#firsts[number + 1]);
  }

  #countEqual(numbers: Int32Array, at: number): number {
    let count = 0;
    while (count < numbers.length && this.#lines[at + count] === numbers[count]) count++;
    return count;
  }

  /** Looks at each place of one of the lines. Returns undefined once one pass over the file costs less. */
  #findBy(numbers: Int32Array, rarest: number): number[] | undefined {
    const found: number[] = [];
    let steps = 0;
    for (const place of this.#placesOf(numbers[rarest] as number)) {
      const at = place - rarest;
      if (at < 0 || at + numbers.length > this.#lines.length) continue;
      const equal = this.#countEqual(numbers, at);
      if (equal === numbers.length) found.push(at);
      steps += equal + 1;
      if (steps > this.#lines.length + numbers.length) break;
    }
    this.#spend(steps);
    return steps > this.#lines.length + numbers.length ? undefined : found;
  }

  #findInOnePass(numbers: Int32Array): number[] {
    this.#spend(this.#lines.length + numbers.length);
    return findInOnePass(this.#lines, numbers);
  }
}

function trimBlanks(line: string): string {
  const end = contentEnd(line);
  let start = 0;
  while (start < end && isBlank(line, start)) start++;
  return line.slice(start, end);
}

function contentEnd(line: string): number {
  let end = line.length;
  while (end > 0 && isBlank(line, end - 1)) end--;
  return end;
}

function isBlank(line: string, at: number): boolean {
  const code = line.charCodeAt(at);
  return code === 32 || (code >= 9 && code <= 13);
}
