import { isOutOfDescriptors, ToolError } from '@jinn/core/errors';
import { counted } from '@jinn/core/text/counted';
import { createVersionDigest, type OpenFile, type Workspace } from '@jinn/workspace';
import type { Charset } from '@jinn/workspace/find-charset';
import { contentOf } from '../engines/searched-content.ts';
import { type Hit, SMALL_FILE } from '../query/search-query.ts';

/** How many bytes around a match are searched for its context. */
const CONTEXT_BYTES = 64 * 1024;
/** A larger file gets no version. */
const MAX_VERSIONED = 64 * 1024 * 1024;
const LINE_FEED = 10;

/** A hit in the form in which it is shown. */
export interface ShownHit extends ShownLines {
  readonly line: number;
  /** The lines before and after. A line that two hits share comes once, after the first. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The name path of the symbol around the hit, if it is wanted. */
  readonly symbol?: string | undefined;
}

export interface ShownFile {
  readonly path: string;
  readonly hits: readonly ShownHit[];
  /** The version of the content, or undefined for a very large file. */
  readonly version: string | undefined;
  /** The number of hits that were read. Entries that are no longer there are not among `hits`. 0 if none fits. */
  readonly looked: number;
}

interface ShownOptions {
  readonly context: number;
  readonly room: number;
  /** The bytes next to the text of a line. */
  readonly perLine: number;
  /** True for the first file, of which the first hit is shown even if it does not fit. */
  readonly isFirst: boolean;
  readonly charset: Charset | undefined;
}

/**
 * Reads the lines to show from the file itself, through the guard. Returns undefined for a file that the guard refuses.
 *
 * Security: an engine that is given paths may be led out of the workspace while it runs. Its answer only says where to
 * look. A hit that is not found there is not shown.
 */
export function readShown(
  workspace: Workspace,
  path: string,
  hits: readonly Hit[],
  { context, room, perLine, isFirst, charset }: ShownOptions,
): ShownFile | undefined {
  try {
    return workspace.withFile(`./${path}`, (file) => {
      const slice = slicer(file, charset);
      const shown: ShownHit[] = [];
      let [looked, size, lastLine] = [0, 0, 0];
      for (const hit of hits) {
        looked++;
        if (!isStillThere(slice, hit)) continue;
        const one = show(slice, hit, { count: context, after: lastLine, before: hits[looked]?.line });
        size += sizeOf(one, perLine);
        if (size > room && (shown.length > 0 || !isFirst)) {
          looked--;
          break;
        }
        shown.push(one);
        lastLine = one.lastLine + one.after.length;
      }
      return { path, hits: shown, version: versionOf(file), looked };
    });
  } catch (error) {
    if (error instanceof ToolError && !isOutOfDescriptors(error)) return undefined;
    throw error;
  }
}

/** Returns the bytes that a hit takes in the answer. */
export function sizeOf({ lines, before, after }: ShownHit, perLine: number): number {
  return [...lines, ...before, ...after].reduce((sum, text) => sum + Buffer.byteLength(text) + perLine, 0);
}

function slicer(file: OpenFile, charset: Charset | undefined): Slice {
  const content = contentOf(file, charset);
  if (content.size > SMALL_FILE) return (start, end) => content.slice(start, end);
  const whole = content.slice(0, content.size > 0 ? content.size : SMALL_FILE); // A file of /proc has no size.
  return (start, end) => whole.subarray(start, end);
}

/** Reports whether the found text still is there. */
export function isStillThere(slice: Slice, { offset, start, sample }: Hit): boolean {
  const isLineStart = offset === 0 || slice(offset - 1, offset)[0] === LINE_FEED;
  return isLineStart && slice(offset + start, offset + start + sample.length).equals(sample);
}

function show(
  slice: Slice,
  hit: Hit,
  { count, after, before = Number.POSITIVE_INFINITY }: { count: number; after: number; before: number | undefined },
): ShownHit {
  const { line, offset, length } = hit;
  const shown = showLines(slice, hit);
  return {
    line,
    ...shown,
    before: linesBefore(slice, offset, Math.min(count, line - after - 1)),
    after: linesAfter(slice, offset + length, Math.min(count, before - shown.lastLine - 1)),
  };
}

function linesBefore(slice: Slice, end: number, count: number): string[] {
  if (end === 0 || count <= 0) return [];
  const limit = Math.max(0, end - CONTEXT_BYTES);
  const bytes = slice(limit, end - 1);
  let start = bytes.length;
  let found = 0;
  for (; found < count && start >= 0; found++) start = start === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, start - 1);
  const lines = toLines(bytes.subarray(start + 1));
  // The first one may start before `limit`.
  return lines.slice(start < 0 && limit > 0 ? 1 : 0).map((text) => cutLine(text));
}

function linesAfter(slice: Slice, lineEnd: number, count: number): string[] {
  if (count <= 0) return [];
  const start = lineEnd + slice(lineEnd, lineEnd + 2).indexOf(LINE_FEED) + 1;
  const bytes = slice(start, start + CONTEXT_BYTES);
  if (bytes.length === 0 || start === lineEnd) return [];
  let end = -1;
  let found = 0;
  for (; found < count; found++) {
    const next = bytes.indexOf(LINE_FEED, end + 1);
    if (next < 0) break;
    end = next;
  }
  const isWhole = bytes.length < CONTEXT_BYTES;
  if (found < count && isWhole && end + 1 < bytes.length) end = bytes.length;
  return end < 0 ? [] : toLines(bytes.subarray(0, end)).map((text) => cutLine(text));
}

function toLines(bytes: Buffer): string[] {
  return bytes
    .toString()
    .split('\n')
    .map((text) => (text.endsWith('\r') ? text.slice(0, -1) : text));
}

function versionOf(file: OpenFile): string | undefined {
  if (file.size > MAX_VERSIONED) return undefined;
  const digest = createVersionDigest();
  for (let at = 0; at < file.size; at += SMALL_FILE) digest.update(file.slice(at, at + SMALL_FILE));
  return digest.digest();
}

const MAX_LINES = 50;
const PIECE_BYTES = 1024 * 1024;
/** A longer line is decoded only around the match. */
const LONG_BYTES = 8 * 1024;
/** How many bytes of a long line are decoded before the match, and from it on: more than is shown of it. */
const BYTES_BEFORE = 600;
const BYTES_BEHIND = 1_200;
const CARRIAGE_RETURN = 13;

type Slice = (start: number, end: number) => Buffer;

interface Range {
  readonly start: number;
  readonly end: number;
}

interface ShownLines {
  /** The lines, cut to their length. Only the first ones if there are very many. */
  readonly lines: readonly string[];
  /** The number of the last line, which may not be among them. */
  readonly lastLine: number;
  /** The start of the first match, in characters from 1. */
  readonly column: number;
}

function showLines(slice: Slice, { line, offset, length, start }: Hit): ShownLines {
  const { ranges, count } = findLines(slice, { start: offset, end: offset + length });
  const [first = { start: offset, end: offset + length }, ...rest] = ranges;
  const lines = [cutRange(slice, first, start), ...rest.map((range) => cutRange(slice, range, 0))];
  if (count > MAX_LINES) lines.push(`[... ${counted(count - MAX_LINES, 'more line')} of this match]`);
  const column = countCharacters(slice, { start: offset, end: offset + start }) + 1;
  return { lines, lastLine: line + count - 1, column };
}

function findLines(slice: Slice, { start, end }: Range): { ranges: Range[]; count: number } {
  const ranges: Range[] = [];
  let [count, from] = [1, start];
  for (let at = start; at < end; at += PIECE_BYTES) {
    const piece = slice(at, Math.min(end, at + PIECE_BYTES));
    for (let feed = piece.indexOf(LINE_FEED); feed >= 0; feed = piece.indexOf(LINE_FEED, feed + 1)) {
      if (count++ <= MAX_LINES) ranges.push(withoutReturn(slice, { start: from, end: at + feed }));
      from = at + feed + 1;
    }
  }
  if (count <= MAX_LINES) ranges.push({ start: from, end });
  return { ranges, count };
}

function withoutReturn(slice: Slice, { start, end }: Range): Range {
  return end > start && slice(end - 1, end)[0] === CARRIAGE_RETURN ? { start, end: end - 1 } : { start, end };
}

function cutRange(slice: Slice, { start, end }: Range, match: number): string {
  if (end - start <= LONG_BYTES) {
    const bytes = slice(start, end);
    return cutLine(bytes.toString(), bytes.toString('utf8', 0, match).length);
  }
  const from = match <= BYTES_BEFORE ? start : characterStart(slice, start + match - BYTES_BEFORE);
  const bytes = slice(from, Math.min(end, start + match + BYTES_BEHIND));
  return cutLine(bytes.toString(), bytes.toString('utf8', 0, start + match - from).length);
}

function characterStart(slice: Slice, at: number): number {
  const bytes = slice(at, at + 3);
  const next = bytes.findIndex((byte) => !isContinuation(byte));
  return at + Math.max(0, next);
}

function countCharacters(slice: Slice, { start, end }: Range): number {
  if (end - start <= LONG_BYTES) return Array.from(slice(start, end).toString()).length;
  let count = 0;
  for (let at = start; at < end; at += PIECE_BYTES) {
    for (const byte of slice(at, Math.min(end, at + PIECE_BYTES))) if (!isContinuation(byte)) count++;
  }
  return count;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

const MAX_CHARACTERS = 200;
/** A line is shown from its start if the match starts among this many characters. */
const HEAD = 100;
const BEFORE = 60;

function cutLine(line: string, start = 0): string {
  if (line.length <= MAX_CHARACTERS) return line;
  const head = firstCharacters(line, MAX_CHARACTERS);
  if (head.length === line.length) return line;
  if (start <= firstCharacters(line, HEAD).length) return `${head}...`;
  const before = Array.from(line.slice(Math.max(0, start - 2 * BEFORE - 1), start))
    .slice(-BEFORE)
    .join('');
  const rest = firstCharacters(line.slice(start), MAX_CHARACTERS - BEFORE);
  return `...${before}${rest}${start + rest.length < line.length ? '...' : ''}`;
}

function firstCharacters(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');
}
