import type { FileLines } from './file-lines.ts';
import type { Hunk, HunkLine } from './patch-parse.ts';
import { type Placed, placeHunks } from './patch-place.ts';

/**
 * Applies hunks to a text (bytes as latin1). Lines that a hunk keeps stay what they are in the file, endings and all.
 * The text ends with a line ending if it did before. `ending` is for a file that has none yet. Throws `patch_conflict`.
 */
export function applyHunks(path: string, bytes: string, hunks: readonly Hunk[], ending: string): string {
  const { lines, placed } = placeHunks(path, bytes, hunks);
  const output = new LineWriter(firstEnding(lines) || ending);
  let next = 0;
  for (const { hunk, start, end } of placed) {
    output.keep(lines, next, start);
    replaceLines(output, lines, { hunk, start, end });
    next = end;
  }
  output.keep(lines, next, lines.count);
  const hadEnding = lines.count === 0 || lines.ending(lines.count - 1) !== '';
  return lines.mark + output.finish(hadEnding);
}

function firstEnding(lines: FileLines): string {
  return lines.count > 0 ? lines.ending(0) : '';
}

/** Added lines take the ending of the line before them, or of the first one that the hunk replaces. */
function replaceLines(output: LineWriter, lines: FileLines, { hunk, start, end }: Placed): void {
  let ending = (start > 0 && lines.ending(start - 1)) || (start < end ? lines.ending(start) : '');
  let next = start;
  for (const { sign, text } of hunk.lines as readonly HunkLine[]) {
    if (sign === '+') {
      output.add(text, ending);
      continue;
    }
    ending = lines.ending(next) || ending;
    if (sign === ' ') output.keep(lines, next, next + 1);
    next++;
  }
}

/** Joins lines. A line without an ending gets that of the line before it as soon as another one follows. */
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
