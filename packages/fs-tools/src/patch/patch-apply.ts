import type { FileLines } from '../edit/line-index.ts';
import { carryOver } from './carry-over.ts';
import { conflict, type PlacedHunk, placeHunks } from './patch-place.ts';
import type { Hunk, HunkLine } from './patch-text.ts';

const EXACTLY = 'send the hunk with the indentation that the file has';

/** The difference that each of the comparisons ignores. */
const DIFFERENCES = ['', 'blanks at line ends', 'indentation', 'quotes, dashes or spaces'];
const MAX_NOTES = 5;

export interface PatchedText {
  readonly bytes: string;
  readonly notes: readonly string[];
}

/**
 * Applies hunks to a text (bytes as latin1). Lines that a hunk keeps do not change in the file, endings included. The
 * text ends with a line ending if it did before. `ending` is for a file that has none yet. Throws `patch_conflict`.
 */
export function applyHunks(path: string, bytes: string, hunks: readonly Hunk[], ending: string): PatchedText {
  const { lines: file, placed } = placeHunks(path, bytes, hunks);
  const output = new LineWriter((file.count > 0 && file.ending(0)) || ending);
  const notes: string[] = [];
  let next = 0;
  for (const place of placed) {
    const { hunk, start, end } = place;
    const hunkError = (why: string) =>
      conflict(`update ${path}: the hunk at line ${hunk.at} of the patch ${why}`, EXACTLY);
    const lines = carryOver({ lines: hunk.lines, file, start }, hunkError);
    if (place.comparison > 0 || place.chosenOf !== undefined) notes.push(describe(place, lines));
    output.keep(file, next, start);
    replaceLines(output, file, { lines, start, end });
    next = end;
  }
  output.keep(file, next, file.count);
  const last = placed.at(-1);
  const isOpen = last?.end === file.count ? last.hunk.isOpen : undefined;
  const hadEnding = file.count === 0 || file.ending(file.count - 1) !== '';
  const more = notes.length > MAX_NOTES ? [`and ${notes.length - MAX_NOTES} more hunks`] : [];
  return {
    bytes: file.mark + output.finish(isOpen === undefined ? hadEnding : !isOpen),
    notes: [...notes.slice(0, MAX_NOTES), ...more],
  };
}

function describe({ hunk, start, comparison, chosenOf }: PlacedHunk, written: readonly HunkLine[]): string {
  const nearest = chosenOf === undefined ? '' : ` is the nearest of ${chosenOf} places to the numbers of its @@`;
  if (comparison === 0) return `line ${start + 1}${nearest}`;
  const sent = new Set(hunk.lines.map(({ text }) => text));
  const isIndented = written.some(({ sign, text }) => sign === '+' && !sent.has(text));
  const indented = isIndented ? ', and the added lines were indented like the file' : '';
  return `line ${start + 1}${nearest && `${nearest}, and`} matched with other ${DIFFERENCES[comparison]}${indented}`;
}

/** Added lines take the ending of the line before them, or of the first one that the hunk replaces. */
function replaceLines(
  output: LineWriter,
  file: FileLines,
  { lines, start, end }: { lines: readonly HunkLine[]; start: number; end: number },
): void {
  let ending = (start > 0 && file.ending(start - 1)) || (start < end ? file.ending(start) : '');
  let next = start;
  for (const { sign, text } of lines) {
    if (sign === '+') {
      output.add(text, ending);
      continue;
    }
    ending = file.ending(next) || ending;
    if (sign === ' ') output.keep(file, next, next + 1);
    next++;
  }
}

/** Joins lines. A line without an ending gets that of the line before it when another one follows. */
class LineWriter {
  readonly #parts: string[] = [];
  #usual: string;
  #isOpen = false;

  constructor(usual: string) {
    this.#usual = usual;
  }

  add(text: string, ending: string): void {
    this.#close();
    this.#parts.push(text, ending);
    this.#isOpen = ending === '';
    if (ending !== '') this.#usual = ending;
  }

  keep(lines: FileLines, start: number, end: number): void {
    if (start >= end) return;
    this.#close();
    this.#parts.push(lines.bytes(start, end));
    const ending = lines.ending(end - 1);
    this.#isOpen = ending === '';
    this.#usual = ending || (end - start > 1 && lines.ending(end - 2)) || this.#usual;
  }

  finish(withEnding: boolean): string {
    if (withEnding) this.#close();
    const text = this.#parts.join('');
    return withEnding || this.#isOpen ? text : text.replace(/(\r\n|\n|\r)$/, '');
  }

  #close(): void {
    if (this.#isOpen) this.#parts.push(this.#usual);
    this.#isOpen = false;
  }
}
