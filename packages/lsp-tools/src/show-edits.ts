import type { FileEdit } from '@jinn/lsp';
import { type Told, toPart } from './show-locations.ts';

const MAX_LINES = 1_000;
const MAX_TEXT = 200;

/** What an edit does: each file with its edits, a blank line, and how many there are. */
export function tellEdits(edits: readonly FileEdit[]): Told | undefined {
  if (edits.length === 0) return undefined;
  const lines = edits.flatMap(showEdit);
  const count = edits.reduce((sum, edit) => sum + (edit.kind === 'change' ? edit.edits.length : 0), 0);
  const shown = toPart(lines.slice(0, MAX_LINES), lines.length);
  const { totalCount: _, ...told } = shown;
  return { ...told, text: `${told.text}\n\n${edits.length} file(s), ${count} edit(s) total` };
}

function showEdit(edit: FileEdit): string[] {
  switch (edit.kind) {
    case 'change': {
      const lines = edit.edits.map(({ range, newText }) => `  line ${range.start.line}: ${quote(newText)}`);
      return [`${edit.path}: ${lines.length} edit(s)`, ...lines];
    }
    case 'create':
      return [`${edit.path}: created`];
    case 'rename':
      return [`${edit.path}: renamed to ${edit.to}${edit.before === edit.after ? '' : ', and edited'}`];
    case 'delete':
      return [`${edit.path}: deleted`];
  }
}

function quote(text: string): string {
  return text.length > MAX_TEXT ? `${JSON.stringify(text.slice(0, MAX_TEXT))}…` : JSON.stringify(text);
}
