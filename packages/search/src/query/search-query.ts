import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { Pattern } from '@jinn/core/regex';
import { MAX_FOUND_FILES } from './limits.ts';
import { WorkTime } from './work-time.ts';

/** The query for an engine. */
export interface SearchQuery {
  readonly pattern: Pattern;
  /** True if a match may cross lines. */
  readonly crossesLines: boolean;
  /** The hits to show, counted over all files in the order of their paths. */
  readonly window: Window;
  readonly limits: TimeLimits;
  readonly ctx: ToolContext;
  /** The files that are named one by one; in these, a NUL may be part of the text. None if absent. */
  readonly named?: ReadonlySet<string>;
  /** True to search binary files too, as if they were text. */
  readonly searchesBinary?: boolean;
}

export interface Window {
  readonly offset: number;
  readonly limit: number;
}

/** The window of a search that only counts. */
export const NO_HITS: Window = { offset: 0, limit: 0 };

export interface TimeLimits {
  /** When the whole search ends with an error, in seconds of `process.uptime()`. */
  readonly endsAt: number;
  /** The limit for the whole search, in milliseconds. */
  readonly totalMs: number;
  /** The limit for matching the pattern with the built-in engine, in milliseconds. */
  readonly patternMs: number;
  /** The limit for a search in which the built-in engine reads files, in milliseconds of processor time. */
  readonly ownMs: number;
  /** The work of the built-in engine for the search. */
  readonly own: WorkTime;
}

/** Makes limits that begin to count now; without the last two, there is only the one for the whole search. */
export function limitsFrom(totalMs: number, patternMs = totalMs, ownMs = totalMs): TimeLimits {
  return { endsAt: process.uptime() + totalMs / 1000, totalMs, patternMs, ownMs, own: new WorkTime() };
}

/** Returns the milliseconds that are left; at least one. */
export function timeLeft({ endsAt }: TimeLimits): number {
  return Math.max(1, 1000 * (endsAt - process.uptime()));
}

/** A line that matches, or all lines of a match that crosses some. Offsets and lengths are bytes of the content. */
export interface Hit {
  readonly path: string;
  /** The line, from 1. */
  readonly line: number;
  /** The beginning of the line in the content. */
  readonly offset: number;
  /** The length of the line or lines, without the line end of the last one. */
  readonly length: number;
  /** The beginning of the first match, from `offset`. */
  readonly start: number;
  /** The text from there on the same line: the file may change before its lines are shown. */
  readonly sample: Buffer;
}

export interface SearchResult {
  /** The engine and its version. */
  readonly engine: string;
  /** The number of hits by path, in the order of the paths. */
  readonly counts: ReadonlyMap<string, number>;
  /** The hits in the window, in order. */
  readonly hits: readonly Hit[];
  readonly warnings: readonly string[];
}

/** Returns the number of all hits. */
export function totalOf(counts: SearchResult['counts']): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Compares paths by code units, the order of lists. */
export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Throws `resource_limit` if too many files have matches, or may have one. */
export function checkFound(counts: SearchResult['counts']): void {
  if (counts.size <= MAX_FOUND_FILES) return;
  throw new ToolError('resource_limit', `the pattern may match in more than ${MAX_FOUND_FILES} files`, {
    suggestion: 'use a pattern that matches less, or search fewer files with path, include or type',
  });
}

/** Returns the same counts in the order of the paths. */
export function inOrder(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map([...counts].sort(([a], [b]) => byCodeUnits(a, b)));
}

/** The part of a file's hits that lies in the window. */
export interface Part {
  readonly path: string;
  readonly skip: number;
  readonly take: number;
}

/** Returns the files of which some hits lie in the window, in order. */
export function cutToWindow(counts: ReadonlyMap<string, number>, { offset, limit }: Window): Part[] {
  const parts: Part[] = [];
  let before = 0;
  for (const [path, count] of counts) {
    const skip = Math.max(0, offset - before);
    const take = Math.min(count, offset + limit - before) - skip;
    if (take > 0) parts.push({ path, skip, take });
    before += count;
  }
  return parts;
}
