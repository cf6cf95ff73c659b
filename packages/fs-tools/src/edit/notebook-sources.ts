import { isUtf8 } from 'node:buffer';
import { ToolError } from '@jinn/core/errors';
import { isJsonList, type JsonMember, type JsonSpan, jsonMembersOf, jsonRootOf } from '@jinn/core/text';
import { countLineFeeds } from '@jinn/core/text/counted';
import { notebookCells, notebookFault } from '@jinn/syntax/notebook';
import type { FileState } from '@jinn/workspace';
import { toLatin1 } from '../read/text-content.ts';
import { HIDDEN, NAME_CELL } from './edit-errors.ts';

/** The number of a cell, from 1, or its id. */
export type CellName = number | string;

interface Cell {
  readonly id: unknown;
  readonly span: JsonSpan;
  /** Undefined if it cannot be edited. */
  readonly source: string | undefined;
  /** How many lines of `read_file` below the source belong to none. */
  readonly hidden: number;
  /** The number that `read_file` shows at the line where the source starts. */
  readonly firstLine: number;
}

/**
 * The sources of a notebook's cells, as text to edit. Writing them back changes no other byte of the file, and no line of
 * a source that stays. Strings hold bytes (latin1).
 */
export class Notebook {
  readonly cells: readonly Cell[];
  readonly #json: string;
  #spaces: Spaces | undefined;

  static read(content: Buffer, path: string): Notebook | undefined {
    if (!path.toLowerCase().endsWith('.ipynb')) return undefined;
    const json = content.toString();
    const shown = isUtf8(content) ? notebookCells(json) : undefined;
    return shown && new Notebook(json, shown);
  }

  private constructor(json: string, shown: readonly { readonly source: string; readonly tail: string }[]) {
    this.#json = json;
    let line = 1;
    this.cells = cellsOf(json).map((cell, i) => {
      const span = memberOf(json, cell, 'source') ?? cell;
      const source = sourceAt(json, span);
      const { source: lines = '', tail = '' } = shown[i] ?? {};
      // A blank line follows each cell. Below the last one, it keeps additions to the end of the file out of the cell.
      const below = `${source === undefined ? lines : ''}${tail}\n`;
      const id = memberOf(json, cell, 'id');
      const hidden = countLineFeeds(below);
      const one = { id: id && parseAt(json, id), span, source, hidden, firstLine: line + 1 };
      line += countLineFeeds(linesOf(one));
      return one;
    });
  }

  /** The lines that `read_file` shows, by number. Only those of sources have their text. */
  get lines(): string {
    return this.cells.map(linesOf).join('');
  }

  find(name: CellName, path: string): number {
    const byId = this.cells.findIndex(({ id }) => id === name);
    const number = byId >= 0 ? byId + 1 : Number(name);
    if (this.cells[number - 1]?.source !== undefined) return number;
    const what = `${path} has ${this.cells.length} cells, and no cell ${String(name).slice(0, 60)}`;
    throw new ToolError('invalid_args', what, { suggestion: 'read_file shows the numbers of the cells' });
  }

  /** Returns the whole file with other sources, in the order of the cells. */
  withSources(sources: readonly (string | undefined)[]): string {
    const parts: string[] = [];
    let at = 0;
    for (const [i, { span, source: before }] of this.cells.entries()) {
      const source = sources[i];
      if (source === undefined || source === before) continue;
      parts.push(this.#json.slice(at, span.start), this.#write(span, toText(source)));
      at = span.end;
    }
    return toLatin1(parts.join('') + this.#json.slice(at));
  }

  /** Returns the whole file for edited `lines`. Throws `invalid_args` if a line that belongs to no source changed. */
  withLines(lines: string, path: string): string {
    const [before, ...texts] = lines.split(HIDDEN);
    let next = 0;
    const sources = this.cells.map(({ source, hidden }) => {
      const [first = '', ...below] = texts.slice(next, next + 1 + hidden);
      next += 1 + hidden;
      const text = isOpen(source ?? '') ? first.slice(1).replace(/\r?\n$/, '') : first.slice(1);
      const isKept = first.startsWith('\n') && below.length === hidden && below.every((each) => each === '\n');
      if (!isKept || (source === undefined && text !== '')) throw beyondCells(path);
      return source === undefined ? undefined : text;
    });
    if (before !== '' || next !== texts.length) throw beyondCells(path);
    return this.withSources(sources);
  }

  /** Writes a source in the form that it has: unchanged items of a list keep their bytes. */
  #write(span: JsonSpan, value: string): string {
    const json = this.#json;
    if (!isJsonList(json, span)) return JSON.stringify(value);
    const items = [...jsonMembersOf(json, span)];
    const lines = value.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    const old = items.map((item) => toText(toLatin1(String(parseAt(json, item)))));
    const shorter = Math.min(old.length, lines.length);
    let [start, end] = [0, 0];
    while (start < shorter && old[start] === lines[start]) start++;
    while (end < shorter - start && old.at(-1 - end) === lines.at(-1 - end)) end++;
    const written = lines.map((line, i) => {
      const kept = i < start ? items[i] : i >= lines.length - end ? items[i + items.length - lines.length] : undefined;
      return kept ? json.slice(kept.start, kept.end) : JSON.stringify(line);
    });
    const { open, between, close } = this.#spacesLike(span);
    return written.length === 0 ? '[]' : `[${open}${written.join(between)}${close}]`;
  }

  /** Returns what is before, between and after the items of a list. If it has none, those of the first source that has. */
  #spacesLike(span: JsonSpan): Spaces {
    return spacesIn(this.#json, span) ?? this.#firstSpaces();
  }

  #firstSpaces(): Spaces {
    this.#spaces ??= this.cells.map(({ span }) => spacesIn(this.#json, span)).find(Boolean);
    this.#spaces ??= { open: '', between: ', ', close: '' };
    return this.#spaces;
  }
}

interface Spaces {
  readonly open: string;
  readonly between: string;
  readonly close: string;
}

function spacesIn(json: string, span: JsonSpan): Spaces | undefined {
  const [first, second, ...rest] = isJsonList(json, span) ? jsonMembersOf(json, span) : [];
  if (!first) return undefined;
  const open = json.slice(span.start + 1, first.start);
  const between = second ? json.slice(first.end, second.start) : `,${open}`;
  return { open, between, close: json.slice((rest.at(-1) ?? second ?? first).end, span.end - 1) };
}

/** Refuses to turn a notebook into a file that is none. Throws `invalid_args`. */
export function rejectBrokenNotebook({ path, asked, content }: FileState, after: Buffer): void {
  if (!content || !Notebook.read(content, path)) return;
  const fault = notebookFault(after.toString());
  if (fault === undefined || fault === notebookFault(content.toString())) return;
  throw new ToolError('invalid_args', `${asked} is a notebook, and the new content is not a valid one: ${fault}`, {
    suggestion:
      'send the whole notebook as JSON (nbformat 4), or change a cell: edit_file with cell (nothing was changed)',
  });
}

function linesOf({ source = '', hidden }: Pick<Cell, 'source' | 'hidden'>): string {
  return `${HIDDEN}\n${source}${isOpen(source) ? '\n' : ''}${`${HIDDEN}\n`.repeat(hidden)}`;
}

function isOpen(text: string): boolean {
  return text !== '' && !text.endsWith('\n');
}

function toText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

/** Returns the cells in the order of `read_file`, which numbers objects only. Those of nbformat 3 cannot be edited. */
function cellsOf(json: string): JsonMember[] {
  const cells = memberOf(json, jsonRootOf(json), 'cells');
  const all = cells && isJsonList(json, cells) ? [...jsonMembersOf(json, cells)] : [];
  return all.filter(({ start }) => json[start] === '{' || json[start] === '[');
}

function memberOf(json: string, object: JsonSpan, key: string): JsonMember | undefined {
  return [...jsonMembersOf(json, object)].findLast((member) => member.key === key);
}

function parseAt(json: string, { start, end }: JsonSpan): unknown {
  return JSON.parse(json.slice(start, end));
}

function sourceAt(json: string, span: JsonSpan): string | undefined {
  const value = parseAt(json, span);
  const lines: readonly unknown[] = Array.isArray(value) ? value : [value];
  const text = lines.every((line) => typeof line === 'string') ? lines.join('') : HIDDEN;
  return text.includes(HIDDEN) ? undefined : toLatin1(text);
}

function beyondCells(path: string): ToolError {
  return new ToolError('invalid_args', `${path} is a notebook, and this changes more than the sources of its cells`, {
    suggestion: NAME_CELL,
  });
}
