import { isUtf8 } from 'node:buffer';
import { lineAt } from '../read/text-content.ts';
import { findUnseen } from './unseen-difference.ts';

const MAX_LINE = 200;
const MAX_LINES = 6;

export interface NearestText {
  /** The line, from 1. */
  readonly line: number;
  readonly text: string;
  /** The wanted lines and those of the file, as a short diff. */
  readonly diff: string;
  /** True if the diff has all of the wanted lines, and cuts none of those of the file. */
  readonly isWhole: boolean;
  /** Why no text can match there, if there are bytes that are not UTF-8, and what to send. */
  readonly foreign: string | undefined;
  /** How the text looks the same here, and is not; undefined if the difference can be seen. */
  readonly unseen: string | undefined;
}

/**
 * Finds the line of a file that is most like the first line of a text, by the characters that they share. Returns undefined
 * for a text of blanks. Looks from the offset `from` on, where a line begins. Strings hold bytes (latin1); the result is for
 * people.
 */
export function nearestText(bytes: string, wanted: string, from = 0): NearestText | undefined {
  const written = wanted.replace(/\n$/, '').split('\n');
  const lines = written.filter((line) => line.trim() !== '');
  const first = lines[0]?.trim().slice(0, MAX_LINE);
  if (first === undefined) return undefined;
  const unseen = findUnseen(bytes.slice(from), wanted);
  const best = bestLine(bytes, first, from + (unseen?.start ?? 0));
  const found = linesFrom(bytes, best.start, Math.min(lines.length, MAX_LINES));
  const removed = lines.slice(0, MAX_LINES).map((line) => `- ${show(line)}`);
  const added = found.map((line) => `+ ${show(line)}`);
  const isWhole =
    written.length === found.length && lines.length === found.length && found.every((line) => line.length <= MAX_LINE);
  const diff = [...removed, ...added].join('\n');
  const isForeign = !found.every(isText) || (!/^[\0-\x7f]*$/.test(wanted) && !isText(bytes));
  const foreign = isForeign ? adviseForeign(best.line) : undefined;
  return { line: best.line, text: show((found[0] ?? '').trim()), diff, isWhole, foreign, unseen: unseen?.told };
}

function adviseForeign(line: number): string {
  return `the file has bytes that are not UTF-8, which no text can match: send a part of line ${line} that is ASCII`;
}

/** Reports whether bytes are UTF-8. The last character of a line that is cut does not count. */
function isText(bytes: string): boolean {
  return isUtf8(
    Buffer.from(bytes.length < 2 * MAX_LINE ? bytes : bytes.replace(/[\xc2-\xf4][\x80-\xbf]*$/, ''), 'latin1'),
  );
}

function bestLine(bytes: string, wanted: string, from: number): { line: number; start: number } {
  const counts = countBytes(wanted);
  let line = lineAt(bytes, from);
  const best = { line, start: from, score: -1 };
  for (let start = from; start <= bytes.length; line++) {
    const newline = bytes.indexOf('\n', start);
    const end = newline < 0 ? bytes.length : newline;
    const score = likeness(bytes.slice(start, Math.min(end, start + 2 * MAX_LINE)).trim(), wanted, counts);
    if (score > best.score) Object.assign(best, { line, start, score });
    if (newline < 0) break;
    start = newline + 1;
  }
  return best;
}

function countBytes(text: string): Int32Array {
  const counts = new Int32Array(256);
  for (let i = 0; i < text.length; i++) counts[text.charCodeAt(i)] = (counts[text.charCodeAt(i)] as number) + 1;
  return counts;
}

/**
 * The wanted bytes that are not matched yet while one line is compared. It is made once, since there may be half a
 * million lines.
 */
const left = new Int32Array(256);

/** Returns the share of bytes that two lines have in common, a little more for an equal beginning. */
function likeness(line: string, wanted: string, wantedCounts: Int32Array): number {
  const text = line.slice(0, MAX_LINE);
  left.set(wantedCounts);
  let shared = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text.charCodeAt(i);
    const rest = left[byte] as number;
    if (rest <= 0) continue;
    left[byte] = rest - 1;
    shared++;
  }
  let prefix = 0;
  while (prefix < text.length && text[prefix] === wanted[prefix]) prefix++;
  return (shared + prefix / 2) / Math.max(text.length, wanted.length, 1);
}

function linesFrom(bytes: string, start: number, count: number): string[] {
  const lines: string[] = [];
  for (let at = start; lines.length < count && at <= bytes.length; ) {
    const newline = bytes.indexOf('\n', at);
    const end = newline < 0 ? bytes.length : newline;
    lines.push(bytes.slice(at, Math.min(end, at + 2 * MAX_LINE)));
    if (newline < 0) break;
    at = newline + 1;
  }
  return lines;
}

function show(line: string): string {
  const text = Buffer.from(line.replace(/\r$/, ''), 'latin1').toString();
  return text.length <= MAX_LINE ? text : `${text.slice(0, MAX_LINE)}…`;
}
