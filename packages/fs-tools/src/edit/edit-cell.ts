import { ToolError } from '@jinn/core/errors';
import { toSearchText } from '../match/find-text.ts';
import { type Edit, emptyOldText, noChange } from './edit-errors.ts';
import { type EditableText, type EditedText, editText } from './edit-text.ts';
import type { CellName } from './notebook-sources.ts';

export interface EditedCell {
  readonly content: Buffer;
  readonly edited: EditedText;
  readonly path: string;
}

/** Edits the source of one cell of a notebook. Throws as `editText` does, and `invalid_args` if it is not a cell. */
export function editCell({ notebook, encode }: EditableText, name: CellName, edit: Edit): EditedCell {
  if (!notebook)
    throw new ToolError('invalid_args', `${edit.path} is not a notebook that has cells`, {
      suggestion: 'leave cell out to edit the file as text',
    });
  const number = notebook.find(name, edit.path);
  const path = `${edit.path} cell ${number}`;
  const sources = notebook.cells.map(({ source }) => source);
  const source = sources[number - 1] ?? '';
  const edited =
    edit.old_text === '' ? fill(source, { ...edit, path }) : editText(toSearchText(source), { ...edit, path });
  sources[number - 1] = edited.bytes;
  return { content: encode(notebook.withSources(sources)), edited, path };
}

function fill(source: string, edit: Edit): EditedText {
  if (source !== '') throw emptyOldText('');
  if (edit.new_text === '') throw noChange(edit);
  const bytes = Buffer.from(edit.new_text).toString('latin1');
  return { bytes, places: [{ start: 0, end: 0, line: 1, splices: [{ start: 0, end: 0, bytes }] }] };
}
