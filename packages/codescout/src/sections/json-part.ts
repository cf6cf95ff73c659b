import { ToolError } from '@jinn/core/errors';
import { isJsonList, type JsonMember, type JsonSpan, jsonMembersOf, jsonRootOf } from '@jinn/core/text';
import { countLineFeeds } from '@jinn/core/text/counted';
import { jsonBytes } from '../fit/fit-json.ts';
import { SHOWN_LINES } from '../text/text-window.ts';
import { callOf, type Navigation, SHOWN_LENGTH, showPart } from './shown-part.ts';

const STEP =
  /\.?(?:\[(?:(-?\d+)|(\*)|(-?\d*):(-?\d*))\]|\["((?:\\.|[^"\\])*)"\]|\['((?:\\.|[^'\\])*)'\]|(\*)(?![^.[])|([^.[\]]+))/y;

const MAX_STEPS = 64;
const MAX_LISTED = 20;

type Step = { readonly text: string } & (
  | { readonly key: string }
  /** From 0. From the end if negative. */
  | { readonly index: number }
  /** All members from one up to, but not including, another: `[*]` and slices. */
  | { readonly from: number; readonly to: number }
);

interface FoundValue extends JsonSpan {
  /** The position at the first `[*]` or slice of the path: its own, or that of its container. */
  readonly index: number;
}

interface FoundValues {
  /** How many steps of the path are `[*]` or a slice. With one or more of them, the path may point to several values. */
  readonly manySteps: number;
  /** Reads the values, in the order of the text, each time that it is called. There may be millions. */
  values(): Generator<FoundValue>;
  /** Returns the path with another step in place of its first `[*]` or slice, such as `[7]` or `[7:]`. */
  pathWith(replacement: string): string;
}

/** The most bytes of a spill file. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const CHUNK_LENGTH = 256 * 1024;
const [OPEN, BETWEEN, CLOSE] = ['[\n', ',\n', '\n]'];
/** The most bytes that one of these takes in JSON. */
const MARK_BYTES = 4;

/**
 * Shows the part of a JSON text to which a path leads: a value just as it is written there, or a list of several such values,
 * which is kept in a buffer if it is too long for an answer.
 */
export function showJsonPart(text: string, navigation: Navigation): object {
  const found = findJsonPart(text, navigation.to, navigation.path);
  if (found.manySteps > 0) return showValues(text, found, navigation);
  const [value] = found.values();
  if (!value) throw new Error('a path that finds nothing is rejected before');
  const part = { content: textOf(text, value), ...linesOf(text, value) };
  return showPart(part, { ...navigation, narrower: () => formatMembers(text, value, found.pathWith('')) });
}

function textOf(text: string, { start, end }: JsonSpan): string {
  return text.slice(start, end);
}

function linesOf(text: string, { start, end }: JsonSpan): { start: number; end: number } {
  const first = 1 + countLineFeeds(text, 0, start);
  return { start: first, end: first + countLineFeeds(text, start, end) };
}

function formatMembers(text: string, value: JsonSpan, jsonPath: string): string {
  if (isJsonList(text, value)) return `ask for some of its items, as json_path ${jsonPath}[0:10] does`;
  const keys: string[] = [];
  for (const { key } of jsonMembersOf(text, value)) if (key !== undefined && keys.length < MAX_LISTED) keys.push(key);
  if (keys.length === 0) return 'cut it with run_command: cut -c1-2000';
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
  const hint = `The path finds ${total} values. ${formatNextCall(measured, found, { path, reference })}`;
  return { ...data, ...(reference && { output_id: reference }), overflow: { shown: shown.length, total, hint } };
}

function formatNextCall(
  { shown, lines, next }: MeasuredValues,
  { manySteps, pathWith }: FoundValues,
  { path, reference }: { path: string; reference: string | undefined },
): string {
  const fewer = 'Ask for fewer: write an index or a slice, such as [0:10], for [*]';
  if (reference) return `Call read_file with ${JSON.stringify({ path: reference, start_line: 2 + lines })} to continue`;
  if (manySteps > 1) return fewer;
  const call = callOf({ path, json_path: pathWith(shown.length > 0 ? `[${next}:]` : `[${next}]`) });
  return call === undefined ? fewer : `${call} ${shown.length > 0 ? 'to continue' : 'for the first'}`;
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
    const pieceLines = 1 + countLineFeeds(piece, 0, piece.length);
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

/**
 * Finds the parts of a JSON text to which a path leads, such as `$.items[0].name`, `items[-1]`, `items[*].name` or
 * `items[10:20]`. Of a repeated key it finds the last, as parsers do. Throws `invalid_args` for a text or a path that is not
 * valid, and `not_found` for a path that points nowhere.
 */
function findJsonPart(text: string, jsonPath: string, path: string): FoundValues {
  const steps = parseSteps(jsonPath);
  rejectInvalid(text, path);
  const first = steps.findIndex((step) => 'from' in step);
  const values = () => valuesAt(text, jsonRootOf(text), steps, first);
  if (values().next().done) throw nothing(text, jsonPath, { steps, path });
  return {
    manySteps: steps.filter((step) => 'from' in step).length,
    values,
    pathWith: (replacement) => withStep(steps, first, replacement),
  };
}

function withStep(steps: readonly Step[], at: number, replacement: string): string {
  return `$${steps.map((step, i) => (i === at ? replacement : step.text)).join('')}`;
}

function rejectInvalid(text: string, path: string): void {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw new ToolError('invalid_args', `${path} is not JSON, so json_path cannot be used`, {
      suggestion: /\.(toml|ya?ml)$/i.test(path)
        ? 'use toml_key, which takes TOML and YAML'
        : 'read its lines with start_line and end_line',
      cause,
    });
  }
}

function parseSteps(jsonPath: string): Step[] {
  const clean = jsonPath.trim().replace(/^\$/, '');
  const steps: Step[] = [];
  let at = 0;
  while (at < clean.length && steps.length < MAX_STEPS) {
    STEP.lastIndex = at;
    const found = STEP.exec(clean);
    if (!found) break;
    at += found[0].length;
    steps.push(toStep(found));
  }
  if (at === clean.length) return steps;
  throw new ToolError('invalid_args', `json_path: cannot be read from ${JSON.stringify(clean.slice(at, at + 40))} on`, {
    suggestion: 'write it as $.key, $.list[0], $["a key"], $.list[*].name or $.list[10:20]',
  });
}

function toStep([text, index, star, from, to, double, single, bareStar, name]: RegExpExecArray): Step {
  const own = /^[.[]/.test(text) ? text : `.${text}`;
  if (index !== undefined) return { text: own, index: Number(index) };
  if (star !== undefined || bareStar !== undefined) return { text: own, from: 0, to: Number.POSITIVE_INFINITY };
  if (from !== undefined) {
    return { text: own, from: Number(from), to: to === '' ? Number.POSITIVE_INFINITY : Number(to) };
  }
  return { text: own, key: (double ?? single ?? name ?? '').replace(/\\(.)/g, '$1') };
}

/** Follows the steps, at most 64, one call for each. `first` is the number of the step whose index counts. */
function* valuesAt(text: string, at: JsonSpan, [step, ...rest]: readonly Step[], first: number): Generator<FoundValue> {
  if (!step) {
    yield { start: at.start, end: at.end, index: 0 };
    return;
  }
  for (const [index, member] of chosen(text, at, step)) {
    for (const value of valuesAt(text, member, rest, first - 1)) yield first === 0 ? { ...value, index } : value;
  }
}

function* chosen(text: string, at: JsonSpan, step: Step): Generator<readonly [number, JsonMember]> {
  if ('key' in step) {
    let last: JsonMember | undefined;
    for (const member of jsonMembersOf(text, at)) if (member.key === step.key) last = member;
    if (last) yield [0, last];
  } else if ('from' in step) {
    yield* sliced(text, at, step);
  } else if (isJsonList(text, at)) {
    const index = step.index < 0 ? step.index + countMembers(text, at) : step.index;
    if (index >= 0) yield* sliced(text, at, { from: index, to: index + 1 });
  }
}

function* sliced(text: string, at: JsonSpan, { from, to }: { from: number; to: number }) {
  const length = from < 0 || to < 0 ? countMembers(text, at) : 0;
  const [first, end] = [from < 0 ? from + length : from, to < 0 ? to + length : to];
  let index = 0;
  for (const member of jsonMembersOf(text, at)) {
    if (index >= end) return;
    if (index >= first) yield [index, member] as const;
    index++;
  }
}

function countMembers(text: string, span: JsonSpan): number {
  let count = 0;
  for (const _ of jsonMembersOf(text, span)) count++;
  return count;
}

function nothing(text: string, jsonPath: string, { steps, path }: { steps: readonly Step[]; path: string }): ToolError {
  let [reached, depth]: [JsonSpan, number] = [jsonRootOf(text), 0];
  for (let length = 1; length < steps.length; length++) {
    const next = valuesAt(text, jsonRootOf(text), steps.slice(0, length), -1).next();
    if (next.done) break;
    [reached, depth] = [next.value, length];
  }
  const where = depth === 0 ? 'at the top it' : `${withStep(steps.slice(0, depth), -1, '').slice(0, 100)}`;
  return new ToolError('not_found', `${path} has nothing at ${jsonPath.slice(0, 100)}`, {
    suggestion: `${where} ${describe(text, reached)}`,
  });
}

function describe(text: string, span: JsonSpan): string {
  if (isJsonList(text, span)) return `is a list of ${countMembers(text, span)}`;
  const keys: string[] = [];
  for (const { key } of jsonMembersOf(text, span)) if (keys.length < MAX_LISTED && key !== undefined) keys.push(key);
  return keys.length > 0 ? `has ${keys.join(', ')}` : 'has no keys';
}
