import { isJsonList, type JsonSpan, jsonMembersOf } from '@jinn/core/text';
import { jsonBytes } from '../fit/fit-json.ts';
import { SHOWN_LINES } from '../text/text-window.ts';
import { type FoundValues, findJsonPart } from './json-path.ts';
import type { Navigation } from './navigate.ts';
import { callOf, SHOWN_LENGTH, showPart } from './shown-part.ts';

/** The most bytes of a spill file. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const CHUNK_LENGTH = 256 * 1024;
const MAX_LISTED = 20;
const [OPEN, BETWEEN, CLOSE] = ['[\n', ',\n', '\n]'];
/** The most bytes that one of these takes in JSON. */
const MARK_BYTES = 4;

/**
 * Shows the part of a JSON text to which a path leads: a value just as it stands there, or a list of several such values,
 * which is kept in a buffer if it is too long for an answer.
 */
export function showJsonPart(text: string, navigation: Navigation): object {
  const found = findJsonPart(text, navigation.to, navigation.path);
  if (found.manySteps > 0) return showValues(text, found, navigation);
  const [value] = found.values();
  if (!value) throw new Error('a path that leads nowhere is refused before');
  const part = { content: textOf(text, value), ...linesOf(text, value) };
  return showPart(part, { ...navigation, narrower: () => formatMembers(text, value, found.pathWith('')) });
}

function textOf(text: string, { start, end }: JsonSpan): string {
  return text.slice(start, end);
}

function linesOf(text: string, { start, end }: JsonSpan): { start: number; end: number } {
  const first = 1 + countFeeds(text, 0, start);
  return { start: first, end: first + countFeeds(text, start, end) };
}

function countFeeds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function formatMembers(text: string, value: JsonSpan, jsonPath: string): string {
  if (isJsonList(text, value)) return `ask for some of its items, as json_path ${jsonPath}[0:10] does`;
  const keys: string[] = [];
  for (const { key } of jsonMembersOf(text, value)) if (key !== undefined && keys.length < MAX_LISTED) keys.push(key);
  if (keys.length === 0) return 'cut it with run_command, as cut -c1-2000 does';
  return `ask for one of its keys by json_path: ${keys.map((key) => key.slice(0, 60)).join(', ')}`;
}

interface MeasuredValues {
  /** The values that an answer shows, and the number of their lines. */
  readonly shown: readonly string[];
  readonly lines: number;
  readonly total: number;
  /** The bytes of all values as they are kept. */
  readonly bytes: number;
  /** From the first value to the last. */
  readonly extent: JsonSpan;
  /** The index of the first value that is not shown, at the first `[*]` or slice. */
  readonly next: number;
}

function showValues(text: string, found: FoundValues, { path, room, keep }: Navigation): object {
  const measured = measure(text, found, room);
  const { shown, total } = measured;
  const content = shown.length === 0 ? '' : `${OPEN}${shown.join(BETWEEN)}${CLOSE}`;
  const { start, end } = linesOf(text, measured.extent);
  const data = { content, start_line: start, end_line: end };
  if (shown.length === total) return data;
  const reference = measured.bytes <= MAX_KEPT_BYTES ? keep?.(chunksOf(text, found)) : undefined;
  const hint = `The path leads to ${total} values. ${formatNextCall(measured, found, { path, reference })}`;
  return { ...data, ...(reference && { output_id: reference }), overflow: { shown: shown.length, total, hint } };
}

function formatNextCall(
  { shown, lines, next }: MeasuredValues,
  { manySteps, pathWith }: FoundValues,
  { path, reference }: { path: string; reference: string | undefined },
): string {
  const fewer = 'Ask for fewer: write an index or a slice, such as [0:10], for [*]';
  if (reference) return `Call read_file with ${JSON.stringify({ path: reference, start_line: 2 + lines })} to go on`;
  if (manySteps > 1) return fewer;
  const call = callOf({ path, json_path: pathWith(shown.length > 0 ? `[${next}:]` : `[${next}]`) });
  return call === undefined ? fewer : `${call} ${shown.length > 0 ? 'to go on' : 'for the first'}`;
}

function measure(text: string, found: FoundValues, room = Number.POSITIVE_INFINITY): MeasuredValues {
  const shown: string[] = [];
  let [isFull, lines, length, shownBytes] = [false, 0, 0, 2 * MARK_BYTES];
  let [total, bytes, next] = [0, OPEN.length + CLOSE.length, 0];
  let extent: JsonSpan | undefined;
  for (const value of found.values()) {
    const piece = `  ${textOf(text, value)}`;
    total++;
    bytes += Buffer.byteLength(piece) + BETWEEN.length;
    extent = { start: extent?.start ?? value.start, end: value.end };
    if (isFull) continue;
    const pieceLines = 1 + countFeeds(piece, 0, piece.length);
    isFull = lines + pieceLines > SHOWN_LINES || length + piece.length > SHOWN_LENGTH;
    if (!isFull) {
      shownBytes += jsonBytes(piece) + MARK_BYTES;
      isFull = shownBytes > room;
    }
    if (isFull) next = value.index;
    else shown.push(piece);
    if (!isFull) [lines, length] = [lines + pieceLines, length + piece.length];
  }
  return { shown, lines, total, bytes, extent: extent ?? { start: 0, end: 0 }, next };
}

/** Yields the values as a list in JSON, in chunks, since there may be millions. */
function* chunksOf(text: string, found: FoundValues): Generator<Uint8Array> {
  let [chunk, separator] = [OPEN, ''];
  for (const value of found.values()) {
    chunk += `${separator}  ${textOf(text, value)}`;
    separator = BETWEEN;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  yield Buffer.from(`${chunk}${CLOSE}\n`);
}
