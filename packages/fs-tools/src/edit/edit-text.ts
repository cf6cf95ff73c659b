import { ToolError } from '@jinn/core/errors';
import { counted, firstWhere } from '@jinn/core/text/counted';
import { type FileState, isBinary, SNIFF_BYTES } from '@jinn/workspace';
import { type CharsetContext, findCharset } from '@jinn/workspace/find-charset';
import { diffArrays } from 'diff/lib/diff/array.js';
import { findIndented } from '../match/find-indented.ts';
import { apart, type FoundText, findText, fuzzyView, type SearchText, toSearchText } from '../match/find-text.ts';
import { indentLike, isIndentedLike, showBytes } from '../patch/carry-over.ts';
import {
  createEndingFinder,
  createLineCounter,
  kindOfFile,
  nearestLine,
  notText,
  rejectLoneSurrogates,
} from '../read/text-content.ts';
import {
  type Edit,
  emptyOldText,
  HIDDEN,
  missed,
  NAME_CELL,
  NotUniqueError,
  noChange,
  notFound,
} from './edit-errors.ts';
import type { Notebook } from './notebook-sources.ts';

const MAX_SHOWN = 500;
/** How far back the start of a line is looked for, for its indentation. */
const MAX_INDENTED_BYTES = 4_096;

interface EditedPlace {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly splices: readonly Splice[];
}

export interface EditedText {
  readonly bytes: string;
  readonly places: readonly EditedPlace[];
  /** What was there, and the differences that were ignored, if it was not exactly the requested text. */
  readonly fuzzyMatch?: { readonly stood: string; readonly how: string };
}

const AS_WRITTEN = 'normalized whitespace/quotes';
const UNNUMBERED = 'without the line numbers of read_file';
const INDENTED = 'other indentation, which new_text was given';

/**
 * Replaces a text. Only the differences between old and new text are written. Throws `old_text_empty`,
 * `edit_no_change`, `edit_not_found` or `edit_not_unique`. `withHint` false omits what is nearest to a text that
 * is not there.
 */
export function editText(text: SearchText, edit: Edit, withHint = true): EditedText {
  const { bytes } = text;
  const hasMark = bytes.startsWith('\xef\xbb\xbf');
  const before = toBytes(edit.old_text, hasMark);
  const after = toBytes(edit.new_text, hasMark);
  if (before === '') throw emptyOldText('');
  if (before === after) throw noChange(edit);
  const found = findText(text, before);
  if (found.places.length > 0) return editFound(text, found, { before, after, edit, how: AS_WRITTEN });
  const texts = withoutLineNumbers(edit);
  if (texts) return editUnnumbered(text, { ...edit, ...texts }, withHint);
  const indented = edit.fuzzy_indent ? findAnyIndent(text, { before, after, edit }) : undefined;
  if (!indented) throw withHint ? missed(bytes, before, edit) : notFound(edit);
  return editFound(text, indented.found, indented.wanted);
}

function editUnnumbered(text: SearchText, edit: Edit, withHint: boolean): EditedText {
  const edited = editText(text, edit, withHint);
  const [first] = edited.places;
  const fuzzyMatch = edited.fuzzyMatch ?? {
    stood: showBytes(text.bytes.slice(first?.start, first?.end)),
    how: UNNUMBERED,
  };
  return { ...edited, fuzzyMatch };
}

function findAnyIndent(text: SearchText, { before, after, edit }: Omit<WantedEdit, 'how'>) {
  const indentError = (why: string) =>
    new ToolError('edit_not_found', `${edit.path}: old_text ${why}`, {
      suggestion: 'send old_text and new_text with the indentation that the file has',
    });
  const lines = findIndented(text.bytes, { path: edit.path, before, after, near: edit.near_line }, indentError);
  if (!lines) return undefined;
  if (lines.places.length > 1) {
    const numbers = lines.places.map((line) => line + 1);
    throw new NotUniqueError(`old_text matches ${numbers.length} locations (with any indentation) in ${edit.path}`, {
      lines: numbers,
    });
  }
  const place = toSearchText(text.bytes.slice(0, lines.start)).exact().text.length;
  const wanted = toSearchText(lines.before).exact();
  const found: FoundText = { fuzzy: true, view: text.exact(), wanted, places: [place] };
  return { found, wanted: { ...lines, edit: { ...edit, fuzzy_indent: false }, how: INDENTED } };
}

function editFound({ bytes }: SearchText, found: FoundText, wanted: WantedEdit): EditedText {
  const { before, after, edit, how } = wanted;
  const places = choosePlaces(bytes, found, edit);
  if (found.fuzzy && fuzzyView(before).text === fuzzyView(after).text) throw noChange(edit);
  const edited = editPlaces(bytes, found, places, wanted);
  const result = applySplices(
    bytes,
    edited.flatMap(({ splices }) => splices),
  );
  if (result === bytes) throw noChange(edit);
  const [first] = edited;
  const fuzzyMatch = found.fuzzy && first ? { stood: showBytes(bytes.slice(first.start, first.end)), how } : undefined;
  return { bytes: result, places: edited, ...(fuzzyMatch && { fuzzyMatch }) };
}

/** Returns UTF-8 as latin1 with `\n`. A byte order mark belongs to the file, not to the text that is edited. */
function toBytes(text: string, withoutMark: boolean): string {
  const clean = withoutMark ? text.replace(/^\ufeff/, '') : text;
  return Buffer.from(clean.replace(/\r\n?/g, '\n')).toString('latin1');
}

function choosePlaces(bytes: string, found: FoundText, edit: Edit): readonly number[] {
  const { path, replace_all = false, expected_count } = edit;
  const separate = apart(found);
  if (expected_count !== undefined && separate.length !== expected_count) {
    throw new NotUniqueError(
      `${path}: old_text matches ${counted(separate.length, 'location')}, ${expected_count} expected`,
      { lines: linesOf(bytes, found), count: separate.length },
    );
  }
  const several = (replace_all || expected_count !== undefined) && !found.fuzzy;
  if (several) return separate;
  if (found.places.length === 1) return found.places;
  const lines = linesOf(bytes, found);
  const nearest = nearestLine(edit.near_line, lines);
  if (nearest !== undefined) return [found.places[lines.indexOf(nearest)] as number];
  const how = found.fuzzy ? ' (fuzzy)' : '';
  throw new NotUniqueError(`old_text matches ${found.places.length} locations${how} in ${path}`, { lines });
}

interface WantedEdit {
  readonly before: string;
  readonly after: string;
  readonly edit: Edit;
  readonly how: string;
}

function editPlaces(bytes: string, found: FoundText, places: readonly number[], wanted: WantedEdit): EditedPlace[] {
  const { before, edit } = wanted;
  const lineOf = createLineCounter(bytes);
  const endingAt = createEndingFinder(bytes, /\r\n?|\n/.exec(edit.new_text)?.[0] ?? '\n');
  const changesAt = createChanges(bytes, wanted);
  const edited = places.map((place) => {
    const start = found.view.startOf(place);
    const end = found.view.endOf(place + found.wanted.text.length);
    const splices = splicesFor(found, place, before, changesAt(start));
    const hasBreak = splices.some(({ bytes: text }) => text.includes('\n'));
    const ending = hasBreak ? endingAt(start, end) : '\n';
    const inStyle = splices.map((splice) => ({ ...splice, bytes: splice.bytes.replaceAll('\n', ending) }));
    return { start, end, line: lineOf(start), splices: ending === '\n' ? splices : inStyle };
  });
  const kept = keepLineBreaks(
    bytes,
    edited.flatMap(({ splices }) => splices),
  );
  let next = 0;
  return edited.map((place) => {
    const splices = kept.slice(next, next + place.splices.length);
    next += place.splices.length;
    return { ...place, splices };
  });
}

function createChanges(bytes: string, { before, after, edit }: WantedEdit): (start: number) => readonly Change[] {
  const plain = edit.fuzzy_indent ? undefined : changesBetween(before, after);
  if (plain) return () => plain;
  const known = new Map<string, readonly Change[]>();
  return (start) => {
    const text = reindent({ before, after }, bytes, start);
    const changes = known.get(text) ?? changesBetween(before, text);
    known.set(text, changes);
    return changes;
  };
}

/** Indents new lines like the line where the match starts, unless they are already. */
function reindent(texts: { before: string; after: string }, bytes: string, start: number): string {
  const from = Math.max(0, start - MAX_INDENTED_BYTES);
  const before = bytes.slice(from, start);
  const lineStart = from + Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
  const lead = /^[ \t]*/.exec(bytes.slice(lineStart, lineStart + MAX_SHOWN))?.[0] ?? '';
  if (isIndentedLike({ ...texts, lead, column: start - lineStart })) return texts.after;
  const lines = texts.after.split('\n');
  const [first = '', ...rest] = indentLike(lines, lead);
  return [start - lineStart <= lead.length ? first.slice(start - lineStart) : lines[0], ...rest].join('\n');
}

function linesOf(bytes: string, { places, view }: FoundText): number[] {
  const lineOf = createLineCounter(bytes);
  return places.map((place) => lineOf(view.startOf(place)));
}

/** Refuses an edit whose texts no file could hold. `name` is its place in the arguments. A `cell` may be empty. */
export function rejectBadTexts(
  { old_text, new_text, near_line, replace_all, expected_count, cell }: Edit & { readonly cell?: unknown },
  name: string,
): void {
  if (old_text === '' && cell === undefined) throw emptyOldText(name);
  rejectLoneSurrogates(`${name}old_text`, old_text);
  rejectLoneSurrogates(`${name}new_text`, new_text);
  if (near_line === undefined || (!replace_all && expected_count === undefined)) return;
  throw new ToolError(
    'invalid_args',
    'near_line chooses one place, and does not go with replace_all or expected_count',
    { suggestion: 'leave near_line out to replace every place' },
  );
}

const LARGE_BYTES = 2 ** 20;
const MAX_LINES = 400;

/** Bytes (latin1) that replace a range of others. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly bytes: string;
}

/** Bytes outside of the changes stay, no matter what matching ignored. */
function splicesFor({ view, wanted }: FoundText, place: number, before: string, changes: readonly Change[]): Splice[] {
  const toBytes = (position: number, side: 'startOf' | 'endOf') => view[side](place + positionIn(position));
  // The view of what was wanted may be shorter than what the caller wrote. Walk both together.
  const { length } = wanted.text;
  const positionIn = (position: number) =>
    before.length === length ? position : firstWhere(length, (at) => wanted.startOf(at) >= position);
  return changes.map(({ start, end, text }) => ({
    start: toBytes(start, 'startOf'),
    end: Math.max(toBytes(start, 'startOf'), toBytes(end, 'endOf')),
    bytes: text,
  }));
}

interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function changesBetween(before: string, after: string): Change[] {
  const lines = [before, after].map((text) => text.split(/(?<=\n)/));
  const [old = [], wanted = []] = lines;
  if (old.length + wanted.length > MAX_LINES) return trim({ start: 0, end: before.length, text: after }, before);
  const found: Change[] = [];
  let at = 0;
  let open: Change | undefined;
  for (const { value, added, removed } of diffArrays(old, wanted)) {
    const text = value.join('');
    if (!added && !removed) {
      if (open) found.push(...trim(open, before));
      open = undefined;
      at += text.length;
      continue;
    }
    open ??= { start: at, end: at, text: '' };
    open = added ? { ...open, text: open.text + text } : { ...open, end: open.end + text.length };
    if (removed) at += text.length;
  }
  return open ? [...found, ...trim(open, before)] : found;
}

function trim({ start, end, text }: Change, before: string): Change[] {
  let from = 0;
  const shorter = Math.min(end - start, text.length);
  while (from < shorter && before[start + from] === text[from]) from++;
  // Never cuts within a character: fuzzy matching may have matched another character in the file.
  while (from > 0 && (isWithin(before[start + from]) || isWithin(text[from]))) from--;
  let to = 0;
  while (to < shorter - from && before[end - 1 - to] === text[text.length - 1 - to]) to++;
  while (to > 0 && isWithin(before[end - to])) to--;
  const trimmed = { start: start + from, end: end - to, text: text.slice(from, text.length - to) };
  return trimmed.start === trimmed.end && trimmed.text === '' ? [] : [trimmed];
}

function isWithin(byte: string | undefined): boolean {
  return byte !== undefined && byte >= '\x80' && byte <= '\xbf';
}

/** A lone CR and an LF that a splice brings together would be one line break: another LF keeps them two. */
function keepLineBreaks(bytes: string, splices: readonly Splice[]): Splice[] {
  let [last, end] = ['', 0];
  return splices.map((splice, i) => {
    if (splice.start > end) last = bytes[splice.start - 1] as string;
    const head = last === '\r' && splice.bytes.startsWith('\n') ? '\n' : '';
    last = splice.bytes.at(-1) ?? last;
    const isFollowed = splices[i + 1]?.start === splice.end;
    const tail = last === '\r' && !isFollowed && bytes[splice.end] === '\n' ? '\n' : '';
    if (tail !== '') last = tail;
    end = splice.end;
    return head + tail === '' ? splice : { ...splice, bytes: head + splice.bytes + tail };
  });
}

function applySplices(bytes: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, bytes: text } of splices) {
    parts.push(bytes.slice(at, start), text);
    at = end;
  }
  parts.push(bytes.slice(at));
  if (bytes.length < LARGE_BYTES) return parts.join('');
  // A large string made by a Buffer is outside of the heap of V8, which frees it sooner.
  const buffer = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + part.length, 0));
  let length = 0;
  for (const part of parts) length += buffer.write(part, length, 'latin1');
  return buffer.toString('latin1');
}

/** A line in the form of read_file, with its number. */
const NUMBERED = /^ *(\d+)\t/;

interface EditTexts {
  readonly old_text: string;
  readonly new_text: string;
}

function withoutLineNumbers({ old_text, new_text }: EditTexts): EditTexts | undefined {
  const numbers = toLines(old_text).map(numberOf);
  const [first] = numbers;
  if (first === undefined || numbers.some((number, i) => number !== first + i)) return undefined;
  const isNumbered = toLines(new_text).map((line) => numberOf(line) !== undefined);
  if (isNumbered.includes(true) && isNumbered.includes(false)) {
    throw new ToolError('invalid_args', 'old_text and some lines of new_text have the line numbers of read_file', {
      suggestion: 'send both texts without line numbers (nothing was changed)',
    });
  }
  return { old_text: strip(old_text), new_text: strip(new_text) };
}

function toLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split('\n');
}

function numberOf(line: string): number | undefined {
  const [, digits] = NUMBERED.exec(line) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function strip(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(NUMBERED, ''))
    .join('\n');
}

const EXPLAINED = new Set(['edit_not_found', 'edit_not_unique', 'patch_conflict']);

/** A file as the tools that edit text see it. */
export interface EditableText {
  /** The text (bytes as latin1): of a notebook, the lines of its cells. */
  readonly bytes: string;
  readonly notebook: Notebook | undefined;
  toContent(bytes: string): Buffer;
  encode(bytes: string): Buffer;
  /** Adds to an error of an edit how to name a cell, if the file is a notebook. */
  explain<E>(error: E): E | ToolError;
}

/** Opens the content of a file for edits. Throws `file_not_found`, `binary_file`, and errors of the encoding. */
export async function openText(
  ctx: CharsetContext,
  { asked, path, content }: Pick<FileState, 'asked' | 'path' | 'content'>,
  encoding?: string,
): Promise<EditableText> {
  if (content === undefined)
    throw new ToolError('file_not_found', `file not found: ${asked}`, {
      suggestion: 'check the path with list_dir, or make the file with write_file',
    });
  const decoded = await decodeContent(ctx, { asked, path, content }, encoding);
  const bytes = decoded.text.toString('latin1');
  const encode = (after: string) => decoded.encode(Buffer.from(after, 'latin1'));
  const isNamed = path.toLowerCase().endsWith('.ipynb');
  const notebook = isNamed
    ? (await import('./notebook-sources.ts')).Notebook.read(Buffer.from(bytes, 'latin1'), path)
    : undefined;
  if (!notebook) return { bytes, notebook, toContent: encode, encode, explain: (error) => error };
  const toContent = (after: string) => encode(notebook.withLines(after, asked));
  return { bytes: notebook.lines, notebook, toContent, encode, explain: nameCell };
}

function nameCell<E>(error: E): E | ToolError {
  if (!(error instanceof ToolError) || !EXPLAINED.has(error.code)) return error;
  const message = error.message
    .replace(/\. Nearest match at line \d+: "\\u0000".*/s, '')
    .replaceAll(`\n+ ${HIDDEN}`, '');
  return new ToolError(error.code, message, { suggestion: NAME_CELL });
}

/** The text of a file for edits, as UTF-8, in which bytes that are not text in the file's encoding survive. */
export interface DecodedContent {
  readonly text: Buffer;
  /** Undefined if the bytes are those of the file. */
  readonly encoding?: string;
  /** Returns the bytes of a text. Throws `invalid_args` for a character that the encoding lacks. */
  encode(text: Buffer): Buffer;
}

/** Decodes the content of a file for edits. Throws `binary_file`, which names the kind of the file. */
export async function decodeContent(
  ctx: CharsetContext,
  { asked, path, content }: Pick<FileState, 'asked' | 'path'> & { readonly content: Buffer },
  encoding?: string,
): Promise<DecodedContent> {
  const charset = await findCharset(ctx, { path, content }, encoding);
  const decoded = charset
    ? { ...charset.open(content, asked), encoding: charset.name }
    : { text: content, encode: (text: Buffer) => text };
  if (!isBinary(decoded.text)) return decoded;
  throw notText(asked, kindOfFile(content.subarray(0, SNIFF_BYTES), asked), content.length);
}
