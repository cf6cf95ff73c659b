import type { Pattern } from '@jinn/regex';
import type { ToolContext } from '@jinn/tool';

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
}

/** Limits that begin to count now. */
export function limitsFrom(totalMs: number, patternMs: number): TimeLimits {
  return { endsAt: process.uptime() + totalMs / 1000, totalMs, patternMs };
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
