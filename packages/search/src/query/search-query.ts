import { ToolError } from '@jinn/errors';
import type { Pattern } from '@jinn/regex';
import type { ToolContext } from '@jinn/tool';
import { MAX_FOUND_FILES } from './limits.ts';
import { WorkTime } from './work-time.ts';

/** What an engine is asked to find. */
export interface SearchQuery {
  readonly pattern: Pattern;
  /** True when a match may cross lines. */
  readonly crossesLines: boolean;
  /** The hits to show, counted over all files in the order of their paths. */
  readonly window: Window;
  readonly limits: TimeLimits;
  readonly ctx: ToolContext;
}

export interface Window {
  readonly offset: number;
  readonly limit: number;
}

/** For a search that only counts. */
export const NO_HITS: Window = { offset: 0, limit: 0 };

export interface TimeLimits {
  /** When the whole search ends with an error, in seconds of `process.uptime()`. */
  readonly endsAt: number;
  /** For the whole search, in milliseconds. */
  readonly totalMs: number;
  /** For matching the pattern with the built-in engine, in milliseconds. */
  readonly patternMs: number;
  /** For a search in which the built-in engine reads files, in milliseconds of processor time. */
  readonly ownMs: number;
  /** What the built-in engine has done for the search. */
  readonly own: WorkTime;
}

/** Limits that begin to count now; without the last two, there is only the one for the whole search. */
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
  /** From 1. */
  readonly line: number;
  /** Where the line begins in the content. */
  readonly offset: number;
  /** Of the line or lines, without the line end of the last one. */
  readonly length: number;
  /** Where the first match begins, counted from `offset`. */
  readonly start: number;
  /** What follows there on the same line: the file may change before its lines are shown. */
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

/** Compares paths as they are listed: by code units. */
export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Throws `resource_limit` once there are too many files that have matches, or may have one. */
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
