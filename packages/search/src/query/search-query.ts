import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type Pattern, WHOLE_BREAK } from '@jinn/core/regex';
import { stepsOf } from '@jinn/core/text';
import type { LeftOut } from '@jinn/workspace/walk';
import type { SearchedCharsets } from './searched-charsets.ts';

/** The largest file in which a match may cross lines, and the largest in UTF-16: both are held in memory whole. */
export const MAX_WHOLE_FILE = 32 * 1024 * 1024;
/** The largest file that is read at once, for a match within one line. */
export const SMALL_FILE = 1024 * 1024;
/** Processor time for a search in which the built-in engine reads files, in milliseconds. */
export const OWN_MS = 4_000;
/** The most files with matches: all of them are held in memory. */
const MAX_FOUND_FILES = 200_000;
/** How many bytes of a matching line, from the match on, are kept to recognize it. */
export const SAMPLE_BYTES = 64;

/** The query for an engine. */
export interface SearchQuery {
  readonly pattern: Pattern;
  readonly crossesLines: boolean;
  /** The hits to show, counted over all files in the order of their paths. */
  readonly window: Window;
  readonly limits: TimeLimits;
  readonly ctx: ToolContext;
  /** The files that are named one by one. In these, a NUL may be part of the text. None if absent. */
  readonly named?: ReadonlySet<string>;
  /** Takes the files that are not searched. */
  readonly leftOut?: LeftOut;
  /** True to search binary files too, as if they were text. */
  readonly searchesBinary?: boolean;
  /** Decodes the files that are not UTF-8. If absent, their bytes are searched. */
  readonly charsets?: SearchedCharsets;
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
  readonly totalMs: number;
  /** The limit for matching the pattern with the built-in engine, in milliseconds. */
  readonly patternMs: number;
  /** The limit for a search in which the built-in engine reads files, in milliseconds of processor time. */
  readonly ownMs: number;
  readonly own: WorkTime;
}

/** Makes limits that start to count now. Without the last two, there is only the one for the whole search. */
export function limitsFrom(totalMs: number, patternMs = totalMs, ownMs = totalMs): TimeLimits {
  return { endsAt: process.uptime() + totalMs / 1000, totalMs, patternMs, ownMs, own: new WorkTime() };
}

/** Returns the milliseconds that are left. At least one. */
export function timeLeft({ endsAt }: TimeLimits): number {
  return Math.max(1, 1000 * (endsAt - process.uptime()));
}

/** A line that matches, or all lines of a match that crosses some. Offsets and lengths are bytes of the content. */
export interface Hit {
  readonly path: string;
  readonly line: number;
  readonly offset: number;
  /** The length of the line or lines, without the line end of the last one. */
  readonly length: number;
  /** The start of the first match, from `offset`. */
  readonly start: number;
  /** The text from there on the same line: the file may change before its lines are shown. */
  readonly sample: Buffer;
}

export interface SearchResult {
  readonly engine: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly hits: readonly Hit[];
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

/** The part of a file's hits that is in the window. */
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

/** Adds up the time of pieces of work: the elapsed time, but no more than the processor time of the process. */
class WorkTime {
  ms = 0;

  run<T>(work: () => T): T {
    const end = this.begin();
    try {
      return work();
    } finally {
      end();
    }
  }

  begin(): () => void {
    const start = performance.now();
    const cpu = process.cpuUsage();
    return () => {
      const { user, system } = process.cpuUsage(cpu);
      this.ms += Math.min(performance.now() - start, (user + system) / 1_000);
    };
  }
}

/** Makes the error for a search that was not done when its time was over. */
export function searchTimeout(limitMs: number, cause?: unknown): ToolError {
  return new ToolError('timeout', `the search was not done after ${Math.round(limitMs / 100) / 10} seconds`, {
    suggestion: 'search fewer files with a narrower path, or pass a longer timeout',
    cause,
  });
}

/** Returns the same context for a part of a call with less time: its checkpoint throws `timeout` after `limitMs`. */
export function withTimeLimit(ctx: ToolContext, limitMs: number): ToolContext {
  const end = process.uptime() + limitMs / 1000;
  return {
    ...ctx,
    checkpoint: async () => {
      await ctx.checkpoint();
      if (process.uptime() <= end) return;
      throw searchTimeout(limitMs);
    },
  };
}

/** The most steps of a pattern: they take half a second at worst, and mostly a few milliseconds. */
const MAX_STEPS = 200_000_000;

/** Reports whether the pattern is sure to be matched soon, even in texts that are made to slow it down. */
export function isQuick(
  { pattern, crossesLines }: Pick<SearchQuery, 'pattern' | 'crossesLines'>,
  texts: readonly string[],
) {
  // There is one way only in which it matches.
  const most = stepsOf(pattern.js.replaceAll(WHOLE_BREAK, ''), 'v');
  let steps = 0;
  for (const text of texts) {
    if (crossesLines) steps += most(text.length);
    else for (const length of lineLengths(text)) steps += most(length);
    if (steps > MAX_STEPS) return false;
  }
  return true;
}

function* lineLengths(text: string): Generator<number> {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    yield end + 1 - start;
    start = end + 1;
  }
  yield text.length - start;
}
