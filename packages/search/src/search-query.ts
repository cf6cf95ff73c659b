import type { ToolContext } from '@jinn/core';
import type { Pattern } from '@jinn/regex';

/** What an engine is asked for. */
export interface SearchQuery {
  readonly pattern: Pattern;
  /** True when a match may cross lines. */
  readonly crossesLines: boolean;
  /** The hits that will be shown, counted over all files in the order of their paths. */
  readonly window: Window;
  /** The path that was named, below the workspace root and without links. */
  readonly start: string;
  /** True when hidden files are searched. */
  readonly showsHidden: boolean;
  readonly limitMs: number;
  readonly ctx: ToolContext;
}

export interface Window {
  readonly offset: number;
  readonly limit: number;
}

/** A line that matches, or the lines of a match that crosses some. Offsets are in bytes of the content. */
export interface Hit {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** Where the line begins. */
  readonly offset: number;
  /** Of the line or lines, without the last line feed. */
  readonly length: number;
  /** Where the first match begins, and where the last one ends, from `offset`. */
  readonly start: number;
  readonly end: number;
  /** The beginning of the first match: a file may change before its lines are shown. */
  readonly sample: Buffer;
}

export interface SearchResult {
  /** How many lines match, by path, in the order of the paths. */
  readonly counts: ReadonlyMap<string, number>;
  /** Those in the window, in order. */
  readonly hits: readonly Hit[];
  readonly notes: readonly string[];
}

/** Compares as paths are listed: by code units. */
export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The same counts in the order of the paths. */
export function inOrder(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map([...counts].sort(([a], [b]) => byCodeUnits(a, b)));
}

/** What of each file, in order, is inside the window: how many hits to skip, and how many to take. */
export function cutToWindow(
  counts: ReadonlyMap<string, number>,
  { offset, limit }: Window,
): { readonly path: string; readonly skip: number; readonly take: number }[] {
  const parts: { path: string; skip: number; take: number }[] = [];
  let before = 0;
  for (const [path, count] of counts) {
    const skip = Math.max(0, offset - before);
    const take = Math.min(count, offset + limit - before) - skip;
    if (take > 0) parts.push({ path, skip, take });
    before += count;
  }
  return parts;
}
