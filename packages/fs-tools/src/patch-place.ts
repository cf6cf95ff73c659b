import { ToolError } from '@jinn/core';
import { nearestText } from './nearest-text.ts';
import type { Hunk, HunkLine } from './patch-parse.ts';
import { joinLines, splitLines, type TextLine } from './text-lines.ts';
import { fuzzyView } from './text-view.ts';

const MAX_LISTED = 10;

/** How alike two lines must be, the strictest first. */
const WAYS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => fuzzyView(line).text.trim(),
];

/** A hunk and the lines of the file that it replaces, counted from 0. */
interface Placed {
  readonly hunk: Hunk;
  readonly start: number;
  readonly end: number;
}

/**
 * Applies hunks to a text (bytes as latin1). Lines that a hunk keeps stay what they are in the file, endings and all.
 * Throws `patch_conflict` for a hunk that fits nowhere, or in more than one place.
 */
export function applyHunks(path: string, bytes: string, hunks: readonly Hunk[]): string {
  const text = splitLines(bytes);
  const placed: Placed[] = [];
  for (const hunk of hunks) {
    const previous = placed.at(-1)?.end ?? 0;
    placed.push(place({ path, bytes, lines: text.lines.map((line) => line.text), previous }, hunk));
  }
  const sorted = placed.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const clash = sorted.find((one, i) => i > 0 && one.start < (sorted[i - 1] as Placed).end);
  if (clash) throw conflict(`update ${path}: two hunks change line ${clash.start + 1}`, 'join them into one hunk');
  return joinLines(text, replaceAll(text.lines, sorted));
}

interface Place {
  readonly path: string;
  readonly bytes: string;
  readonly lines: readonly string[];
  /** Where the hunk before ends: in doubt, this one lies behind it. */
  readonly previous: number;
}

function place(at: Place, hunk: Hunk): Placed {
  const old = hunk.lines.filter(({ sign }) => sign !== '+').map(({ text }) => text);
  // Blank lines before the next section may be no part of the hunk.
  for (let one: Hunk | undefined = hunk, length = old.length; one; one = withoutLastBlank(one), length--) {
    const found = findPlace(at, one, old.slice(0, length));
    if (found !== undefined) return { hunk: one, start: found, end: found + length };
  }
  throw notFound(at, hunk, old);
}

function withoutLastBlank(hunk: Hunk): Hunk | undefined {
  const last = hunk.lines.at(-1);
  return last?.sign === ' ' && last.text === '' && hunk.lines.length > 1
    ? { ...hunk, lines: hunk.lines.slice(0, -1) }
    : undefined;
}

function findPlace(at: Place, hunk: Hunk, old: readonly string[]): number | undefined {
  for (const way of WAYS) {
    const lines = way === WAYS[0] ? at.lines : at.lines.map(way);
    const places = candidates(lines, old.map(way), hunk);
    const reached =
      hunk.anchors.length > 0 ? afterAnchors(lines, { ...hunk, anchors: hunk.anchors.map(way) }, places) : places;
    const chosen = choose(at, hunk, reached);
    if (chosen !== undefined) return chosen;
  }
  return undefined;
}

/** Where the lines stand that a hunk keeps or removes. A hunk that only adds may stand anywhere: at the end, or behind its anchor. */
function candidates(lines: readonly string[], old: readonly string[], { anchors, endOfFile }: Hunk): number[] {
  const last = lines.length - old.length;
  if (old.length === 0) return anchors.length > 0 && !endOfFile ? lines.map((_, i) => i + 1) : [lines.length];
  const places: number[] = [];
  for (let at = endOfFile ? Math.max(0, last) : 0; at <= last; at++) {
    if (old.every((text, i) => lines[at + i] === text)) places.push(at);
  }
  return places;
}

/** For each place where the anchors stand one below the other, the first candidate behind them. */
function afterAnchors(lines: readonly string[], hunk: Hunk, places: readonly number[]): number[] {
  const anchors = hunk.anchors.map((anchor) => indexesOf(lines, anchor));
  const [outermost = [], ...inner] = anchors;
  // What is only added goes behind the anchor; other hunks may repeat it.
  const isAddition = hunk.lines.every(({ sign }) => sign === '+');
  const reached = new Set<number>();
  for (const start of outermost) {
    const end = inner.reduce<number | undefined>(
      (at, indexes) => (at === undefined ? at : firstFrom(indexes, at + 1)),
      start,
    );
    const found = end === undefined ? undefined : firstFrom(places, isAddition ? end + 1 : end);
    if (found === undefined) break;
    reached.add(found);
  }
  return [...reached];
}

/** Lines that are the anchor, but for blanks around it. */
function indexesOf(lines: readonly string[], anchor: string): number[] {
  return lines.flatMap((line, i) => (line.trim() === anchor.trim() ? [i] : []));
}

/** The first element of a sorted list that is at least this. */
function firstFrom(sorted: readonly number[], least: number): number | undefined {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return sorted[low];
}

/** The one place, or the one behind the hunk before. Throws when there are several. */
function choose({ path, previous }: Place, { at }: Hunk, places: readonly number[]): number | undefined {
  if (places.length <= 1) return places[0];
  const behind = previous > 0 ? places.filter((candidate) => candidate >= previous) : [];
  if (behind.length === 1) return behind[0];
  const lines = places.slice(0, MAX_LISTED).map((candidate) => candidate + 1);
  const more = places.length > MAX_LISTED ? ` and ${places.length - MAX_LISTED} more` : '';
  throw conflict(
    `update ${path}: the hunk at line ${at} of the patch fits in ${places.length} places (lines ${lines.join(', ')}${more})`,
    'give it more lines of context, or an @@ line that stands before the right place',
  );
}

function replaceAll(lines: readonly TextLine[], placed: readonly Placed[]): TextLine[] {
  const result: TextLine[] = [];
  let next = 0;
  for (const { hunk, start, end } of placed) {
    result.push(...lines.slice(next, start), ...replaced(lines.slice(start, end), hunk.lines, lines[start - 1]));
    next = end;
  }
  return [...result, ...lines.slice(next)];
}

/** Added lines take the ending of the line before them, or of the first one that the hunk replaces. */
function replaced(old: readonly TextLine[], hunkLines: readonly HunkLine[], before: TextLine | undefined): TextLine[] {
  const result: TextLine[] = [];
  let ending = before?.ending || old[0]?.ending || '';
  let next = 0;
  for (const { sign, text } of hunkLines) {
    if (sign === '+') {
      result.push({ text, ending });
      continue;
    }
    const line = old[next++] as TextLine;
    ending = line.ending || ending;
    if (sign === ' ') result.push(line);
  }
  return result;
}

function notFound({ path, bytes }: Place, { at, anchors }: Hunk, old: readonly string[]): ToolError {
  const wanted = old.length > 0 ? old : anchors;
  const nearest = bytes === '' ? undefined : nearestText(bytes, wanted.join('\n'));
  const hint = nearest ? `. Nearest at line ${nearest.line}:\n${nearest.diff}` : '';
  return conflict(
    `update ${path}: failed to find the lines of the hunk at line ${at} of the patch${hint}`,
    're-read the file, and write the hunk with the lines that it has now',
  );
}

function conflict(message: string, suggestion: string): ToolError {
  return new ToolError('patch_conflict', message, { suggestion });
}
