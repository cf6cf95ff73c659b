import type { ToolContext, ToolOutput } from '@jinn/core';
import { counted } from '@jinn/core/text/counted';
import { oneLine } from '@jinn/workspace/walk';
import type { TreeResult } from '../engines/search-tree.ts';
import { type Hit, totalOf, type Window } from '../query/search-query.ts';
import type { SearchedCharsets } from '../query/searched-charsets.ts';
import { readShown, type ShownFile, type ShownHit, sizeOf } from './read-shown.ts';

const MAX_SHOWN = 4 * 1024 * 1024;
const FOOTER_BYTES = 200;
/** The bytes next to the text of a line: its number and the punctuation. In JSON, the names of the members too. */
const LINE_BYTES = 8;
const JSON_BYTES = 80;
const MAX_COUNTED_FILES = 50;

type FoundMatches = Omit<TreeResult, 'binary'>;

export interface FormatOptions {
  readonly window: Window;
  readonly context: number;
  readonly format: 'text' | 'grouped' | 'json' | 'filenames';
  readonly withSymbols: boolean;
  readonly charsets: SearchedCharsets;
}

/** Formats the answer of a search with matches. */
export async function formatMatches(
  ctx: ToolContext,
  found: FoundMatches,
  telling: FormatOptions,
): Promise<ToolOutput> {
  return telling.format === 'filenames' ? formatFiles(ctx, found, telling.window) : formatLines(ctx, found, telling);
}

function roomOf({ maxResult = Number.POSITIVE_INFINITY }: ToolContext): number {
  return Math.min(MAX_SHOWN, maxResult - FOOTER_BYTES);
}

function formatFiles(ctx: ToolContext, found: FoundMatches, { offset, limit }: Window): ToolOutput {
  let room = roomOf(ctx);
  const listed = [...found.counts].slice(offset, offset + limit).filter(([path, count], i) => {
    room -= Buffer.byteLength(path) + `: ${count} matches\n`.length;
    return room >= 0 || i === 0;
  });
  const page = { what: 'files', offset, last: offset + listed.length, total: found.counts.size } as const;
  return {
    text: [toFilenames(listed), ...footerOf(page)].filter(Boolean).join('\n'),
    ...bounds(page),
    warnings: found.warnings,
    meta: metaOf(found, undefined, isPart(page)),
    visualize: async () => (await import('./visualize-matches.ts')).visualizeCounts(listed, page.total),
  };
}

async function formatLines(ctx: ToolContext, found: FoundMatches, telling: FormatOptions): Promise<ToolOutput> {
  const { window, context, format, withSymbols, charsets } = telling;
  const total = totalOf(found.counts);
  const { files: read, looked } = readFiles(ctx, found.hits, { context, format, charsets });
  const files = withSymbols ? await (await import('./add-symbols.ts')).addSymbols(ctx, read, charsets) : read;
  const wanted = Math.max(0, Math.min(window.limit, total - window.offset));
  // Hits of which nothing is left count as told: the next page starts after them.
  const told = looked < found.hits.length ? looked : wanted;
  const missing = told - files.reduce((sum, { hits }) => sum + hits.length, 0);
  const changed =
    missing > 0
      ? [
          `${counted(missing, 'match')} ${missing === 1 ? 'was' : 'were'} omitted: their files changed during the search`,
        ]
      : [];
  const page = { what: 'matches', offset: window.offset, last: window.offset + told, total } as const;
  const rest = {
    ...bounds(page),
    warnings: [...found.warnings, ...changed],
    meta: metaOf(found, files, isPart(page)),
    visualize: async () => (await import('./visualize-matches.ts')).visualizeMatches(files, total),
  };
  const footer = footerOf(page).join('\n');
  // A list in JSON has no last line.
  const more = ctx.maxResult === undefined || footer === '' ? [] : [footer.slice(1, -1)];
  if (format === 'json') return { data: toJson(files), ...rest, warnings: [...rest.warnings, ...more] };
  const lines = format === 'grouped' ? toGrouped(files, context) : toText(files, context);
  const text = [lines, footer].filter(Boolean).join(format === 'grouped' ? '\n\n' : '\n');
  return { text, ...rest };
}

function readFiles(
  ctx: ToolContext,
  hits: readonly Hit[],
  { context, format, charsets }: Pick<FormatOptions, 'context' | 'format' | 'charsets'>,
) {
  const files: ShownFile[] = [];
  let [looked, room] = [0, roomOf(ctx)];
  while (looked < hits.length) {
    const { path } = hits[looked] as Hit;
    let end = looked + 1;
    while (hits[end]?.path === path) end++;
    const group = hits.slice(looked, end);
    const pathBytes = Buffer.byteLength(path) + 2;
    const perLine = format === 'grouped' ? LINE_BYTES : pathBytes + (format === 'json' ? JSON_BYTES : LINE_BYTES);
    const isFirst = files.length === 0;
    const options = { context, room: room - pathBytes, perLine, isFirst, charset: charsets.get(path) };
    const file = readShown(ctx.workspace, path, group, options);
    if (file?.looked === 0) break;
    if (file) files.push(file);
    looked += file?.looked ?? group.length;
    room -= pathBytes + (file?.hits ?? []).reduce((sum, hit) => sum + sizeOf(hit, perLine), 0);
  }
  return { files, looked };
}

interface Page {
  readonly what: 'matches' | 'files';
  readonly offset: number;
  readonly last: number;
  readonly total: number;
}

function isPart({ offset, last, total }: Page): boolean {
  return offset > 0 || last < total;
}

function bounds({ last, total }: Page) {
  return last < total ? { truncated: true, totalCount: total } : { totalCount: total };
}

function footerOf({ what, offset, last, total }: Page): string[] {
  if (last < total) return [`[${what} ${offset + 1} to ${last} of ${total}; pass offset: ${last} for the next ones]`];
  if (offset >= total) return [`[no ${what} from offset ${offset} on: there are ${total}]`];
  return offset > 0 ? [`[${what} ${offset + 1} to ${last} of ${total}]`] : [];
}

function metaOf({ engine, counts }: FoundMatches, files: readonly ShownFile[] | undefined, isCut: boolean) {
  const versions = files?.flatMap(({ path, version }) => (version === undefined ? [] : [[path, version] as const]));
  const counted = [...counts].slice(0, MAX_COUNTED_FILES);
  return {
    engine,
    ...(versions && { versions: Object.fromEntries(versions) }),
    ...(isCut && { counts: Object.fromEntries(counted), ...(counts.size > counted.length && { files: counts.size }) }),
  };
}

function toJson(files: readonly ShownFile[]) {
  return files.flatMap(({ path, hits }) =>
    hits.map((hit) => ({
      file: path,
      line: hit.line,
      column: hit.column,
      text: hit.lines.join('\n'),
      ...(hit.before.length > 0 && { context_before: hit.before }),
      ...(hit.after.length > 0 && { context_after: hit.after }),
      ...(hit.symbol !== undefined && { symbol: hit.symbol }),
    })),
  );
}

/** As grep does: `path:line:text`, a dash instead of each colon in context, `--` between lines that do not touch. */
function toText(files: readonly ShownFile[], context: number): string {
  const groups = files.flatMap(({ path, hits }) => groupsOf(hits, oneLine(path)));
  return joinGroups(groups, context);
}

/** Each path once above its lines, with an empty line around them. A file with one line takes one: `path:line:text`. */
function toGrouped(files: readonly ShownFile[], context: number): string {
  let text = '';
  let wasLine = true;
  for (const { path, hits } of files) {
    if (hits.length === 0) continue;
    const groups = groupsOf(hits, '');
    const isLine = groups.flat().length === 1;
    if (text !== '') text += isLine && wasLine ? '\n' : '\n\n';
    text += `${oneLine(path)}${isLine ? ':' : '\n'}${joinGroups(groups, context)}`;
    wasLine = isLine;
  }
  return text;
}

function joinGroups(groups: readonly (readonly string[])[], context: number): string {
  return groups.map((lines) => lines.join('\n')).join(context > 0 ? '\n--\n' : '\n');
}

function groupsOf(hits: readonly ShownHit[], path: string): string[][] {
  const [match, context] = path === '' ? ['', ''] : [`${path}:`, `${path}-`];
  const groups: string[][] = [];
  let last = Number.NaN;
  const add = (line: number, text: string) => {
    if (line === last + 1) groups.at(-1)?.push(text);
    else groups.push([text]);
    last = line;
  };
  for (const { line, lines, lastLine, before, after, symbol } of hits) {
    for (const [i, text] of before.entries()) {
      const number = line - before.length + i;
      add(number, `${context}${number}-${text}`);
    }
    const around = symbol === undefined ? '' : `  [in ${oneLine(symbol)}]`;
    for (const [i, text] of lines.entries()) add(line + i, `${match}${line + i}:${text}${i === 0 ? around : ''}`);
    for (const [i, text] of after.entries()) {
      const number = lastLine + 1 + i;
      add(number, `${context}${number}-${text}`);
    }
  }
  return groups;
}

function toFilenames(counts: Iterable<readonly [path: string, count: number]>): string {
  return Array.from(counts, ([path, count]) => `${oneLine(path)}: ${count}`).join('\n');
}
