import type { ToolContext, ToolOutput } from '@jinn/core';
import { lengthOf, readShown } from './read-shown.ts';
import { cutToWindow, type Hit, type SearchResult, type Window } from './search-query.ts';
import { type FoundFile, toFilenames, toGrouped, toJson, toText } from './show-hits.ts';

/** Characters of all lines that are shown. */
const MAX_SHOWN = 4 * 1024 * 1024;
const MAX_COUNTED_FILES = 50;

export interface Telling {
  readonly window: Window;
  /** Lines of context before and after each match. */
  readonly context: number;
  readonly format: 'text' | 'grouped' | 'json' | 'filenames';
  /** True to name the symbol around each match. */
  readonly withSymbols: boolean;
}

/** Makes the answer of a search that found something. */
export async function tellMatches(ctx: ToolContext, found: SearchResult, telling: Telling): Promise<ToolOutput> {
  return telling.format === 'filenames' ? tellFiles(found, telling.window) : tellLines(ctx, found, telling);
}

function tellFiles(found: SearchResult, window: Window): ToolOutput {
  const parts = cutToWindow(found.counts, window);
  const listed = parts.map(({ path }) => [path, found.counts.get(path) ?? 0] as const);
  const last = window.offset + parts.reduce((sum, { take }) => sum + take, 0);
  const total = totalOf(found);
  return {
    text: [toFilenames(listed), ...pageOf(total, window, last)].filter(Boolean).join('\n'),
    ...bounds(total, last),
    warnings: found.warnings,
    meta: metaOf(found, undefined, isPart(total, window, last)),
  };
}

async function tellLines(ctx: ToolContext, found: SearchResult, telling: Telling): Promise<ToolOutput> {
  const { window, context, format, withSymbols } = telling;
  const total = totalOf(found);
  const { files: read, looked } = readFiles(ctx, found.hits, context);
  const files = withSymbols ? await (await import('./add-symbols.ts')).addSymbols(ctx, read) : read;
  const wanted = Math.max(0, Math.min(window.limit, total - window.offset));
  // Hits of which nothing is left count as told: the next page begins behind them.
  const told = looked < found.hits.length ? looked : wanted;
  const missing = told - files.reduce((sum, { hits }) => sum + hits.length, 0);
  const changed = missing > 0 ? [`${missing} matches were left out: their files changed during the search`] : [];
  const last = window.offset + told;
  const meta = metaOf(found, files, isPart(total, window, last));
  const rest = { ...bounds(total, last), warnings: [...found.warnings, ...changed], meta };
  if (format === 'json') return { data: toJson(files), ...rest };
  const lines = format === 'grouped' ? toGrouped(files, context) : toText(files, context);
  const page = pageOf(total, window, last).join('\n');
  const text = [lines, page].filter(Boolean).join(format === 'grouped' ? '\n\n' : '\n');
  return { text, ...rest };
}

/** Reads the hits of one file after another until enough is shown. */
function readFiles({ workspace }: ToolContext, hits: readonly Hit[], context: number) {
  const files: FoundFile[] = [];
  let [looked, length] = [0, 0];
  while (looked < hits.length && length < MAX_SHOWN) {
    const { path } = hits[looked] as Hit;
    let end = looked + 1;
    while (hits[end]?.path === path) end++;
    const group = hits.slice(looked, end);
    const file = readShown(workspace, path, group, { context, maxLength: MAX_SHOWN - length });
    if (file) files.push({ path, ...file });
    looked += file?.looked ?? group.length;
    length += (file?.hits ?? []).reduce((sum, hit) => sum + lengthOf(hit), 0);
  }
  return { files, looked };
}

function totalOf({ counts }: SearchResult): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}

/** True when the answer does not have all of the matches. */
function isPart(total: number, { offset }: Window, last: number): boolean {
  return offset > 0 || last < total;
}

function bounds(totalCount: number, last: number) {
  return last < totalCount ? { truncated: true, totalCount } : { totalCount };
}

/** A line that says which matches these are, and how to see the next ones; none when they are all. */
function pageOf(total: number, { offset }: Window, last: number): string[] {
  if (last < total) return [`[matches ${offset + 1} to ${last} of ${total}; pass offset: ${last} for the next ones]`];
  if (offset >= total) return [`[no matches from offset ${offset} on: there are ${total}]`];
  return offset > 0 ? [`[matches ${offset + 1} to ${last} of ${total}]`] : [];
}

function metaOf({ engine, counts }: SearchResult, files: readonly FoundFile[] | undefined, isCut: boolean) {
  const versions = files?.flatMap(({ path, version }) => (version === undefined ? [] : [[path, version] as const]));
  const counted = [...counts].slice(0, MAX_COUNTED_FILES);
  return {
    engine,
    ...(versions && { versions: Object.fromEntries(versions) }),
    ...(isCut && { counts: Object.fromEntries(counted), ...(counts.size > counted.length && { files: counts.size }) }),
  };
}
