import type { Edit, EditedText } from './edit-text.ts';
import { createLineCounter } from './newlines.ts';

const MAX_CONTEXT_LINES = 200;

/** What was done, in the words of the page, and the lines around it if they are asked for. */
export function tellEdit(edit: Edit, edited: EditedText, showContext: number): string {
  const { places, fuzzyMatch } = edited;
  const [first] = places;
  const [before, after] = [linesIn(edit.old_text), linesIn(edit.new_text)];
  const where =
    places.length === 1 && first
      ? `lines ${first.line}-${first.line + before - 1} (${before} lines) replaced with ${after} lines`
      : `${places.length} places replaced, at lines ${places
          .slice(0, 10)
          .map(({ line }) => line)
          .join(', ')}${places.length > 10 ? ', …' : ''}`;
  const fuzzy =
    fuzzyMatch === undefined ? '' : ` (fuzzy match: ${fuzzyMatch.how})\nwhat stood there:\n${fuzzyMatch.stood}`;
  const context = showContext > 0 ? `\n--- context ---\n${contextOf(edited, showContext)}` : '';
  return `edited ${edit.path}: ${where}${fuzzy}${context}`;
}

function linesIn(text: string): number {
  return text.replace(/\r\n?/g, '\n').split('\n').length;
}

/** Lines of the text after the edit, from before its first change to behind its last; a star marks those that changed. */
function contextOf({ bytes, places }: EditedText, around: number): string {
  const changed = changedRanges(bytes, places);
  const [first, last] = [changed[0], changed.at(-1)];
  if (!first || !last) return '';
  let start = lineStart(bytes, first.at);
  let from = first.first;
  for (; start > 0 && from > first.first - around; from--) start = lineStart(bytes, start - 1);
  const lines = linesFrom(bytes, start, Math.min(last.last + around - from + 1, MAX_CONTEXT_LINES + 1));
  const width = String(from + lines.length - 1).length;
  return lines
    .map((line, i) => {
      const number = from + i;
      const mark = changed.some((range) => number >= range.first && number <= range.last) ? '* ' : ' ';
      return `${String(number).padStart(width)}${mark}| ${Buffer.from(line.replace(/\r$/, ''), 'latin1')}`;
    })
    .join('\n');
}

/** Returns the offset at which the line with the byte at `at` begins. */
function lineStart(bytes: string, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf('\n', at - 1) + 1;
}

function linesFrom(bytes: string, start: number, count: number): string[] {
  const lines: string[] = [];
  for (let at = start; at < bytes.length && lines.length < count; ) {
    const newline = bytes.indexOf('\n', at);
    const end = newline < 0 ? bytes.length : newline;
    lines.push(bytes.slice(at, end));
    at = end + 1;
  }
  return lines;
}

interface ChangedRange {
  /** The offset where it begins. */
  readonly at: number;
  /** Lines, from 1. */
  readonly first: number;
  readonly last: number;
}

function changedRanges(bytes: string, places: EditedText['places']): ChangedRange[] {
  const lineOf = createLineCounter(bytes);
  let shift = 0;
  return places.flatMap(({ splices }) =>
    splices.map(({ start, end, bytes: text }) => {
      const at = start + shift;
      shift += text.length - (end - start);
      return { at, first: lineOf(at), last: lineOf(Math.max(at, at + text.length - 1)) };
    }),
  );
}
