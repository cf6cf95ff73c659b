import { symbolAt } from '../symbols/find-symbols.ts';
import type { Outline, SyntaxFault, SyntaxSymbol } from '../symbols.ts';
import { EMPTY_BLOCK } from './find-faults.ts';

/** Characters that may open or close something, so that the text after them is read as something else. */
const DELIMITERS = /[{}"'`]/;
/** A closing brace ends the declaration. */
const ENDS_WITH_BRACE = /\}[;,)\s]*$/;
const MOST_TEXT = 80;
const MOST_LINES = 10;

export interface FaultReport {
  readonly line: number;
  readonly message: string;
}

export interface ReadVersion {
  readonly content: Buffer;
  readonly outline: Pick<Outline, 'faults'>;
}

/**
 * Returns errors that a change made. An error is old if it is at the same place of unchanged text, or starts in a line
 * of the same text. An edit within faulty text moves errors, so the rest are new only if there are more than before.
 */
export function newFaults(before: ReadVersion, after: ReadVersion): readonly SyntaxFault[] {
  const old = [...before.outline.faults];
  const changed = changedRange(before.content, after.content);
  const fresh = after.outline.faults.filter((fault) => !removeFirst(old, (each) => isMoved(each, fault, changed)));
  const lines = old.map((fault) => lineText(before.content, fault.start));
  return fresh.filter((fault) => {
    const at = lines.indexOf(lineText(after.content, fault.start));
    if (at >= 0) lines.splice(at, 1);
    return at < 0;
  });
}

function removeFirst<Item>(items: Item[], fits: (item: Item) => boolean): boolean {
  const at = items.findIndex(fits);
  if (at >= 0) items.splice(at, 1);
  return at >= 0;
}

function isMoved(
  before: SyntaxFault,
  after: SyntaxFault,
  { prefix, suffix, shift }: ReturnType<typeof changedRange>,
): boolean {
  if (before.missing !== after.missing) return false;
  if (before.start >= suffix) return before.start + shift === after.start;
  return before.start < prefix && before.start === after.start;
}

function changedRange(before: Buffer, after: Buffer) {
  const most = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < most && before[prefix] === after[prefix]) prefix++;
  let same = 0;
  while (same < most - prefix && before[before.length - 1 - same] === after[after.length - 1 - same]) same++;
  return { prefix, suffix: before.length - same, shift: after.length - before.length };
}

const MOST_LINE = 1_000;

function lineText(content: Buffer, offset: number): string {
  const start = content.lastIndexOf(10, offset - 1) + 1;
  const end = content.indexOf(10, offset);
  const length = end < 0 ? content.length : end;
  return content.toString('latin1', start, Math.min(length, start + MOST_LINE)).trim();
}

/** Puts the syntax errors of a content into words. */
export function reportFaults(content: Buffer, faults: readonly SyntaxFault[]): FaultReport[] {
  return faults.map((fault) => ({ line: fault.line, message: messageOf(content, fault) }));
}

function messageOf(content: Buffer, { start, end, missing, problem }: SyntaxFault): string {
  if (problem !== undefined) return problem;
  if (missing !== undefined) return `missing ${missing}`;
  const [text = ''] = content.toString('utf8', start, Math.min(end, start + 4 * MOST_TEXT)).split('\n');
  const shown = text.trim();
  if (shown === '') return 'something is missing here';
  return `unexpected ${shown.length > MOST_TEXT ? `${shown.slice(0, MOST_TEXT)}…` : shown}`;
}

/** Languages whose macros may make something else of the lines around an error. */
const HAS_MACROS: ReadonlySet<string> = new Set(['c', 'cpp']);

/** Names the lines that the parser could not read, which may declare more, such as `3-20, 30`. Empty if there are none. */
export function unreadLines(outline: Pick<Outline, 'faults' | 'symbols' | 'language'>): string {
  const hasMacros = HAS_MACROS.has(outline.language);
  const unread = outline.faults.filter(
    ({ missing, problem }) => problem === undefined && (hasMacros || missing === undefined),
  );
  const wide = unread.map((fault) => (hasMacros ? linesAround(outline.symbols, fault) : fault));
  const ranges: { line: number; endLine: number }[] = [];
  for (const { line, endLine } of wide.toSorted((a, b) => a.line - b.line)) {
    const last = ranges.at(-1);
    if (last && hasMacros && line <= last.endLine + 1) last.endLine = Math.max(last.endLine, endLine);
    else ranges.push({ line, endLine });
  }
  const lines = new Set(ranges.map(({ line, endLine }) => (line === endLine ? `${line}` : `${line}-${endLine}`)));
  return (
    [...lines].slice(0, MOST_LINES).join(', ') + (lines.size > MOST_LINES ? ` and ${lines.size - MOST_LINES} more` : '')
  );
}

/** Returns the lines between the symbols before and behind an error, within what holds it. */
function linesAround(symbols: readonly SyntaxSymbol[], { start, end, line, endLine }: SyntaxFault) {
  const around = symbolAt({ symbols }, start);
  const inside = symbols.filter(({ parent }) => symbols[parent] === around);
  const before = inside.filter((symbol) => symbol.end <= start).at(-1);
  const behind = inside.find((symbol) => symbol.start >= end);
  return {
    line: before?.endLine ?? around?.startLine ?? 1,
    endLine: Math.max(endLine, behind?.startLine ?? around?.endLine ?? line),
  };
}

/**
 * True if a declaration may end elsewhere than in the tree: an error follows it, or is in it and more than a part of a
 * line between its braces.
 */
export function isDamaged({ faults }: Pick<Outline, 'faults'>, symbol: SyntaxSymbol, content: Buffer): boolean {
  let next = symbol.end;
  while (next < content.length && isBlank(content[next] as number)) next++;
  const near = faults.filter(
    ({ start, problem, missing }) =>
      symbol.start <= start && start <= next && problem === undefined && missing !== EMPTY_BLOCK,
  );
  if (near.length === 0) return false;
  const isBraced = ENDS_WITH_BRACE.test(
    content.toString('latin1', Math.max(symbol.start, symbol.end - 10), symbol.end),
  );
  return !isBraced || near.some((fault) => !isHarmless(fault, symbol, content));
}

function isHarmless({ start, end, missing }: SyntaxFault, symbol: SyntaxSymbol, content: Buffer): boolean {
  const { body } = symbol;
  if (end >= symbol.end || start < (body?.start ?? symbol.start)) return false;
  return !DELIMITERS.test(missing ?? content.toString('latin1', start, end));
}

function isBlank(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13);
}
