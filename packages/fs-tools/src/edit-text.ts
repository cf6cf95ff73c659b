import { ToolError } from '@jinn/core';
import { apart, type Found, findText, fuzzyView, type SearchText } from './find-text.ts';
import { nearestText } from './nearest-text.ts';
import { createEndingFinder, createLineCounter, lineAt } from './newlines.ts';
import { applySplices, type Change, changesBetween, keepLineBreaks, type Splice, splicesFor } from './splice.ts';
import { decodeContent, refuseLoneSurrogates, type TextContent } from './text-content.ts';

const MAX_LISTED = 10;
const MAX_SHOWN = 500;
const MAX_CONTEXT_LINES = 200;
/** How far back the beginning of a line is sought for its indentation. */
const MAX_INDENTED_BYTES = 4_096;

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
 * Replaces a text. Only what differs between old and new text is touched. Throws `old_text_empty`, `edit_no_change`,
 * `edit_not_found` or `edit_not_unique`. `withHint` false leaves out what is nearest to a text that is not there.
 */
export function editText(text: SearchText, edit: Edit, withHint = true): EditedText {
  const { bytes } = text;
  const hasMark = bytes.startsWith('\xef\xbb\xbf');
  const before = toBytes(edit.old_text, hasMark);
  const after = toBytes(edit.new_text, hasMark);
  if (before === '') throw emptyOldText('');
  if (before === after) throw noChange(edit);
  const found = findText(text, before);
  if (found.places.length === 0) throw notFound(bytes, edit, withHint);
  const places = choosePlaces(bytes, found, edit);
  if (found.fuzzy && fuzzyView(before).text === fuzzyView(after).text) throw noChange(edit);
  const edited = editPlaces(bytes, found, places, { before, after, edit });
  const result = applySplices(
    bytes,
    edited.flatMap(({ splices }) => splices),
  );
  if (result === bytes) throw noChange(edit);
  const [first] = edited;
  const stood = found.fuzzy && first ? { fuzzyMatch: show(bytes.slice(first.start, first.end)) } : {};
  return { bytes: result, places: edited, ...stood };
}

/** UTF-8 as latin1, every line ending as `\n`. A byte order mark belongs to the file, not to the text that is edited. */
function toBytes(text: string, withoutMark: boolean): string {
  const clean = withoutMark ? text.replace(/^\ufeff/, '') : text;
  return Buffer.from(clean.replace(/\r\n?/g, '\n')).toString('latin1');
}

function choosePlaces(bytes: string, found: Found, edit: Edit): readonly number[] {
  const { path, replace_all = false, expected_count } = edit;
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
}

function editPlaces(bytes: string, found: Found, places: readonly number[], wanted: Wanted): EditedPlace[] {
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

/** Makes a function that gives the changes to make at a place; with `fuzzy_indent` they depend on its indentation. */
function createChanges(bytes: string, { before, after, edit }: Wanted): (start: number) => readonly Change[] {
  const plain = edit.fuzzy_indent ? undefined : changesBetween(before, after);
  if (plain) return () => plain;
  const known = new Map<string, readonly Change[]>();
  return (start) => {
    const text = reindent(after, bytes, start);
    const changes = known.get(text) ?? changesBetween(before, text);
    known.set(text, changes);
    return changes;
  };
}

/** Indents new lines like the line where the match begins. Indentation that stands before the match is not repeated. */
function reindent(text: string, bytes: string, start: number): string {
  const from = Math.max(0, start - MAX_INDENTED_BYTES);
  const before = bytes.slice(from, start);
  const lineStart = from + Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
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

function show(bytes: string): string {
  const text = Buffer.from(bytes.slice(0, 4 * MAX_SHOWN), 'latin1').toString();
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

/** `name` is where the edit stands in the arguments. */
function emptyOldText(name: string): ToolError {
  return new ToolError('old_text_empty', `${name}old_text cannot be empty`, {
    suggestion:
      'give the text to match; to insert at the start of a file, include its first line in old_text and put the new text before it in new_text',
  });
}

function noChange({ path }: Edit): ToolError {
  return new ToolError('edit_no_change', `edit produced no changes in ${path}`, {
    suggestion: 'old_text and new_text are equivalent, perhaps after fuzzy normalization; check what should change',
  });
}

function notFound(bytes: string, { path, old_text }: Edit, withHint: boolean): ToolError {
  const hint = withHint ? hintFor(bytes, old_text) : '';
  return new ToolError('edit_not_found', `old_text not found in ${path}${hint}`, {
    suggestion: 're-read the file to get its current content, then retry with the exact text',
  });
}

/** How many lines there are, and what is nearest to the text. */
function hintFor(bytes: string, oldText: string): string {
  const lines = lineAt(bytes, bytes.length) - (bytes === '' || bytes.endsWith('\n') ? 1 : 0);
  const nearest = bytes === '' ? undefined : nearestText(bytes, toBytes(oldText, false));
  if (!nearest) return ` (${lines} lines)`;
  const { line, text, diff } = nearest;
  return ` (${lines} lines). Nearest match at line ${line}: ${JSON.stringify(text)} — did you mean this?\n${diff}`;
}

function notUnique(bytes: string, { places, view }: Found, what: string): ToolError {
  const lines = places.slice(0, MAX_LISTED).map((place) => lineAt(bytes, view.startOf(place)));
  const more = places.length > MAX_LISTED ? ` ... and ${places.length - MAX_LISTED} more` : '';
  return new ToolError('edit_not_unique', `${what} (lines: ${lines.join(', ')}${more}) — must be unique`, {
    suggestion: 'add more surrounding lines to old_text, or use replace_all to change every place',
  });
}

/** The text of a file that is to be edited. Throws `file_not_found` and `binary_file`. */
export function textToEdit(content: Buffer | undefined, { path }: Pick<Edit, 'path'>): TextContent {
  if (content !== undefined) return decodeContent(content, path);
  throw new ToolError('file_not_found', `file not found: ${path}`, {
    suggestion: 'check the path with list_dir, or make the file with write_file',
  });
}

/** Refuses an edit whose texts say nothing that a file could hold; `name` is where it stands in the arguments. */
export function refuseBadTexts({ old_text, new_text }: Edit, name: string): void {
  if (old_text === '') throw emptyOldText(name);
  refuseLoneSurrogates(`${name}old_text`, old_text);
  refuseLoneSurrogates(`${name}new_text`, new_text);
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

/** Lines of the text after the edit, from before its first change to behind its last; a star marks those that changed. */
function contextOf({ bytes, places }: EditedText, around: number): string {
  const changed = changedRanges(bytes, places);
  const [first, last] = [changed[0], changed.at(-1)];
  if (!first || !last) return '';
  let start = lineStart(bytes, first.at);
  let from = first.first;
  for (; start > 0 && from > first.first - around; from--) start = lineStart(bytes, start - 1);
  const lines = linesFrom(bytes, start, Math.min(last.last + around - from + 1, MAX_CONTEXT_LINES + 1));
  const width = String(from + lines.length - 1).length;
  return lines
    .map((line, i) => {
      const number = from + i;
      const mark = changed.some((range) => number >= range.first && number <= range.last) ? '* ' : ' ';
      return `${String(number).padStart(width)}${mark}| ${Buffer.from(line.replace(/\r$/, ''), 'latin1')}`;
    })
    .join('\n');
}

/** Returns the offset at which the line with the byte at `at` begins. */
function lineStart(bytes: string, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf('\n', at - 1) + 1;
}

function linesFrom(bytes: string, start: number, count: number): string[] {
  const lines: string[] = [];
  for (let at = start; at < bytes.length && lines.length < count; ) {
    const newline = bytes.indexOf('\n', at);
    const end = newline < 0 ? bytes.length : newline;
    lines.push(bytes.slice(at, end));
    at = end + 1;
  }
  return lines;
}

interface ChangedRange {
  /** The offset where it begins. */
  readonly at: number;
  /** Lines, from 1. */
  readonly first: number;
  readonly last: number;
}

function changedRanges(bytes: string, places: EditedText['places']): ChangedRange[] {
  const lineOf = createLineCounter(bytes);
  let shift = 0;
  return places.flatMap(({ splices }) =>
    splices.map(({ start, end, bytes: text }) => {
      const at = start + shift;
      shift += text.length - (end - start);
      return { at, first: lineOf(at), last: lineOf(Math.max(at, at + text.length - 1)) };
    }),
  );
}
