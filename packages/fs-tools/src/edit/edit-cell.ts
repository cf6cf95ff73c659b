import { ToolError } from '@jinn/errors';
import { isJsonList, type JsonMember, type JsonSpan, jsonMembersOf, jsonRootOf } from '@jinn/text';
import { toSearchText } from '../match/find-text.ts';
import { type Edit, type EditedText, editText } from './edit-text.ts';

/** The number of a cell, from 1, or its id. */
export type CellName = number | string;

export interface EditedCell {
  /** The whole notebook after the edit, as bytes (latin1). */
  readonly bytes: string;
  /** The edit of the text of the cell. */
  readonly edited: EditedText;
  /** The name of the cell in messages. */
  readonly path: string;
}

/**
 * Edits the source of one cell of a notebook as text. The rest of the JSON keeps its bytes, and so do unchanged lines
 * of the cell. Throws as `editText` does, and `invalid_args` if it is not a cell.
 */
export function editCell(bytes: string, name: CellName, edit: Edit): EditedCell {
  const text = toText(bytes);
  const { source, number } = findSource(text, name, edit.path);
  const path = `${edit.path} cell ${number}`;
  const { items, value } = readSource(text, source);
  const edited = editText(toSearchText(toBytes(value)), { ...edit, path });
  const changed = writeSource(text, { source, items }, toText(edited.bytes));
  return { bytes: toBytes(text.slice(0, source.start) + changed + text.slice(source.end)), edited, path };
}

/** Returns the suggestion for a text that a notebook does not have: the only cell that holds it, if there is one. */
export function suggestCell(bytes: string, edit: Edit): string | undefined {
  if (!edit.path.toLowerCase().endsWith('.ipynb')) return undefined;
  let cells: readonly JsonMember[];
  try {
    cells = cellsOf(toText(bytes), edit.path);
  } catch {
    return undefined; // It is not a notebook, so it has no cells.
  }
  const holding = cells.flatMap((_, i) => (holds(bytes, i + 1, edit) ? [i + 1] : []));
  const cell = holding.length === 1 ? holding[0] : 'its number as read_file shows it';
  return `pass cell: ${cell}, and both texts as the lines of that cell: without it, the JSON of the notebook is edited`;
}

function holds(bytes: string, cell: number, edit: Edit): boolean {
  try {
    editCell(bytes, cell, edit);
    return true;
  } catch {
    return false;
  }
}

function toText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function cellsOf(text: string, path: string): JsonMember[] {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw noNotebook(path);
  }
  const cells = memberOf(text, jsonRootOf(text), 'cells');
  if (!cells || !isJsonList(text, cells)) throw noNotebook(path);
  // read_file numbers objects only.
  return [...jsonMembersOf(text, cells)].filter(({ start }) => text[start] === '{' || text[start] === '[');
}

function findSource(text: string, name: CellName, path: string): { source: JsonMember; number: number } {
  const cells = cellsOf(text, path);
  const byId = cells.findIndex((cell) => {
    const id = memberOf(text, cell, 'id');
    return id !== undefined && parseAt(text, id) === name;
  });
  const number = byId >= 0 ? byId + 1 : Number(name);
  const cell = cells[number - 1];
  const source = cell && memberOf(text, cell, 'source');
  if (source) return { source, number };
  throw new ToolError('invalid_args', `${path} has ${cells.length} cells, and no cell ${String(name).slice(0, 60)}`, {
    suggestion: 'read_file shows the numbers of the cells',
  });
}

/** Returns the last member with a key, which JSON.parse would return. */
function memberOf(text: string, object: JsonSpan, key: string): JsonMember | undefined {
  return [...jsonMembersOf(text, object)].findLast((member) => member.key === key);
}

function parseAt(text: string, { start, end }: JsonSpan): unknown {
  return JSON.parse(text.slice(start, end));
}

/** Reads a source, which is a string, or a list of lines: its items. */
function readSource(text: string, source: JsonMember): { items: readonly JsonMember[]; value: string } {
  const value = parseAt(text, source);
  if (!Array.isArray(value)) return { items: [], value: String(value) };
  return { items: [...jsonMembersOf(text, source)], value: value.join('') };
}

interface CellSource {
  readonly source: JsonMember;
  readonly items: readonly JsonMember[];
}

/** Writes a source in the form that it has: unchanged items of a list keep their bytes. */
function writeSource(text: string, { source, items }: CellSource, value: string): string {
  if (!isJsonList(text, source)) return JSON.stringify(value);
  const lines = value.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const old = items.map((item) => parseAt(text, item));
  const shorter = Math.min(old.length, lines.length);
  let [start, end] = [0, 0];
  while (start < shorter && old[start] === lines[start]) start++;
  while (end < shorter - start && old.at(-1 - end) === lines.at(-1 - end)) end++;
  const written = lines.map((line, i) => {
    const kept = i < start ? items[i] : i >= lines.length - end ? items[i + items.length - lines.length] : undefined;
    return kept ? text.slice(kept.start, kept.end) : JSON.stringify(line);
  });
  const { open, between, close } = spacesOf(text, { source, items });
  return written.length === 0 ? '[]' : `[${open}${written.join(between)}${close}]`;
}

/** Returns the blanks before, between and after the items of a list; a cell whose text was found has an item. */
function spacesOf(text: string, { source, items }: CellSource): { open: string; between: string; close: string } {
  const [first, second] = items as [JsonMember, JsonMember?];
  const open = text.slice(source.start + 1, first.start);
  const between = second ? text.slice(first.end, second.start) : `,${open}`;
  return { open, between, close: text.slice(items.at(-1)?.end, source.end - 1) };
}

function noNotebook(path: string): ToolError {
  return new ToolError('invalid_args', `${path} is not a notebook that has cells (nbformat 4)`, {
    suggestion: 'leave cell out to edit the file as text',
  });
}
