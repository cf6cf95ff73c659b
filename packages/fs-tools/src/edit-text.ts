import { ToolError } from '@jinn/core';
import { apart, type Found, findText } from './find-text.ts';
import { createLineCounter, lineAt } from './line-counter.ts';
import { nearestText } from './nearest-text.ts';
import { applySplices, type Change, changesBetween, type Splice, splicesFor } from './splice.ts';
import { fuzzyView } from './text-view.ts';

const MAX_LISTED = 10;
const MAX_SHOWN = 500;

export interface Edit {
  /** As the caller wrote it, for messages. */
  readonly path: string;
  readonly old_text: string;
  readonly new_text: string;
  readonly fuzzy_indent?: boolean | undefined;
  readonly replace_all?: boolean | undefined;
  readonly expected_count?: number | undefined;
}

/** One place where an edit changes a text. */
export interface EditedPlace {
  /** What was matched, in the bytes before. */
  readonly start: number;
  readonly end: number;
  /** The first line of it, from 1. */
  readonly line: number;
  readonly splices: readonly Splice[];
}

export interface EditedText {
  readonly bytes: string;
  readonly places: readonly EditedPlace[];
  /** What really stood there, when it was not what was asked for. */
  readonly fuzzyMatch?: string;
}

/**
 * Replaces a text in bytes (latin1). Only what differs between old and new text is touched. Throws `old_text_empty`,
 * `edit_no_change`, `edit_not_found` or `edit_not_unique` (seeds/jinn-tool-reference, edit_file).
 */
export function editText(bytes: string, edit: Edit): EditedText {
  const hasMark = bytes.startsWith('\xef\xbb\xbf');
  const before = toBytes(edit.old_text, hasMark);
  const after = toBytes(edit.new_text, hasMark);
  if (before === '') throw emptyOldText();
  if (before === after) throw noChange(edit);
  const found = findText(bytes, before);
  const places = choosePlaces(bytes, found, edit);
  if (found.fuzzy && fuzzyView(before).text === fuzzyView(after).text) throw noChange(edit);
  const wanted = { before, after, edit, changes: changesBetween(before, after), lineOf: createLineCounter(bytes) };
  const edited = places.map((place) => editPlace(bytes, found, place, wanted));
  const result = applySplices(
    bytes,
    edited.flatMap(({ splices }) => splices),
  );
  if (result === bytes) throw noChange(edit);
  const [first] = edited;
  const stood = found.fuzzy && first ? { fuzzyMatch: show(bytes.slice(first.start, first.end)) } : {};
  return { bytes: result, places: edited, ...stood };
}

/** UTF-8 as latin1, every line ending as `\n`; a byte order mark belongs to the file, not to what is edited in it. */
function toBytes(text: string, withoutMark: boolean): string {
  const clean = withoutMark ? text.replace(/^\ufeff/, '') : text;
  return Buffer.from(clean.replace(/\r\n?/g, '\n')).toString('latin1');
}

function choosePlaces(bytes: string, found: Found, edit: Edit): readonly number[] {
  const { path, replace_all = false, expected_count } = edit;
  if (found.places.length === 0) throw notFound(bytes, edit);
  const separate = apart(found);
  if (expected_count !== undefined && separate.length !== expected_count) {
    throw notUnique(bytes, found, `${path}: old_text matches ${separate.length} locations, ${expected_count} expected`);
  }
  const several = (replace_all || expected_count !== undefined) && !found.fuzzy;
  if (several) return separate;
  if (found.places.length === 1) return found.places;
  const how = found.fuzzy ? ' (fuzzy)' : '';
  throw notUnique(bytes, found, `old_text matches ${found.places.length} locations${how} in ${path}`);
}

interface Wanted {
  readonly before: string;
  readonly after: string;
  readonly edit: Edit;
  readonly changes: readonly Change[];
  /** To be asked for growing offsets. */
  lineOf(offset: number): number;
}

function editPlace(bytes: string, found: Found, place: number, wanted: Wanted): EditedPlace {
  const { before, after, edit } = wanted;
  const start = found.view.startOf(place);
  const end = found.view.endOf(place + found.wanted.text.length);
  const changes = edit.fuzzy_indent ? changesBetween(before, reindent(after, bytes, start)) : wanted.changes;
  const splices = splicesFor(found, place, before, changes);
  const line = wanted.lineOf(start);
  if (!splices.some(({ bytes: text }) => text.includes('\n'))) return { start, end, line, splices };
  const ending = lineEndingAt(bytes, start, end);
  const inStyle =
    ending === '\n' ? splices : splices.map((splice) => ({ ...splice, bytes: splice.bytes.replaceAll('\n', ending) }));
  return { start, end, line, splices: inStyle };
}

/** Gives new lines the indentation of the line where the match begins; of what stands before the match, none again. */
function reindent(text: string, bytes: string, start: number): string {
  const before = bytes.slice(0, start);
  const lineStart = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
  const lead = /^[ \t]*/.exec(bytes.slice(lineStart, lineStart + MAX_SHOWN))?.[0] ?? '';
  const lines = text.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const least = Math.min(...indents, Number.MAX_SAFE_INTEGER);
  const startsLine = start === lineStart;
  const isAfterIndent = start - lineStart <= lead.length;
  return lines
    .map((line, i) => {
      if (line.trim() === '') return '';
      if (i > 0 || startsLine) return lead + line.slice(least);
      return isAfterIndent ? lead.slice(start - lineStart) + line.slice(least) : line;
    })
    .join('\n');
}

/** The line ending of a place: its own first one, or the last before it, or the next after it. */
function lineEndingAt(bytes: string, start: number, end: number): string {
  const inside = bytes.slice(start, end).search(/[\r\n]/);
  if (inside >= 0) return endingFrom(bytes, start + inside);
  const before = Math.max(bytes.lastIndexOf('\n', start - 1), bytes.lastIndexOf('\r', start - 1));
  if (start > 0 && before >= 0)
    return bytes[before] === '\n' && bytes[before - 1] === '\r' ? '\r\n' : (bytes[before] as string);
  const next = /[\r\n]/.exec(bytes.slice(end));
  return next ? endingFrom(bytes, end + next.index) : '\n';
}

function endingFrom(bytes: string, at: number): string {
  return bytes.startsWith('\r\n', at) ? '\r\n' : (bytes[at] as string);
}

function show(bytes: string): string {
  const text = Buffer.from(bytes.slice(0, 4 * MAX_SHOWN), 'latin1').toString();
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

function emptyOldText(): ToolError {
  return new ToolError('old_text_empty', 'old_text cannot be empty', {
    suggestion:
      'give the text to match; to insert at the start of a file, include its first line in old_text and put the new text before it in new_text',
  });
}

function noChange({ path }: Edit): ToolError {
  return new ToolError('edit_no_change', `edit produced no changes in ${path}`, {
    suggestion: 'old_text and new_text are equivalent, perhaps after fuzzy normalization; check what should change',
  });
}

function notFound(bytes: string, { path, old_text }: Edit): ToolError {
  const lines = lineAt(bytes, bytes.length) - (bytes === '' || bytes.endsWith('\n') ? 1 : 0);
  const nearest = bytes === '' ? undefined : nearestText(bytes, toBytes(old_text, false));
  const hint = nearest
    ? `. Nearest match at line ${nearest.line}: ${JSON.stringify(nearest.text)} — did you mean this?\n${nearest.diff}`
    : '';
  return new ToolError('edit_not_found', `old_text not found in ${path} (${lines} lines)${hint}`, {
    suggestion: 're-read the file to get its current content, then retry with the exact text',
  });
}

function notUnique(bytes: string, { places, view }: Found, what: string): ToolError {
  const lines = places.slice(0, MAX_LISTED).map((place) => lineAt(bytes, view.startOf(place)));
  const more = places.length > MAX_LISTED ? ` ... and ${places.length - MAX_LISTED} more` : '';
  return new ToolError('edit_not_unique', `${what} (lines: ${lines.join(', ')}${more}) — must be unique`, {
    suggestion: 'add more surrounding lines to old_text, or use replace_all to change every place',
  });
}
