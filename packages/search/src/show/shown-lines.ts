import type { Hit } from '../query/search-query.ts';
import { cutLine } from './cut-line.ts';

const MAX_LINES = 50;
const PIECE_BYTES = 1024 * 1024;
/** A longer line is decoded only around the match. */
const LONG_BYTES = 8 * 1024;
/** How many bytes of a long line are decoded before the match, and from it on: more than is shown of it. */
const BYTES_BEFORE = 600;
const BYTES_BEHIND = 1_200;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Reads the bytes of a range of the content, cut at its end. */
export type Slice = (start: number, end: number) => Buffer;

interface Range {
  readonly start: number;
  readonly end: number;
}

export interface ShownLines {
  /** The lines, cut to their length; only the first ones if there are very many. */
  readonly lines: readonly string[];
  /** The number of the last line, which may not be among them. */
  readonly lastLine: number;
  /** The beginning of the first match, in characters from 1. */
  readonly column: number;
}

/** Returns the lines of a hit, with the number of the last one and the column where the hit begins. */
export function showLines(slice: Slice, { line, offset, length, start }: Hit): ShownLines {
  const { ranges, count } = findLines(slice, { start: offset, end: offset + length });
  const [first = { start: offset, end: offset + length }, ...rest] = ranges;
  const lines = [cutRange(slice, first, start), ...rest.map((range) => cutRange(slice, range, 0))];
  if (count > MAX_LINES) lines.push(`[... ${count - MAX_LINES} more lines of this match]`);
  const column = countCharacters(slice, { start: offset, end: offset + start }) + 1;
  return { lines, lastLine: line + count - 1, column };
}

/** Finds the first lines in a range, without their line ends, and the number of all. */
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

/** Cuts a line around the byte where a match begins. */
function cutRange(slice: Slice, { start, end }: Range, match: number): string {
  if (end - start <= LONG_BYTES) {
    const bytes = slice(start, end);
    return cutLine(bytes.toString(), bytes.toString('utf8', 0, match).length);
  }
  const from = match <= BYTES_BEFORE ? start : characterStart(slice, start + match - BYTES_BEFORE);
  const bytes = slice(from, Math.min(end, start + match + BYTES_BEHIND));
  return cutLine(bytes.toString(), bytes.toString('utf8', 0, start + match - from).length);
}

/** Returns the position, or that of the next character if it lies within one. */
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
