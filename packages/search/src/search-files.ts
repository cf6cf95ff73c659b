import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { compilePattern, type PatternOptions } from '@jinn/core/regex';
import { globRoots, isGlob } from '@jinn/workspace/walk';
import { searchTree, type TreeResult } from './engines/search-tree.ts';
import { compileFilter } from './query/file-filter.ts';
import { limitsFrom, NO_HITS, OWN_MS, withTimeLimit } from './query/search-query.ts';
import { type SearchStart, startsAt } from './query/search-targets.ts';
import { SearchedCharsets } from './query/searched-charsets.ts';
import type { Reason } from './show/explain-no-matches.ts';
import { type FormatOptions, formatMatches } from './show/format-matches.ts';

const DEFAULT_MATCHES = 500;
const MAX_MATCHES = 10_000;
const MAX_CONTEXT = 50;
const MAX_PATHS = 100;
const MAX_SECONDS = 60;
/** Processor time for matching a pattern that only the built-in engine knows. */
const PATTERN_MS = 2_000;

export const searchFiles = defineTool({
  name: 'search_files',
  effect: 'read',
  description:
    'Search the content of files, line by line. Leaves out what git ignores, hidden and binary files, node_modules, dist and the like, and always secrets.',
  input: (z) =>
    z.strictObject({
      pattern: z.string().check(z.describe('Regular expression: a|b, \\d, look-around')),
      path: z._default(
        z
          .union([
            z.string().check(z.minLength(1)),
            z.array(z.string().check(z.minLength(1))).check(z.minLength(1), z.maxLength(MAX_PATHS)),
          ])
          .check(z.describe('Directory or file, or several')),
        '.',
      ),
      format: z.optional(z.enum(['text', 'grouped', 'json', 'filenames']).check(z.describe('Filenames: with counts'))),
      include: z.optional(z.string().check(z.minLength(1), z.describe('Globs: *.{ts,tsx},!*.d.ts'))),
      type: z.optional(z.string().check(z.minLength(1), z.describe('Language: ts, py, go …'))),
      literal: z._default(z.boolean().check(z.describe('Plain text, not a pattern')), false),
      case_insensitive: z._default(z.boolean().check(z.describe('Ignore case')), false),
      multiline: z._default(z.boolean().check(z.describe('Match across lines')), false),
      context_lines: z._default(z.int().check(z.describe('Context')), 0),
      max_matches: z._default(z.int().check(z.describe('Maximum')), DEFAULT_MATCHES),
      offset: z._default(z.int().check(z.describe('Skipped')), 0),
      hidden: z._default(z.boolean().check(z.describe('Hidden files too')), false),
      no_ignore: z._default(z.boolean().check(z.describe('Ignored, excluded and hidden files too')), false),
      symbols: z._default(z.boolean().check(z.describe('Name the symbol around each')), false),
      timeout: z.optional(z.number().check(z.describe('Seconds, up to 60'))),
    }),
  examples: [
    { pattern: 'func \\w+Handler', format: 'json', include: '*.go' },
    { pattern: 'TODO', format: 'filenames' },
    { pattern: 'items[0]', literal: true, context_lines: 2 },
  ],
  hosting: { isBasic: true, unlisted: ['timeout', 'hidden'] },

  async run(args, ctx): Promise<ToolOutput> {
    const { path, include, type, literal, hidden, no_ignore: noIgnore } = args;
    const format = args.format ?? 'grouped';
    const crossesLines = args.multiline || (literal && args.pattern.includes('\n'));
    const options: PatternOptions = {
      pattern: args.pattern,
      literal,
      caseInsensitive: args.case_insensitive,
      lines: crossesLines ? 'across' : 'single',
      suggestion: 'pass literal: true to search for exactly this text',
      acrossSuggestion: 'pass multiline: true to match across lines',
    };
    const pattern = compilePattern(options);
    const starts = startsOf(ctx, path);
    const directories = starts.map((start) => start.path);
    const filter = compileFilter(include, type, globRoots(ctx.workspace, directories));
    const window = {
      offset: Math.max(0, args.offset),
      limit: args.max_matches > 0 ? Math.min(args.max_matches, MAX_MATCHES) : DEFAULT_MATCHES,
    };
    const where = { starts, filter, hidden, noIgnore };
    const seconds = args.timeout ?? 0;
    const limits =
      seconds > 0
        ? limitsFrom(1_000 * Math.min(seconds, MAX_SECONDS))
        : limitsFrom(1_000 * MAX_SECONDS, PATTERN_MS, OWN_MS);
    const located = format === 'filenames' ? NO_HITS : window;
    const limited = withTimeLimit(ctx, limits.totalMs);
    const charsets = new SearchedCharsets(limited);
    const query = { pattern, crossesLines, window: located, limits, ctx: limited, charsets };
    const result = await searchTree(where, query);
    if (result.counts.size === 0) {
      const { explainNoMatches } = await import('./show/explain-no-matches.ts');
      return formatNoMatches(await explainNoMatches({ where, options, query, result }), format, result);
    }
    const context = Math.min(Math.max(args.context_lines, 0), MAX_CONTEXT);
    return formatMatches(
      ctx,
      { ...result, warnings: [...result.warnings, ...result.binary] },
      { window, context, format, withSymbols: args.symbols, charsets },
    );
  },
});

function startsOf(ctx: ToolContext, paths: string | readonly string[]): SearchStart[] {
  try {
    return startsAt(ctx, paths);
  } catch (error) {
    const glob = [paths].flat().find(isGlob);
    if (!(error instanceof ToolError) || error.code !== 'file_not_found' || glob === undefined) throw error;
    throw new ToolError(error.code, error.message, {
      suggestion: `path takes files and directories. Pass a glob as include: ${JSON.stringify(glob.slice(0, 200))}`,
    });
  }
}

function formatNoMatches(
  { code, sentence }: Reason,
  format: FormatOptions['format'],
  { engine, warnings }: TreeResult,
): ToolOutput {
  const visualize = () => ({ type: 'none', message: `no matches: ${sentence}` }) as const;
  const meta = { engine, zero_match_reason: code };
  const rest = { totalCount: 0, warnings, visualize };
  if (format === 'json') return { data: [], ...rest, meta: { ...meta, hint: sentence } };
  return { text: `[no matches: ${sentence}]`, ...rest, meta };
}
