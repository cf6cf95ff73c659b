import type { NodeRange } from '../grammar.ts';

/** The part above a declaration that belongs to it: comments and attributes, and words that its node omits. */
export interface Lead {
  readonly start: number;
  readonly end: number;
  /** The first and last comment, or -1 if there is none. */
  readonly docStart: number;
  readonly docEnd: number;
  /** The first word of the declaration, if it is not in its node, otherwise -1. */
  readonly prefixStart: number;
}

export const NO_LEAD: Lead = { start: -1, end: -1, docStart: -1, docEnd: -1, prefixStart: -1 };

export type LeadPart = 'comment' | 'attribute' | 'prefix';
const NEWLINE = 10;

/** True for the code of a blank or of a byte order mark. */
export function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xfeff || code === 0xa0;
}

/** True if only white space precedes the offset on its line. */
export function startsLine(text: string, offset: number): boolean {
  let i = offset - 1;
  while (i >= 0 && text.charCodeAt(i) !== NEWLINE && isBlank(text.charCodeAt(i))) i--;
  return i < 0 || text.charCodeAt(i) === NEWLINE;
}

/** True if only white space follows the offset on its line. */
export function endsLine(text: string, offset: number): boolean {
  let i = offset;
  while (i < text.length && text.charCodeAt(i) !== NEWLINE && isBlank(text.charCodeAt(i))) i++;
  return i >= text.length || text.charCodeAt(i) === NEWLINE;
}

/** True if only white space without an empty line is between the offsets. */
function areNeighbours(text: string, from: number, to: number): boolean {
  let newlines = 0;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (!isBlank(code)) return false;
    if (code === NEWLINE && ++newlines > 1) return false;
  }
  return true;
}

export function areApartByBlanks(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!isBlank(text.charCodeAt(i))) return false;
  return true;
}

export function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

/** Leaves out lines of comments at the end, which start with `mark`. */
export function endBeforeComments(text: string, start: number, end: number, mark: string): number {
  let at = trimmedEnd(text, start, end);
  for (;;) {
    const line = lineStart(text, at);
    if (line <= start || !beginsWith(text, line, mark)) return at;
    at = trimmedEnd(text, start, line);
  }
}

/** Finds the first of the comment lines above, which start with `mark`, or -1 if there are none. */
function commentsAbove(text: string, offset: number, mark: string): number {
  if (!startsLine(text, offset)) return -1;
  let found = -1;
  let line = lineStart(text, offset);
  while (line > 0) {
    line = lineStart(text, line - 1);
    if (!beginsWith(text, line, mark)) return found;
    found = text.indexOf(mark, line);
  }
  return found;
}

function lineStart(text: string, offset: number): number {
  return offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

function beginsWith(text: string, line: number, mark: string): boolean {
  let at = line;
  while (at < text.length && text.charCodeAt(at) !== NEWLINE && isBlank(text.charCodeAt(at))) at++;
  return text.startsWith(mark, at);
}

/** Only the part remains if an empty line or other text is between. */
export function addToLead(text: string, lead: Lead, part: LeadPart, node: NodeRange): Lead {
  const { startIndex: start } = node;
  const end = trimmedEnd(text, start, node.endIndex);
  if (part === 'comment' && !isDoc(text, start)) return NO_LEAD;
  const before = lead.start >= 0 && areNeighbours(text, lead.end, start) ? lead : NO_LEAD;
  const first = before.start >= 0 ? before.start : start;
  if (part === 'comment') {
    return { ...before, start: first, end, docStart: before.docStart >= 0 ? before.docStart : start, docEnd: end };
  }
  const prefixStart = part === 'prefix' && before.prefixStart < 0 ? start : before.prefixStart;
  return { ...before, start: first, end, prefixStart };
}

/** A comment after other text on its line documents that text. `#!` and `//!` are about the whole file. */
function isDoc(text: string, start: number): boolean {
  if (start === 0 && text.startsWith('#!')) return false;
  return !text.startsWith('//!', start) && startsLine(text, start);
}

/** With `mark`, lines above that start with it are comments. */
export function leadOf(text: string, lead: Lead, start: number, mark: string | undefined): Lead {
  if (lead.start >= 0 && areNeighbours(text, lead.end, start)) return lead;
  const above = mark === undefined ? -1 : commentsAbove(text, start, mark);
  if (above < 0) return NO_LEAD;
  const end = trimmedEnd(text, above, start);
  return { start: above, end, docStart: above, docEnd: end, prefixStart: -1 };
}
