import type { Edit, EditedText } from './edit-text.ts';
import { createLineCounter } from './newlines.ts';

const MAX_CONTEXT_LINES = 200;
const MAX_TOLD_PLACES = 10;

/** Says in a line where an edit was made, and shows the lines around it if they are asked for. */
export function formatEdit(edit: Edit, edited: EditedText, showContext: number): string {
  const { places, fuzzyMatch } = edited;
  const lines = places.slice(0, MAX_TOLD_PLACES).map(({ line }) => line);
  const more = places.length > lines.length ? ', …' : '';
  const count = places.length === 1 ? countLines(edit) : `${places.length} places`;
  const fuzzy =
    fuzzyMatch === undefined ? '' : ` (fuzzy match: ${fuzzyMatch.how})\nwhat stood there:\n${fuzzyMatch.stood}`;
  const context = showContext > 0 ? `\n--- context ---\n${contextOf(edited, showContext)}` : '';
  return `${edit.path}:${lines.join(', ')}${more} (${count})${fuzzy}${context}`;
}

/** Words how many lines an edit touched, and how many these are now if that differs. */
function countLines({ old_text, new_text }: Edit): string {
  const isWhole = /[\r\n]$/.test(old_text) && (new_text === '' || /[\r\n]$/.test(new_text));
  const [before, after] = [old_text, new_text].map((text) => {
    const ends = text.match(/\r\n?|\n/g)?.length ?? 0;
    return isWhole ? ends : ends + 1;
  });
  return `${before} ${before === 1 ? 'line' : 'lines'}${after === before ? '' : `, now ${after}`}`;
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
