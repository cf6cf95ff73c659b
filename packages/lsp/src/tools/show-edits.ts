import type { FileEdit } from '../index.ts';
import { type ActionAnswer, toPart } from './show-locations.ts';

const MAX_LINES = 1_000;
const MAX_TEXT = 200;

/** Formats an edit: each file with its edits, a blank line, and how many there are. */
export function formatEdits(edits: readonly FileEdit[]): ActionAnswer | undefined {
  if (edits.length === 0) return undefined;
  const lines = edits.flatMap(showEdit);
  const count = edits.reduce((sum, edit) => sum + (edit.kind === 'change' ? edit.edits.length : 0), 0);
  const shown = toPart(lines.slice(0, MAX_LINES), lines.length);
  const { totalCount: _, ...told } = shown;
  return { ...told, text: `${told.text}\n\n${edits.length} file(s), ${count} edit(s) total` };
}

function showEdit(edit: FileEdit): string[] {
  switch (edit.kind) {
    case 'change':
      return [`${edit.path}: ${edit.edits.length} edit(s)`, ...showChange(edit)];
    case 'create':
      return [`${edit.path}: created`];
    case 'rename':
      return [`${edit.path}: renamed to ${edit.to}${edit.before === edit.after ? '' : ', and edited'}`];
    case 'delete':
      return [`${edit.path}: deleted`];
  }
}

function showChange({ before, after, edits }: Extract<FileEdit, { kind: 'change' }>): string[] {
  const [old, present] = [before, after].map((text) => text.split(/\r?\n/)) as [string[], string[]];
  let shift = 0;
  return hunksOf(edits).flatMap(({ from, to, added }) => {
    const first = from + shift;
    shift += added;
    const show = (sign: string, lines: readonly string[], [start, end]: readonly [number, number]) =>
      lines.slice(start - 1, end).map((line, i) => `  ${sign} ${start + i}: ${cut(line)}`);
    return [...show('-', old, [from, to]), ...show('+', present, [first, to + shift])];
  });
}

/** Joins edits of the same lines; `added` is the number of lines that they add. */
function hunksOf(edits: Extract<FileEdit, { kind: 'change' }>['edits']) {
  const hunks: { from: number; to: number; added: number }[] = [];
  for (const { range, newText } of edits) {
    const { start, end } = range;
    const added = newText.split('\n').length - 1 - (end.line - start.line);
    const last = hunks.at(-1);
    if (last && start.line <= last.to)
      Object.assign(last, { to: Math.max(last.to, end.line), added: last.added + added });
    else hunks.push({ from: start.line, to: end.line, added });
  }
  return hunks;
}

function cut(line: string): string {
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}
