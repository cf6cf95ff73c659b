import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { compilePattern, type Pattern } from '@jinn/core/regex';
import { countLineFeeds } from '@jinn/core/text/counted';
import { MatchThread, matchLines } from '@jinn/core/thread';
import { searchTree, type TreeResult } from '@jinn/search/engines/search-tree';
import { isQuick, limitsFrom, OWN_MS, type SearchQuery, totalOf, withTimeLimit } from '@jinn/search/query/search-query';
import { startsAt } from '@jinn/search/query/search-targets';
import { buffersOf, parseReference, type Reference, referenceText } from './buffers/buffers.ts';
import { cutToAnswer, keepResult, MAX_COUNTED, MOST_SHOWN_BYTES, outputPath } from './buffers/large-result.ts';
import { fitToHost } from './fit/fit-to-host.ts';
import { type PatternMatch, readMatches } from './text/read-matches.ts';

/** A longer line is shown around the match. */
const MAX_LINE = 4_096;
const BEFORE = 512;
const BEHIND = 2_048;

interface BufferQuery {
  readonly pattern: Pattern;
  readonly limit: number;
  /** How long the pattern may be matched, in milliseconds. */
  readonly ms: number;
}

const DEFAULT_MATCHES = 50;
const MAX_MATCHES = 10_000;
const SEARCH_MS = 60_000;
/** Processor time for matching a pattern that only the built-in engine knows. */
const PATTERN_MS = 2_000;
/** How often more matches are asked for because some files are not UTF-8. */
const MAX_ROUNDS = 5;
const TOO_SLOW = 'search fewer files with a narrower path, and avoid nested repetition such as (a+)+';

const definition = defineTool({
  name: 'search_pattern',
  effect: 'read',
  description:
    'Search for a regular expression, line by line, in files or in a buffer such as @cmd_1a2b3c4d. Leaves out hidden and binary files and what git ignores. More than max_results: overflow, with counts by file.',
  input: (z) =>
    z.strictObject({
      pattern: z.string().check(z.minLength(1), z.describe('Regular expression to search for')),
      path: z._default(
        z.string().check(z.minLength(1), z.describe('Directory, file or buffer reference to search in')),
        '.',
      ),
      max_results: z._default(
        z.int().check(z.minimum(1), z.describe('Most matching lines to return')),
        DEFAULT_MATCHES,
      ),
    }),
  output: {
    type: 'object',
    properties: {
      matches: { type: 'array', items: { type: 'object' } },
      total: { type: 'integer' },
      output_id: { type: 'string' },
      overflow: { type: 'object' },
    },
    required: ['matches', 'total'],
  },
  examples: [{ pattern: 'fn\\s+validate_\\w+', path: 'src', max_results: 20 }, { pattern: 'TODO|FIXME' }],
  hosting: { maxResult: MOST_SHOWN_BYTES },

  async run({ pattern: text, path, max_results }, ctx): Promise<ToolOutput> {
    const pattern = compilePattern({
      pattern: text,
      caseInsensitive: false,
      lines: 'single',
      suggestion: 'put a backslash before each of ( ) [ ] { } . * + ? | ^ $ that stands for itself',
    });
    try {
      return await find(ctx, path, { pattern, limit: Math.min(max_results, MAX_MATCHES) });
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== 'timeout') throw error;
      // The suggestions of search and threads speak of more time, which no argument of this tool gives.
      throw new ToolError('timeout', error.message, { suggestion: TOO_SLOW, cause: error });
    }
  },
});

export const searchPattern = fitToHost(definition, {
  isPaged: false,
  // The answer to a query of a buffer is not put into a buffer of its own.
  keep: (ctx, result, { path }: { path?: string }) => (isOutput(ctx, path) ? undefined : keepResult(ctx, result)),
});

function isOutput(ctx: ToolContext, path = '.'): boolean {
  return parseReference(path) !== undefined && buffersOf(ctx).pathOf(ctx, path) === undefined;
}

interface SearchRequest {
  readonly pattern: Pattern;
  readonly limit: number;
}

async function find(ctx: ToolContext, path: string, request: SearchRequest): Promise<ToolOutput> {
  const reference = parseReference(path);
  const followed = reference && buffersOf(ctx).pathOf(ctx, path);
  if (reference && followed === undefined) {
    const { matches, total } = await searchBuffer(ctx, reference, { ...request, ms: PATTERN_MS });
    return formatMatches(ctx, { matches, total, counts: undefined }, []);
  }
  const found = await searchFiles(ctx, followed === undefined ? path : `./${followed}`, request);
  return formatMatches(ctx, found, found.warnings);
}

interface FoundMatches {
  readonly matches: readonly PatternMatch[];
  readonly total: number;
  /** The number of matches of each file, by its absolute path, or undefined for a buffer. */
  readonly counts: readonly (readonly [file: string, count: number])[] | undefined;
}

async function searchFiles(ctx: ToolContext, path: string, { pattern, limit }: SearchRequest) {
  const where = { starts: startsAt(ctx, path), filter: undefined, hidden: false, noIgnore: false, everywhere: true };
  const limits = limitsFrom(SEARCH_MS, PATTERN_MS, OWN_MS);
  const search = (offset: number, count: number): Promise<TreeResult> => {
    const window = { offset, limit: count };
    const query: SearchQuery = {
      pattern,
      crossesLines: false,
      window,
      limits,
      ctx: withTimeLimit(ctx, limits.totalMs),
    };
    return searchTree(where, query);
  };
  const matches: PatternMatch[] = [];
  const notText = new Set<string>();
  let result = await search(0, limit);
  for (let [round, offset] = [1, 0]; ; round++) {
    const read = await readMatches(ctx, result.hits);
    matches.push(...read.matches);
    for (const file of read.notText) notText.add(file);
    offset += limit;
    if (matches.length >= limit || offset >= totalOf(result.counts) || round === MAX_ROUNDS) break;
    result = await search(offset, limit);
  }
  const texts = [...result.counts].filter(([file]) => !notText.has(file));
  const counts = texts.map(([file, count]) => [outputPath(ctx.workspace, file), count] as const);
  return { matches: matches.slice(0, limit), total: totalOf(new Map(texts)), counts, warnings: result.warnings };
}

function formatMatches(ctx: ToolContext, found: FoundMatches, warnings: readonly string[]): ToolOutput {
  // The answer to a query of a buffer is not put into a buffer of its own.
  const whole = found.counts && (() => ({ matches: found.matches, total: found.total }));
  const { items: matches, reference, goOn } = cutToAnswer(ctx, found.matches, whole);
  const { total } = found;
  const data = { matches, total, ...(reference && { output_id: reference }) };
  if (matches.length >= total) return { data, warnings };
  const canRaise = matches.length === found.matches.length && matches.length < MAX_MATCHES;
  const byCount = (found.counts ?? []).toSorted(([, a], [, b]) => b - a);
  const overflow = {
    shown: matches.length,
    total,
    hint: `Showing the first ${matches.length} of ${total} matches. ${goOn ?? `Narrow path or pattern${canRaise ? ', or raise max_results' : ''}`}`,
    ...(byCount.length > 0 && { by_file: byCount.slice(0, MAX_COUNTED).map(([file, count]) => ({ file, count })) }),
    ...(byCount.length > MAX_COUNTED && { by_file_overflow: byCount.length - MAX_COUNTED }),
  };
  return { data: { ...data, overflow }, truncated: true, totalCount: total, warnings };
}

async function searchBuffer(ctx: ToolContext, reference: Reference, { pattern, limit, ms }: BufferQuery) {
  const file = referenceText(reference);
  const text = buffersOf(ctx).read(ctx, file, (buffer) => buffer.file.slice(0, buffer.file.size).toString());
  const linePattern = { js: pattern.js, flags: pattern.flags, crossesLines: false };
  const task = { texts: [text], limit };
  const [found] = isQuick({ pattern, crossesLines: false }, [text])
    ? matchLines(linePattern, task)
    : await matchApart(new MatchThread(linePattern, ms, ctx.signal), task);
  const matches: PatternMatch[] = [];
  let [line, counted] = [1, 0];
  const spans = found?.spans ?? [];
  for (let i = 0; i < spans.length; i += 3) {
    const start = spans[i] as number;
    line += countLineFeeds(text, counted, start);
    counted = start;
    const from = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
    matches.push({ file, line, content: cut(text.slice(from, spans[i + 2]), start - from) });
  }
  return { matches, total: found?.count ?? 0 };
}

async function matchApart(thread: MatchThread, task: Parameters<MatchThread['ask']>[0]) {
  try {
    return await thread.ask(task);
  } finally {
    await thread.close();
  }
}

function cut(line: string, start: number): string {
  const whole = line.replace(/\r$/, '');
  if (whole.length <= MAX_LINE) return whole;
  const from = Math.max(0, start - BEFORE);
  const shown = whole.slice(from, start + BEHIND).toWellFormed();
  return `${from > 0 ? '…' : ''}${shown}${start + BEHIND < whole.length ? '…' : ''}`;
}
