import { ToolError } from '@jinn/core';
import { type Edit, type EditedText, editText } from './edit-text.ts';
import { createLineCounter } from './line-counter.ts';

const SNIFF_BYTES = 512;
const MAX_CONTEXT_LINES = 200;

/** Edits the content of a file; undefined is a file that is not there. */
export function editContent(content: Buffer | undefined, edit: Edit): EditedText {
  if (edit.old_text === '') return editText('', edit);
  if (content === undefined) {
    throw new ToolError('file_not_found', `file not found: ${edit.path}`, {
      suggestion: 'check the path with list_dir, or make the file with write_file',
    });
  }
  if (content.subarray(0, SNIFF_BYTES).includes(0)) {
    throw new ToolError('binary_file', `binary file: ${edit.path}`, { suggestion: 'edit text files only' });
  }
  return editText(content.toString('latin1'), edit);
}

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
    fuzzyMatch === undefined ? '' : ` (fuzzy match: normalized whitespace/quotes)\nwhat stood there:\n${fuzzyMatch}`;
  const context = showContext > 0 ? `\n--- context ---\n${contextOf(edited, showContext)}` : '';
  return `edited ${edit.path}: ${where}${fuzzy}${context}`;
}

function linesIn(text: string): number {
  return text.replace(/\r\n?/g, '\n').split('\n').length;
}

/** Lines of the text after the edit, from before its first change to behind its last, changed ones with a star. */
function contextOf({ bytes, places }: EditedText, around: number): string {
  const changed = changedRanges(bytes, places);
  const [first, last] = [changed[0]?.first ?? 1, changed.at(-1)?.last ?? 1];
  const lines = bytes.split('\n');
  if (bytes.endsWith('\n')) lines.pop();
  const from = Math.max(1, first - around);
  const to = Math.min(lines.length, last + around, from + MAX_CONTEXT_LINES);
  const width = String(to).length;
  return lines
    .slice(from - 1, to)
    .map((line, i) => {
      const number = from + i;
      const mark = changed.some((range) => number >= range.first && number <= range.last) ? '* ' : ' ';
      return `${String(number).padStart(width)}${mark}| ${Buffer.from(line.replace(/\r$/, ''), 'latin1')}`;
    })
    .join('\n');
}

function changedRanges(bytes: string, places: EditedText['places']): { first: number; last: number }[] {
  const lineOf = createLineCounter(bytes);
  let shift = 0;
  return places.flatMap(({ splices }) =>
    splices.map(({ start, end, bytes: text }) => {
      const at = start + shift;
      shift += text.length - (end - start);
      return { first: lineOf(at), last: lineOf(Math.max(at, at + text.length - 1)) };
    }),
  );
}
