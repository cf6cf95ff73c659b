import { diffArrays } from 'diff';
import type { FoundText } from '../match/find-text.ts';

const LARGE_BYTES = 2 ** 20;
/** Texts with more lines than this are not compared line by line. */
const MAX_LINES = 400;

/** Bytes (latin1) that replace a range of others. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly bytes: string;
}

/**
 * Returns the bytes to change where a text was found. What no change covers keeps its bytes, whatever matching ignored.
 * `before` is what the caller wrote, with `\n` at line ends.
 */
export function splicesFor(
  { view, wanted }: FoundText,
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

/** Returns the position in a view that stands for a position in the bytes that it was made from. */
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

/** Returns what differs between two texts, by lines, without the equal beginning and end of differing lines. */
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
  // Never cuts within a character: fuzzy matching may have matched another character in the file.
  while (from > 0 && (isWithin(before[start + from]) || isWithin(text[from]))) from--;
  let to = 0;
  while (to < shorter - from && before[end - 1 - to] === text[text.length - 1 - to]) to++;
  while (to > 0 && isWithin(before[end - to])) to--;
  const trimmed = { start: start + from, end: end - to, text: text.slice(from, text.length - to) };
  return trimmed.start === trimmed.end && trimmed.text === '' ? [] : [trimmed];
}

/** Reports whether a byte belongs to a UTF-8 character and is not its first. */
function isWithin(byte: string | undefined): boolean {
  return byte !== undefined && byte >= '\x80' && byte <= '\xbf';
}

/**
 * Keeps apart what would become one line break: where a splice brings a lone CR and an LF together, it gets another LF,
 * which makes them a CRLF and an LF. The splices are in the order of their places.
 */
export function keepLineBreaks(bytes: string, splices: readonly Splice[]): Splice[] {
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

/** Puts splices in the order of their places into bytes. */
export function applySplices(bytes: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, bytes: text } of splices) {
    parts.push(bytes.slice(at, start), text);
    at = end;
  }
  parts.push(bytes.slice(at));
  if (bytes.length < LARGE_BYTES) return parts.join('');
  // A large string made by a Buffer lies outside of the heap of V8, which frees it sooner.
  const buffer = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + part.length, 0));
  let length = 0;
  for (const part of parts) length += buffer.write(part, length, 'latin1');
  return buffer.toString('latin1');
}
