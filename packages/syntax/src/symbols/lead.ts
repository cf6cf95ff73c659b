import type { NodeRange } from '../grammar.ts';
import { areNeighbours, commentsAbove, startsLine, trimmedEnd } from './text-around.ts';

/** The part above a declaration that belongs to it: comments and attributes, and words that its node leaves out. */
export interface Lead {
  /** -1 if there is none. */
  readonly start: number;
  readonly end: number;
  /** The first and last comment; -1 if there is none. */
  readonly docStart: number;
  readonly docEnd: number;
  /** The first word of the declaration, if it is not in its node; else -1. */
  readonly prefixStart: number;
}

export const NO_LEAD: Lead = { start: -1, end: -1, docStart: -1, docEnd: -1, prefixStart: -1 };

export type LeadPart = 'comment' | 'attribute' | 'prefix';

/** Returns the lead with another part, or the part alone if an empty line or other text stands between. */
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

/**
 * Reports whether a comment documents the declaration behind it. A comment behind other text on its line documents that
 * text; `#!` and `//!` stand for the whole file.
 */
function isDoc(text: string, start: number): boolean {
  if (start === 0 && text.startsWith('#!')) return false;
  return !text.startsWith('//!', start) && startsLine(text, start);
}

/** Returns the lead of a declaration that starts here. With `mark`, lines above that start with it are comments. */
export function leadOf(text: string, lead: Lead, start: number, mark: string | undefined): Lead {
  if (lead.start >= 0 && areNeighbours(text, lead.end, start)) return lead;
  const above = mark === undefined ? -1 : commentsAbove(text, start, mark);
  if (above < 0) return NO_LEAD;
  const end = trimmedEnd(text, above, start);
  return { start: above, end, docStart: above, docEnd: end, prefixStart: -1 };
}
