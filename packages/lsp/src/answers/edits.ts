import { ToolError } from '@jinn/core/errors';
import { isObject } from '@jinn/core/text';
import type { Range } from 'vscode-languageserver-protocol';
import { locate, type PlaceRange, TextLines } from '../client/positions.ts';
import { scalarText } from '../client/server-requests.ts';
import { parseRange, type ServerCounting } from './locations.ts';

const MAX_FILES = 2_000;
const MAX_EDITS = 200_000;
const MAX_TEXT = 64 * 1024 * 1024;

/** Texts are without a byte order mark. Paths are relative to the root. */
export type FileEdit =
  | {
      readonly kind: 'change';
      readonly path: string;
      readonly before: string;
      readonly after: string;
      readonly edits: readonly TextChange[];
    }
  | { readonly kind: 'create'; readonly path: string; readonly after: string; readonly overwrite: boolean }
  | {
      readonly kind: 'rename';
      readonly path: string;
      readonly to: string;
      readonly overwrite: boolean;
      readonly before: string;
      readonly after: string;
    }
  | { readonly kind: 'delete'; readonly path: string; readonly recursive: boolean };

/** One replaced range, in the text before all edits. */
export interface TextChange {
  readonly range: PlaceRange;
  readonly newText: string;
}

export interface EditSource {
  readonly root: string;
  readonly counting: ServerCounting;
  /** The text that the server was shown, and its version if it is open. Throws ToolError if it may not be read. */
  shown(path: string): { readonly text: string; readonly isExact: boolean; readonly version?: number };
}

interface Draft {
  readonly path: string;
  readonly before: string | undefined;
  text: string;
  to: string;
  overwrite: boolean;
  isDeleted: boolean;
  isRecursive: boolean;
  changes: TextChange[];
}

/**
 * Plans a WorkspaceEdit. Throws `lsp_error` for ranges outside of the text, overlaps, other versions and unknown
 * operations, and `path_outside_sandbox` for a file outside of the workspace.
 */
export function planEdit(edit: unknown, source: EditSource): FileEdit[] {
  return new EditPlan(source).read(edit);
}

class EditPlan {
  readonly #source: EditSource;
  readonly #drafts = new Map<string, Draft>();
  #edits = 0;

  constructor(source: EditSource) {
    this.#source = source;
  }

  read(edit: unknown): FileEdit[] {
    if (!isObject(edit)) return [];
    this.#refuseConfirmation(edit['changeAnnotations']);
    const { changes, documentChanges } = edit;
    // A client that understands both takes only the second, as the protocol says.
    if (Array.isArray(documentChanges)) for (const change of documentChanges) this.#step(change);
    else if (isObject(changes)) for (const [uri, edits] of Object.entries(changes)) this.#change(uri, edits, undefined);
    else if ((changes ?? documentChanges ?? null) !== null) throw badEditError('an edit of an unknown form');
    return [...this.#drafts.values()].flatMap(toFileEdit);
  }

  #refuseConfirmation(annotations: unknown): void {
    const list = isObject(annotations) ? Object.values(annotations) : [];
    const asking = list.find((annotation) => isObject(annotation) && annotation['needsConfirmation'] === true);
    if (isObject(asking))
      throw badEditError(`an edit that a user must confirm: ${scalarText(asking['label']).slice(0, 200)}`);
  }

  #step(change: unknown): void {
    if (!isObject(change)) throw badEditError('an edit of an unknown form');
    const options = isObject(change['options']) ? change['options'] : {};
    const { kind, uri } = change;
    if (kind === undefined) this.#changeDocument(change);
    else if (kind === 'create') this.#create(scalarText(uri), options);
    else if (kind === 'rename') this.#rename(scalarText(change['oldUri']), scalarText(change['newUri']), options);
    else if (kind === 'delete') this.#delete(scalarText(uri), options);
    else throw badEditError(`an operation that is not known: ${scalarText(kind).slice(0, 50)}`);
  }

  #changeDocument({ textDocument, edits }: Record<string, unknown>): void {
    if (!isObject(textDocument)) throw badEditError('an edit of an unknown form');
    this.#change(scalarText(textDocument['uri']), edits, textDocument['version']);
  }

  #change(uri: string, list: unknown, version: unknown): void {
    const path = this.#locate(uri);
    const draft = this.#draftOf(path);
    if (draft.isDeleted) throw badEditError(`an edit of ${path}, which it deletes`);
    this.#rejectStale(draft, version);
    const { encoding, server } = this.#source.counting;
    const lines = new TextLines(draft.text, server.countsSeparators);
    const edits = this.#parse(list, path).map(({ range, newText }) => {
      const start = lines.offsetOf(range.start, encoding);
      const end = lines.offsetOf(range.end, encoding);
      if (start === undefined || end === undefined)
        throw badEditError(`an edit of ${path} whose range does not lie in the text`);
      return { start, end, newText, range: lines.placesOf(range, encoding) };
    });
    const sorted = withoutDoubles(edits, path);
    draft.changes = [...draft.changes, ...sorted.map(({ range, newText }) => ({ range, newText }))];
    draft.text = apply(draft.text, sorted);
    if (draft.text.length > MAX_TEXT) throw badEditError(`an edit that makes ${path} too large`);
  }

  #parse(list: unknown, path: string): { readonly range: Range; readonly newText: string }[] {
    if (!Array.isArray(list)) throw badEditError(`edits of ${path} of an unknown form`);
    this.#edits += list.length;
    if (this.#edits > MAX_EDITS) throw badEditError(`more than ${MAX_EDITS} edits`);
    return list.map((entry) => {
      const range = isObject(entry) ? parseRange(entry['range']) : undefined;
      const newText = isObject(entry) ? entry['newText'] : undefined;
      if (!range || typeof newText !== 'string') throw badEditError(`an edit of ${path} of an unknown form`);
      return { range, newText };
    });
  }

  /** Accepts version 0 and null: several servers send them for any document. */
  #rejectStale({ path, before, to }: Draft, version: unknown): void {
    const isAsShown = before !== undefined && to === path;
    const shown = isAsShown ? this.#source.shown(path).version : undefined;
    if (typeof version !== 'number' || version === 0 || shown === undefined || version === shown) return;
    throw new ToolError('stale_file', `${path} has changed since the server made the edit`, {
      suggestion: 'try again',
    });
  }

  #create(uri: string, { overwrite, ignoreIfExists }: Record<string, unknown>): void {
    const path = this.#locate(uri);
    const exists = this.#exists(path);
    if (exists && ignoreIfExists === true && overwrite !== true) return;
    if (exists && overwrite !== true) throw new ToolError('conflict', `the edit makes ${path}, which exists already`);
    this.#put({ path, before: undefined, overwrite: overwrite === true });
  }

  #rename(oldUri: string, newUri: string, { overwrite, ignoreIfExists }: Record<string, unknown>): void {
    const [from, to] = [this.#locate(oldUri), this.#locate(newUri)];
    const exists = this.#exists(to);
    if (exists && ignoreIfExists === true && overwrite !== true) return;
    if (exists && overwrite !== true)
      throw new ToolError('conflict', `the edit renames ${from} to ${to}, which exists`);
    const draft = this.#draftOf(from);
    draft.overwrite = overwrite === true;
    this.#drafts.delete(from);
    draft.to = to;
    this.#drafts.set(to, draft); // Later edits use the new name.
  }

  #delete(uri: string, { recursive, ignoreIfNotExists }: Record<string, unknown>): void {
    const path = this.#locate(uri);
    if (ignoreIfNotExists === true && !this.#exists(path)) return;
    const draft = recursive === true ? this.#put({ path, before: undefined, overwrite: false }) : this.#draftOf(path);
    draft.isDeleted = true;
    draft.isRecursive = recursive === true;
  }

  #exists(path: string): boolean {
    const draft = this.#drafts.get(path);
    if (draft) return !draft.isDeleted;
    try {
      this.#source.shown(path);
      return true;
    } catch (error) {
      if (error instanceof ToolError && error.code === 'file_not_found') return false;
      throw error;
    }
  }

  #draftOf(path: string): Draft {
    const known = this.#drafts.get(path);
    if (known) return known;
    const { text, isExact } = this.#source.shown(path);
    if (isExact) return this.#put({ path, before: text, overwrite: false });
    throw new ToolError('binary_file', `${path} is not UTF-8 text, so an edit of the server cannot be applied to it`);
  }

  #put({ path, before, overwrite }: { path: string; before: string | undefined; overwrite: boolean }): Draft {
    if (this.#drafts.size >= MAX_FILES) throw badEditError(`an edit of more than ${MAX_FILES} files`);
    const text = before ?? '';
    const draft = { path, before, text, to: path, overwrite, isDeleted: false, isRecursive: false, changes: [] };
    this.#drafts.set(path, draft);
    return draft;
  }

  #locate(uri: string): string {
    const located = locate(this.#source.root, uri);
    if ('path' in located && located.path !== '.') return located.path;
    const name = 'path' in located ? 'the workspace itself' : located.outside;
    throw new ToolError('path_outside_sandbox', `blocked: the edit would change ${name}, outside of the workspace`);
  }
}

interface PlacedEdit {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
  readonly range: PlaceRange;
}

function withoutDoubles(edits: readonly PlacedEdit[], path: string): PlacedEdit[] {
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  return sorted.filter((edit, i) => {
    const before = sorted[i - 1];
    if (!before) return true;
    const isInsert = edit.start === edit.end;
    const isSame = before.start === edit.start && before.end === edit.end;
    if (isSame && !isInsert && before.newText === edit.newText) return false;
    if (before.end > edit.start || (isSame && !isInsert)) throw badEditError(`edits of ${path} that overlap`);
    return true;
  });
}

function apply(text: string, edits: readonly PlacedEdit[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, newText } of edits) {
    result += text.slice(at, start) + newText;
    at = end;
  }
  return result + text.slice(at);
}

function toFileEdit({ path, before, text, to, overwrite, isDeleted, isRecursive, changes }: Draft): FileEdit[] {
  if (isDeleted) return [{ kind: 'delete', path, recursive: isRecursive }];
  if (before === undefined) return [{ kind: 'create', path: to, after: text, overwrite }];
  if (to !== path) return [{ kind: 'rename', path, to, overwrite, before, after: text }];
  return before === text ? [] : [{ kind: 'change', path, before, after: text, edits: changes }];
}

function badEditError(what: string): ToolError {
  return new ToolError('lsp_error', `the server sent ${what} (nothing was changed)`, {
    suggestion: 'make the change with edit_file instead',
  });
}
