import { isUtf8 } from 'node:buffer';
import { differingRegion } from '@jinn/core/text/differing-region';
import { FILE_HEADERS_ONLY, formatPatch } from 'diff';
import { countLines, lineStarts, type Part } from '../read/text-content.ts';
import { diffLines, type LineChange } from './line-diff.ts';

const MAX_EDITS = 2_000;
/** More differing lines take more memory than a call may have. */
const MAX_LINES = 4_000_000;
const NO_FILE = '/dev/null';
/** The name that git has for empty content. */
const EMPTY_BLOB = 'e69de29';
/** `patch` ends a name at its first blank unless a tab follows it; git writes that tab. */
const NAME_WITH_SPACE = /^(?:---|\+\+\+) [^"\n]* [^\n]*$/gm;
const NO_NEWLINE = '\n\\ No newline at end of file\n';

export interface DiffSide {
  /** The name after `a/` or `b/`. */
  readonly path: string;
  readonly content: Buffer;
  /** True if there is no file on this side; its content is empty then. */
  readonly isMissing?: boolean;
}

export interface DiffOptions {
  /** Equal lines around each change. */
  readonly context: number;
  /** The most characters of text. */
  readonly maxLength: number;
  /** The search for the shortest diff is quadratic in its edits; beyond this many, another way is taken. */
  readonly maxEdits?: number;
}

export interface UnifiedDiff {
  /** A diff that `patch -p1` and `git apply` accept; empty if the sides are equal. Undefined if it is too long. */
  readonly text: string | undefined;
  /** The first line of the new side that differs, from 1; undefined if the contents are equal. */
  readonly firstChangedLine?: number;
  /** False if the text holds bytes that are not UTF-8, shown as U+FFFD: then the diff cannot be applied. */
  readonly isExact: boolean;
}

/**
 * Compares two contents line by line, as bytes: line endings, a missing final newline and bytes that are not UTF-8 all
 * count. It takes time and memory linear in the contents.
 */
export function unifiedDiff(before: DiffSide, after: DiffSide, options: DiffOptions): UnifiedDiff {
  if (before.content.equals(after.content)) return { text: emptyFile(before, after), isExact: true };
  const region = differingRegion(before.content, after.content, options.context);
  const [old, now] = [
    { content: before.content, start: region.start, end: before.content.length - region.tail },
    { content: after.content, start: region.start, end: after.content.length - region.tail },
  ];
  const line = 1 + countLines({ content: before.content, start: 0, end: region.start });
  const size = countLines(old) + countLines(now);
  if (size > MAX_LINES) return { text: undefined, isExact: false, firstChangedLine: line };
  const [first, second] = numberLines(old, now);
  const changes = diffLines(first.numbers, second.numbers, options.maxEdits ?? MAX_EDITS);
  const writer = new HunkWriter({ lines: first, content: before.content }, { lines: second, content: after.content });
  const body = writer.write(changes, { line, ...options });
  const firstChangedLine = line + (changes[0]?.otherStart ?? 0);
  if (body === undefined) return { text: undefined, isExact: false, firstChangedLine };
  const bytes = Buffer.from(body, 'latin1');
  return { text: header(before, after) + bytes.toString(), isExact: isUtf8(bytes), firstChangedLine };
}

function header(before: DiffSide, after: DiffSide): string {
  const patch = { ...namesOf(before, after), hunks: [] };
  return gitHeader(before, after) + formatPatch(patch, FILE_HEADERS_ONLY).replace(NAME_WITH_SPACE, '$&\t');
}

/** Returns the diff of equal contents: it says that an empty file is made or removed, or is empty. */
function emptyFile(before: DiffSide, after: DiffSide): string {
  const text = gitHeader(before, after);
  // `patch` removes an empty file only if the diff names its content.
  return text === '' ? '' : `${text}index ${before.isMissing ? `0000000..${EMPTY_BLOB}` : `${EMPTY_BLOB}..0000000`}\n`;
}

/** Returns the lines that say that a file is made or removed; empty if it is neither. */
function gitHeader(before: DiffSide, after: DiffSide): string {
  const [isCreate, isDelete] = [before.isMissing === true, after.isMissing === true];
  if (isCreate === isDelete) return '';
  return formatPatch({ ...namesOf(before, after), isGit: true, isCreate, isDelete, hunks: [] });
}

function namesOf(before: DiffSide, after: DiffSide) {
  return {
    oldFileName: before.isMissing ? NO_FILE : `a/${before.path}`,
    newFileName: after.isMissing ? NO_FILE : `b/${after.path}`,
    oldHeader: undefined,
    newHeader: undefined,
  };
}

interface Side {
  readonly lines: NumberedLines;
  readonly content: Buffer;
}

interface WriteOptions extends DiffOptions {
  /** The line of both sides where their regions begin, from 1. */
  readonly line: number;
}

class HunkWriter {
  readonly #old: Side;
  readonly #now: Side;
  #text = '';

  constructor(old: Side, now: Side) {
    this.#old = old;
    this.#now = now;
  }

  /** Writes the hunks as bytes (latin1); returns undefined if they are too long. */
  write(changes: readonly LineChange[], { context, line, maxLength }: WriteOptions): string | undefined {
    const count = this.#old.lines.numbers.length;
    for (let first = 0; first < changes.length; ) {
      let last = first;
      while (last + 1 < changes.length && gapAfter(changes, last) <= 2 * context) last++;
      const [head, tail] = [changes[first] as LineChange, changes[last] as LineChange];
      const before = Math.min(context, head.start);
      const after = Math.min(context, count - tail.end);
      const bytes = this.#bytesOf(head, tail);
      if (this.#text.length + bytes > maxLength) return undefined;
      this.#header(line, { head, tail, before, after });
      let next = head.start - before;
      for (const change of changes.slice(first, last + 1)) {
        this.#lines(' ', this.#old, next, change.start);
        this.#lines('-', this.#old, change.start, change.end);
        this.#lines('+', this.#now, change.otherStart, change.otherEnd);
        next = change.end;
      }
      this.#lines(' ', this.#old, next, tail.end + after);
      first = last + 1;
    }
    return this.#text.length > maxLength ? undefined : this.#text;
  }

  /** Returns a lower bound of the bytes in a hunk. */
  #bytesOf(head: LineChange, tail: LineChange): number {
    const range = ({ lines: { starts } }: Side, start: number, end: number) =>
      (starts[end] as number) - (starts[start] as number);
    return Math.max(range(this.#old, head.start, tail.end), range(this.#now, head.otherStart, tail.otherEnd));
  }

  #header(line: number, hunk: { head: LineChange; tail: LineChange; before: number; after: number }): void {
    const { head, tail, before, after } = hunk;
    const range = (start: number, end: number) => {
      const count = end - start + before + after;
      // A range without lines is named by the line before it.
      return `${line + start - before - (count === 0 ? 1 : 0)},${count}`;
    };
    this.#text += `@@ -${range(head.start, tail.end)} +${range(head.otherStart, tail.otherEnd)} @@\n`;
  }

  #lines(sign: string, { lines: { starts }, content }: Side, start: number, end: number): void {
    for (let line = start; line < end; line++) {
      const bytes = content.toString('latin1', starts[line], starts[line + 1]);
      this.#text += sign + (bytes.endsWith('\n') ? bytes : bytes + NO_NEWLINE);
    }
  }
}

function gapAfter(changes: readonly LineChange[], index: number): number {
  return (changes[index + 1] as LineChange).start - (changes[index] as LineChange).end;
}

/** A run of lines of a content, each as a number; equal lines have equal numbers. */
interface NumberedLines {
  readonly numbers: Int32Array;
  /** Where each line begins; one more element for the end. */
  readonly starts: Int32Array;
}

/** Gives numbers to the lines of two parts, by their bytes, in one pass. It holds offsets only. */
function numberLines(a: Part, b: Part): [NumberedLines, NumberedLines] {
  const [first, second] = [lineStarts(a), lineStarts(b)];
  const table = new LineTable(first.length + second.length);
  return [
    { numbers: table.numbersOf(a.content, first), starts: first },
    { numbers: table.numbersOf(b.content, second), starts: second },
  ];
}

/** A hash table of lines, with open addressing: a Map would hold a string for each line. */
class LineTable {
  readonly #slots: Int32Array;
  /** For each number, one line that has it. */
  readonly #contents: Buffer[] = [];
  readonly #ranges: Int32Array;
  #count = 0;

  constructor(lines: number) {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * lines + 2))).fill(-1);
    this.#ranges = new Int32Array(2 * lines);
  }

  numbersOf(content: Buffer, starts: Int32Array): Int32Array {
    const source = this.#contents.push(content) - 1;
    const numbers = new Int32Array(starts.length - 1);
    const firstOfSource = this.#count;
    for (let line = 0; line < numbers.length; line++) {
      const [start, end] = [starts[line] as number, starts[line + 1] as number];
      numbers[line] = this.#numberOf(content, start, end, source === 0 ? Number.MAX_SAFE_INTEGER : firstOfSource);
    }
    return numbers;
  }

  /** Returns the number of a line. Numbers below `firstOfSecond` are of lines in the first content. */
  #numberOf(content: Buffer, start: number, end: number, firstOfSecond: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(content, start, end) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] as number;
      if (number < 0) {
        this.#slots[slot] = this.#count;
        this.#ranges.set([start, end], 2 * this.#count);
        return this.#count++;
      }
      const known = this.#contents[number < firstOfSecond ? 0 : 1] as Buffer;
      const [from, to] = [this.#ranges[2 * number] as number, this.#ranges[2 * number + 1] as number];
      if (to - from === end - start && content.compare(known, from, to, start, end) === 0) return number;
    }
  }
}

/** Hashes a range of bytes with FNV-1a, with a last stir for the lower bits. */
function hashOf(content: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (content[at] as number), 0x01000193);
  return hash ^ (hash >>> 15);
}
