import { diffArrays } from 'diff';
import type { Found } from './find-text.ts';

/** Lines in a text beyond which a replacement is taken as one. */
const MAX_LINES = 400;

/** Bytes (latin1) to put in the place of a range of others. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly bytes: string;
}

/**
 * The bytes to change where a text was found. What no change covers is not touched: its bytes stay what they are,
 * whatever matching looked past (design section 5, edits). `before` is what the caller wrote, with `\n` at line ends.
 */
export function splicesFor(
  { view, wanted }: Found,
  place: number,
  before: string,
  changes: readonly Change[],
): Splice[] {
  const toBytes = (position: number, side: 'startOf' | 'endOf') => view[side](place + positionIn(position));
  // The view of what was wanted may be shorter than what the caller wrote; walk both together.
  const positionIn = (position: number) => viewPosition(before, wanted.text.length, wanted.startOf, position);
  return changes.map(({ start, end, text }) => ({
    start: toBytes(start, 'startOf'),
    end: Math.max(toBytes(start, 'startOf'), toBytes(end, 'endOf')),
    bytes: text,
  }));
}

/** The position in a view that stands for a position in the bytes that it was made from. */
function viewPosition(bytes: string, length: number, startOf: (at: number) => number, position: number): number {
  if (bytes.length === length) return position;
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (startOf(middle) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A part of a text that is replaced. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What differs between two texts, by lines, and within differing lines without their equal beginning and end. */
export function changesBetween(before: string, after: string): Change[] {
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
  // Never within a character: what matching looked past may be another one in the file.
  while (from > 0 && (isWithin(before[start + from]) || isWithin(text[from]))) from--;
  let to = 0;
  while (to < shorter - from && before[end - 1 - to] === text[text.length - 1 - to]) to++;
  while (to > 0 && isWithin(before[end - to])) to--;
  const trimmed = { start: start + from, end: end - to, text: text.slice(from, text.length - to) };
  return trimmed.start === trimmed.end && trimmed.text === '' ? [] : [trimmed];
}

/** True for a byte of a UTF-8 character that is not its first. */
function isWithin(byte: string | undefined): boolean {
  return byte !== undefined && byte >= '\x80' && byte <= '\xbf';
}

/** Puts splices in the order of their places into bytes. */
export function applySplices(bytes: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, bytes: text } of splices) {
    parts.push(bytes.slice(at, start), text);
    at = end;
  }
  return [...parts, bytes.slice(at)].join('');
}
