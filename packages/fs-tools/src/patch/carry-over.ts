import type { ToolError } from '@jinn/core/errors';
import { diffLines } from '../diff/line-diff.ts';
import type { FileLines } from '../edit/file-lines.ts';
import { createIndentMap, indentOf, indentUnitOf, isBlankLine } from '../edit/indentation.ts';
import type { HunkLine } from './patch-text.ts';

const MAX_EDITS = 100;
/** How many lines around a place are searched for its indentation. */
const NEAR_LINES = 1_000;
const MAX_SHOWN_LINES = 6;
const MAX_SHOWN = 200;

/** The lines of a caller, and the place of those that are kept or removed. */
export interface PlacedLines {
  readonly lines: readonly HunkLine[];
  readonly file: FileLines;
  /** The first of the found lines, from 0. */
  readonly start: number;
}

/**
 * Returns lines in the form in which they are written at their place: a line that is removed and added again is kept,
 * and an added line gets the indentation of the lines in the file. Throws the error that `refuse` makes of a reason if
 * these do not show it.
 */
export function carryOver(placed: PlacedLines, refuse: (why: string) => ToolError): HunkLine[] {
  const kept = keepEqual(placed.lines);
  const indentation = toIndentMap({ ...placed, lines: kept });
  return kept.map((line) => {
    if (line.sign !== '+') return line;
    const sent = indentOf(line.text);
    const stands = indentation(sent);
    if (stands === sent) return line;
    if (isBlankLine(line.text)) return { sign: '+', text: '' };
    if (stands === undefined) throw refuse(describeMismatch(line.text, { ...placed, lines: kept }));
    return { sign: '+', text: stands + line.text.slice(sent.length) };
  });
}

function toIndentMap({ lines, file, start }: PlacedLines): (sent: string) => string | undefined {
  const found = lines.filter(({ sign }) => sign !== '+').map(({ text }, i) => ({ text, stands: file.text(start + i) }));
  const pairs = found
    .filter(({ text }) => !isBlankLine(text))
    .map(({ text, stands }) => ({ sent: indentOf(text), stands: indentOf(stands) }));
  return createIndentMap(pairs, () => ({
    sent: indentUnitOf(lines.map(({ text }) => text)),
    stands: indentUnitOf(linesAround(file, start, start + found.length)),
  }));
}

function* linesAround(file: FileLines, start: number, end: number): Iterable<string> {
  const last = Math.min(file.count, end + NEAR_LINES);
  for (let line = Math.max(0, start - NEAR_LINES); line < last; line++) yield file.text(line);
}

/** Turns lines that are removed and added again, in the same order, into kept ones. */
function keepEqual(lines: readonly HunkLine[]): HunkLine[] {
  const result: HunkLine[] = [];
  let changed: HunkLine[] = [];
  for (const line of lines) {
    if (line.sign !== ' ') changed.push(line);
    else {
      for (const each of pairEqual(changed)) result.push(each);
      result.push(line);
      changed = [];
    }
  }
  return result.concat(pairEqual(changed));
}

/** Turns lines that are removed and added again, in the same order, into kept ones, in a run without kept lines. */
function pairEqual(lines: readonly HunkLine[]): readonly HunkLine[] {
  const removed = lines.filter(({ sign }) => sign === '-');
  const added = lines.filter(({ sign }) => sign === '+');
  if (removed.length === 0 || added.length === 0) return lines;
  const numbers = new Map(lines.map(({ text }, i) => [text, i]));
  const [before, after] = [removed, added].map((some) =>
    Int32Array.from(some, ({ text }) => numbers.get(text) as number),
  );
  const parts: HunkLine[][] = [];
  let next = 0;
  const keepUpTo = (end: number) => parts.push(removed.slice(next, end).map(({ text }) => ({ sign: ' ', text })));
  for (const change of diffLines(before as Int32Array, after as Int32Array, MAX_EDITS)) {
    keepUpTo(change.start);
    parts.push(removed.slice(change.start, change.end), added.slice(change.otherStart, change.otherEnd));
    next = change.end;
  }
  keepUpTo(removed.length);
  return parts.flat();
}

function describeMismatch(line: string, { lines, file, start }: PlacedLines): string {
  const count = lines.filter(({ sign }) => sign !== '+').length;
  const last = Math.min(start + count, start + MAX_SHOWN_LINES);
  const there = Array.from({ length: last - start }, (_, i) => show(file.text(start + i)));
  return (
    `matches with other indentation, which does not tell how to indent ${JSON.stringify(show(line))}. ` +
    `The file has at line ${start + 1}:\n${there.join('\n')}`
  );
}

function show(line: string): string {
  const text = Buffer.from(line.slice(0, 4 * MAX_SHOWN), 'latin1').toString();
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
