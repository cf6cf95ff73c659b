import type { ToolError } from '@jinn/core/errors';
import { diffLines } from '../diff/line-diff.ts';
import type { FileLines } from '../edit/line-index.ts';
import { BLANK } from '../match/find-text.ts';
import type { HunkLine } from './patch-text.ts';

const MAX_EDITS = 100;
/** How many lines around a place are searched for its indentation. */
const NEAR_LINES = 1_000;
const MAX_SHOWN_LINES = 6;
const MAX_SHOWN = 200;

/** The lines of a caller, and the place of those that are kept or removed. */
export interface PlacedLines {
  readonly lines: readonly HunkLine[];
  readonly file: FileLines;
  readonly start: number;
}

/**
 * Returns lines in the form in which they are written at their place: a line that is removed and added again is kept,
 * and an added line gets the indentation of the lines in the file. Throws the error that `refuse` makes of a reason if
 * these do not show it.
 */
export function carryOver(placed: PlacedLines, refuse: (why: string) => ToolError): HunkLine[] {
  const kept = keepEqual(placed.lines);
  const indentation = toIndentMap({ ...placed, lines: kept });
  return kept.map((line) => {
    if (line.sign !== '+') return line;
    const sent = indentOf(line.text);
    const stands = indentation(sent);
    if (stands === sent) return line;
    if (isBlankLine(line.text)) return { sign: '+', text: '' };
    if (stands === undefined) throw refuse(describeMismatch(line.text, { ...placed, lines: kept }));
    return { sign: '+', text: stands + line.text.slice(sent.length) };
  });
}

function toIndentMap({ lines, file, start }: PlacedLines): (sent: string) => string | undefined {
  const found = lines.filter(({ sign }) => sign !== '+').map(({ text }, i) => ({ text, stands: file.text(start + i) }));
  const pairs = found
    .filter(({ text }) => !isBlankLine(text))
    .map(({ text, stands }) => ({ sent: indentOf(text), stands: indentOf(stands) }));
  return createIndentMap(pairs, () => ({
    sent: indentUnitOf(lines.map(({ text }) => text)),
    stands: indentUnitOf(linesAround(file, start, start + found.length)),
  }));
}

function* linesAround(file: FileLines, start: number, end: number): Iterable<string> {
  const last = Math.min(file.count, end + NEAR_LINES);
  for (let line = Math.max(0, start - NEAR_LINES); line < last; line++) yield file.text(line);
}

function keepEqual(lines: readonly HunkLine[]): HunkLine[] {
  const result: HunkLine[] = [];
  let changed: HunkLine[] = [];
  for (const line of lines) {
    if (line.sign !== ' ') changed.push(line);
    else {
      for (const each of pairEqual(changed)) result.push(each);
      result.push(line);
      changed = [];
    }
  }
  return result.concat(pairEqual(changed));
}

function pairEqual(lines: readonly HunkLine[]): readonly HunkLine[] {
  const removed = lines.filter(({ sign }) => sign === '-');
  const added = lines.filter(({ sign }) => sign === '+');
  if (removed.length === 0 || added.length === 0) return lines;
  const [before = [], after = []] = [removed, added].map((some) => some.map(({ text }) => text));
  const parts: HunkLine[][] = [];
  let next = 0;
  const keepUpTo = (end: number) => parts.push(removed.slice(next, end).map(({ text }) => ({ sign: ' ', text })));
  for (const change of diffLines(before, after, MAX_EDITS)) {
    keepUpTo(change.start);
    parts.push(removed.slice(change.start, change.end), added.slice(change.otherStart, change.otherEnd));
    next = change.end;
  }
  keepUpTo(removed.length);
  return parts.flat();
}

function describeMismatch(line: string, { lines, file, start }: PlacedLines): string {
  const count = lines.filter(({ sign }) => sign !== '+').length;
  const last = Math.min(start + count, start + MAX_SHOWN_LINES);
  const there = Array.from({ length: last - start }, (_, i) => showBytes(file.text(start + i)));
  return (
    `matches with other indentation, which does not tell how to indent ${JSON.stringify(showBytes(line))}. ` +
    `The file has at line ${start + 1}:\n${there.join('\n')}`
  );
}

/** Shows bytes (latin1) in a message. */
export function showBytes(line: string): string {
  const text = Buffer.from(line.slice(0, 4 * MAX_SHOWN), 'latin1').toString();
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

/** The bound keeps a long line from overflowing the stack of the engine, which grows with each repetition. */
const INDENT = new RegExp(`^(?:[\\t-\\r ]+|${BLANK}){0,4096}`);
/** The step of aligned lines, such as those of a comment under its first star. */
const ALIGNED = ' ';

/** The end of a line that starts a block or a list. */
const OPENER = /(?:[:{([>]|\b(?:do|else|then))[ \t]*$/;

/** Returns the blanks that a line starts with. */
export function indentOf(line: string): string {
  return (INDENT.exec(line) as RegExpExecArray)[0];
}

/** Reports whether a line has no text. */
export function isBlankLine(line: string): boolean {
  return indentOf(line).length === line.length;
}

/** Indents lines by `lead`, and keeps the differences between them. */
export function indentLike(lines: readonly string[], lead: string): string[] {
  const least = leastIndent(lines);
  return lines.map((line) => (isBlankLine(line) ? '' : lead + line.slice(least)));
}

/**
 * Reports whether new lines have the indentation of the file already: none is less indented than the text that they
 * replace, and the first line opens no block that the second one is not in.
 */
export function isIndentedLike(texts: { before: string; after: string; lead: string; column: number }): boolean {
  const { before, after, lead, column } = texts;
  const [old, now] = [before, after].map((text) => text.split('\n').filter((line, i) => i === 0 || !isBlankLine(line)));
  const [first = '', ...rest] = now ?? [];
  const least = (old ?? [])
    .slice(1)
    .map(indentOf)
    .reduce((a, b) => (b.length < a.length ? b : a), lead);
  const own = indentOf(first);
  const isFirstPlaced =
    column > lead.length || (column === lead.length ? own === '' : (lead.slice(0, column) + own).startsWith(least));
  const isUnnested = (lines: readonly string[] = []) =>
    OPENER.test(lines[0] ?? '') && indentOf(lines[1] ?? '-') === lead;
  return isFirstPlaced && rest.every((line) => line.startsWith(least)) && (!isUnnested(now) || isUnnested(old));
}

/** Returns the length of the least indentation of lines. Blank lines do not count. */
export function leastIndent(lines: readonly string[]): number {
  return lines.reduce((least, line) => (isBlankLine(line) ? least : Math.min(least, indentOf(line).length)), Infinity);
}

/** The indentation that a line was sent with, and the one that it has in the file. */
interface IndentPair {
  readonly sent: string;
  readonly stands: string;
}

/** The indentation of one level, in the lines as sent and in those of the file, or undefined if no line is deeper. */
interface IndentUnits {
  readonly sent: string | undefined;
  readonly stands: string | undefined;
}

type IndentMap = (sent: string) => string | undefined;

const MARGIN: IndentPair = { sent: '', stands: '' };
const NOWHERE: IndentMap = () => undefined;

function createIndentMap(pairs: readonly IndentPair[], units: () => IndentUnits): IndentMap {
  if (pairs.every(({ sent, stands }) => sent === stands)) return (sent) => sent;
  const known = new Map<string, string | undefined>();
  for (const { sent, stands } of pairs) {
    const isDisputed = known.has(sent) && known.get(sent) !== stands;
    known.set(sent, isDisputed ? undefined : stands);
  }
  let others: IndentMap | undefined;
  return (sent) => {
    if (known.has(sent)) return known.get(sent);
    others ??= mapOthers(known, units);
    return others(sent);
  };
}

/** Two known levels show how others are translated. A single one does so only with the units of both sides. */
function mapOthers(known: ReadonlyMap<string, string | undefined>, units: () => IndentUnits): IndentMap {
  const pairs = [...known].flatMap(([sent, stands]) => (stands === undefined ? [] : [{ sent, stands }]));
  const [first, second] = pairs;
  if (!first || pairs.length < known.size) return NOWHERE;
  const shift = shiftOf(first, pairs);
  if (!second) return mapByUnits(first, shift, units());
  const scale = scaleOf(first, second, pairs);
  return (sent) => shift(sent) ?? scale(sent);
}

function mapByUnits(pair: IndentPair, shift: IndentMap, { sent: mine, stands: theirs }: IndentUnits): IndentMap {
  if (mine !== undefined && mine === theirs) return shift;
  // If only the units differ, a line at the margin stays at the margin.
  const fromMargin = pair.sent === '' ? NOWHERE : scaleOf(MARGIN, pair, [pair]);
  if (mine !== undefined && theirs !== undefined) {
    const scale = scaleOf(pair, { sent: pair.sent + mine, stands: pair.stands + theirs }, [pair]);
    return mine[0] === theirs[0] ? (sent) => (scale(sent) === fromMargin(sent) ? scale(sent) : undefined) : scale;
  }
  const level = theirs?.length ?? 0;
  const isWhole = level === 0 || (pair.stands.length - pair.sent.length) % level === 0;
  const isNear = (sent: string) => level === 0 || Math.abs(sent.length - pair.sent.length) === level;
  return (sent) => (isWhole && isNear(sent) && fromMargin(sent) === undefined ? shift(sent) : undefined);
}

/** Adds or removes what all lines have more or less in the file. It makes no new mix of tabs and blanks. */
function shiftOf(first: IndentPair, pairs: readonly IndentPair[]): IndentMap {
  const more = first.stands.slice(0, Math.max(0, first.stands.length - first.sent.length));
  const less = first.sent.slice(0, Math.max(0, first.sent.length - first.stands.length));
  if (!pairs.every(({ sent, stands }) => more + sent === less + stands)) return NOWHERE;
  const isMixed = pairs.some(({ stands }) => !isOneKind(stands));
  return (sent) => {
    const stands = sent.startsWith(less) ? more + sent.slice(less.length) : undefined;
    return stands !== undefined && (isMixed || isOneKind(stands)) ? stands : undefined;
  };
}

/** Translates lengths in the proportion of two levels, where each side uses only tabs or only blanks. */
function scaleOf(first: IndentPair, second: IndentPair, pairs: readonly IndentPair[]): IndentMap {
  const ratio = (second.stands.length - first.stands.length) / (second.sent.length - first.sent.length);
  const lengthOf = (sent: string) => first.stands.length + (sent.length - first.sent.length) * ratio;
  const [mine, theirs] = [second, ...pairs].reduce(([a, b], { sent, stands }) => [a + sent, b + stands], ['', '']);
  const fits = pairs.every(({ sent, stands }) => lengthOf(sent) === stands.length);
  if (ratio <= 0 || !fits || !isOneKind(mine) || !isOneKind(theirs)) return NOWHERE;
  return (sent) => {
    const length = lengthOf(sent);
    const isLevel = length >= 0 && Number.isInteger(length) && isOneKind(mine.charAt(0) + sent);
    return isLevel ? theirs.charAt(0).repeat(length) : undefined;
  };
}

function isOneKind(indent: string): boolean {
  return /^(?:\t*| *)$/.test(indent);
}

/** Returns the most frequent step from a line to a deeper next one. The shortest of several. */
export function indentUnitOf(lines: Iterable<string>): string | undefined {
  const counts = new Map<string, number>();
  let before: string | undefined;
  for (const line of lines) {
    if (isBlankLine(line)) continue;
    const indent = indentOf(line);
    const step = indent.startsWith(before ?? indent) ? indent.slice((before ?? indent).length) : '';
    if (step !== '' && step !== ALIGNED) counts.set(step, (counts.get(step) ?? 0) + 1);
    before = indent;
  }
  const byCount = [...counts].sort(([a, n], [b, m]) => m - n || a.length - b.length);
  return byCount[0]?.[0];
}
