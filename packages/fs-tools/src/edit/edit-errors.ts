import type { Session } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { counted } from '@jinn/core/text/counted';
import { versionOf } from '@jinn/workspace';
import { offsetOfIndented } from '../match/find-indented.ts';
import { fuzzyView } from '../match/find-text.ts';
import { FOREIGN, nearestText } from '../match/nearest-text.ts';
import { lineAt } from '../read/text-content.ts';

/** In larger files a missing text is not looked for with other indentation. */
const MAX_HINT_BYTES = 1024 * 1024;

/** The text of a line of a notebook that belongs to no source. */
export const HIDDEN = '\0';
/** The next step after an edit that fits no cell, or several. */
export const NAME_CELL =
  'send lines that only one cell has, without JSON escapes. If edit_file takes cell, pass the number or id of the cell';

export interface Edit {
  /** The path as the caller wrote it, for messages. */
  readonly path: string;
  readonly old_text: string;
  readonly new_text: string;
  readonly fuzzy_indent?: boolean | undefined;
  readonly replace_all?: boolean | undefined;
  readonly expected_count?: number | undefined;
  readonly near_line?: number | undefined;
}

/** Makes the error for an empty old_text. `name` is where the edit is in the arguments. */
export function emptyOldText(name: string): ToolError {
  return new ToolError('old_text_empty', `${name}old_text cannot be empty`, {
    suggestion:
      'give the text to match. To insert at the start of a file, include its first line in old_text, and put the new text before it in new_text',
  });
}

export function noChange({ path }: Edit): ToolError {
  return new ToolError('edit_no_change', `edit produced no changes in ${path}`, {
    suggestion: 'old_text and new_text are equivalent, perhaps after fuzzy normalization. Check what should change',
  });
}

export function notFound({ path }: Edit, hint = '', next = 'read the file, then retry with the exact text'): ToolError {
  return new ToolError('edit_not_found', `old_text not found in ${path}${hint}`, { suggestion: next });
}

/**
 * Makes the error for a missing text: how many lines there are, what is nearest to the text, and how it can be sent.
 */
export function missed(bytes: string, before: string, edit: Edit): ToolError {
  const lines = lineAt(bytes, bytes.length) - (bytes === '' || bytes.endsWith('\n') ? 1 : 0);
  const isSmall = bytes.length <= MAX_HINT_BYTES;
  const indented = isSmall ? offsetOfIndented(bytes, { path: edit.path, before }) : undefined;
  const nearest = bytes === '' ? undefined : nearestText(bytes, before, indented);
  const size = counted(lines, 'line');
  if (!nearest) return notFound(edit, ` (${size})${bytes === '' ? '' : ': no line is like it'}`);
  const { line, text, diff, isWhole, isForeign, unseen } = nearest;
  const send = isWhole
    ? 'if these are the lines that you mean, send those marked + as old_text'
    : `read the file from line ${line}, then retry with the exact text`;
  const isOpen = isSmall && lacksLastBreak(bytes, before);
  const byPattern = isForeign
    ? `${FOREIGN}: send a part of line ${line} that is ASCII, or use search_replace, where . matches such a byte`
    : undefined;
  const sendOpen = isOpen ? 'send both texts without the line break at their end' : undefined;
  const sendIndented = indented !== undefined && `only the indentation differs: pass fuzzy_indent: true, or ${send}`;
  const next = byPattern ?? sendOpen ?? (sendIndented || send);
  const why = isOpen ? '. The file does not end in a line break, but old_text does' : '';
  const look = unseen === undefined ? why : `. The text looks the same, but ${unseen}`;
  const hint = ` (${size})${look}. Nearest match at line ${line}: ${JSON.stringify(text)} — did you mean this?\n${diff}`;
  return notFound(edit, hint, next);
}

function lacksLastBreak(bytes: string, before: string): boolean {
  if (!before.endsWith('\n') || /[\r\n]$/.test(bytes)) return false;
  return fuzzyView(bytes).text.endsWith(fuzzyView(before).text.slice(0, -1));
}

const MAX_LISTED = 10;
const LIMIT_MS = 1_000;

interface Places {
  /** The lines where the places start, from 1. Only the first ones are shown. */
  readonly lines: readonly number[];
  /** How many places there are, if another number was expected. */
  readonly count?: number | undefined;
  readonly symbols?: readonly (string | undefined)[];
}

/** Refuses a text that is in other places than was expected. */
export class NotUniqueError extends ToolError {
  readonly #what: string;
  readonly #places: Places;

  constructor(what: string, places: Places) {
    const { lines, count, symbols = [] } = places;
    const more = lines.length > MAX_LISTED ? ` ... and ${lines.length - MAX_LISTED} more` : '';
    const named = lines.slice(0, MAX_LISTED).map((line, i) => (symbols[i] ? `${line} in ${symbols[i]}` : line));
    const rule = count === undefined ? ' — must be unique' : '';
    super('edit_not_unique', `${what} (lines: ${named.join(', ')}${more})${rule}`, {
      suggestion:
        count === undefined
          ? 'choose one with near_line, or add more surrounding lines to old_text, or replace every place with replace_all'
          : `pass expected_count: ${count} if all of these are meant, or change old_text`,
    });
    this.#what = what;
    this.#places = places;
  }

  /** Returns the same refusal with the symbol around each line, if the file has symbols. */
  async withSymbols(session: Session, { path, content }: { path: string; content: Buffer }): Promise<ToolError> {
    const { createOutlines, isOutline, MAX_SOURCE_BYTES, namePathOf, symbolAtLine } = await import('@jinn/syntax');
    if (content.length > MAX_SOURCE_BYTES) return this;
    const source = { path, content, version: versionOf(content) };
    const outline = await session.use(createOutlines).read(source, { limitMs: LIMIT_MS });
    if (!isOutline(outline)) return this;
    const symbols = this.#places.lines.slice(0, MAX_LISTED).map((line) => {
      const symbol = symbolAtLine(outline, line);
      return symbol && namePathOf(outline, symbol);
    });
    return new NotUniqueError(this.#what, { ...this.#places, symbols });
  }
}
