import { defineTool, type ToolOutput } from '@jinn/core';
import { compilePattern, type Pattern, type PatternOptions } from '@jinn/regex';
import { compileFilter } from './file-filter.ts';
import { limitsFrom, NO_HITS, type TimeLimits } from './search-query.ts';
import { startsAt } from './search-targets.ts';
import { searchTree, type TreeResult } from './search-tree.ts';
import { type Telling, tellMatches } from './tell-matches.ts';
import type { Reason } from './why-nothing.ts';
import { withTimeLimit } from './with-time-limit.ts';

const DEFAULT_MATCHES = 500;
const MAX_MATCHES = 10_000;
const MAX_CONTEXT = 50;
const MAX_PATHS = 100;
const MAX_SECONDS = 60;
/** For a pattern that only the built-in engine knows. */
const INEXACT_MS = 4_000;
const PATTERN_MS = 2_000;

export const searchFiles = defineTool({
  name: 'search_files',
  effect: 'read',
  description:
    'Search the content of files for a regular expression, line by line. Leaves out what git ignores, hidden and binary files, node_modules, vendor, dist, build and the like, and always secrets.',
  input: (z) =>
    z.strictObject({
      pattern: z.string().check(z.describe('Regular expression, or plain text with literal')),
      path: z._default(
        z
          .union([
            z.string().check(z.minLength(1)),
            z.array(z.string().check(z.minLength(1))).check(z.minLength(1), z.maxLength(MAX_PATHS)),
          ])
          .check(z.describe('Directory or file to search in, or several')),
        '.',
      ),
      format: z.optional(
        z
          .enum(['text', 'grouped', 'json', 'filenames'])
          .check(
            z.describe(
              'Lines with their paths, lines below each path (default for a model), objects, or files with counts',
            ),
          ),
      ),
      include: z.optional(z.string().check(z.minLength(1), z.describe('Glob that files must match, such as *.go'))),
      type: z.optional(
        z.string().check(z.minLength(1), z.describe('Only files of a language: ts, py, go, rust, md …')),
      ),
      literal: z._default(z.boolean().check(z.describe('The pattern is plain text')), false),
      case_insensitive: z._default(z.boolean().check(z.describe('Match without regard to case')), false),
      multiline: z._default(z.boolean().check(z.describe('Let a match cross lines')), false),
      context_lines: z._default(z.int().check(z.describe('Lines to show around each match')), 0),
      max_matches: z._default(
        z.int().check(z.describe('The most matches to return, or files with filenames, up to 10000')),
        DEFAULT_MATCHES,
      ),
      offset: z._default(z.int().check(z.describe('Matches, or files, to skip')), 0),
      hidden: z._default(z.boolean().check(z.describe('Also search hidden files, such as .github')), false),
      no_ignore: z._default(
        z.boolean().check(z.describe('Also search what is ignored, excluded or hidden; never secrets')),
        false,
      ),
      symbols: z._default(z.boolean().check(z.describe('Add the symbol around each match')), false),
      timeout: z.optional(
        z.number().check(z.describe('Seconds that the search may take, up to 60; 2 for look-around by default')),
      ),
    }),
  examples: [
    { pattern: 'func \\w+Handler', format: 'json', include: '*.go' },
    { pattern: 'TODO', format: 'filenames' },
    { pattern: 'items[0]', literal: true, context_lines: 2 },
  ],
  hosting: { isBasic: true },

  async run(args, ctx): Promise<ToolOutput> {
    const { path, include, type, literal, hidden, no_ignore: noIgnore } = args;
    const format = args.format ?? (ctx.maxResult === undefined ? 'text' : 'grouped');
    const crossesLines = args.multiline || (literal && args.pattern.includes('\n'));
    const options: PatternOptions = {
      pattern: args.pattern,
      literal,
      caseInsensitive: args.case_insensitive,
      lines: crossesLines ? 'across' : 'single',
      anyLineBreak: true,
      suggestion: 'pass literal: true to search for the text as it stands',
      acrossSuggestion: 'pass multiline: true to match across lines',
    };
    const pattern = compilePattern(options);
    const filter = compileFilter(include, type);
    const window = {
      offset: Math.max(0, args.offset),
      limit: args.max_matches > 0 ? Math.min(args.max_matches, MAX_MATCHES) : DEFAULT_MATCHES,
    };
    const where = { starts: startsAt(ctx, path), filter, hidden, noIgnore };
    const limits = limitsOf(pattern, args.timeout);
    const located = format === 'filenames' ? NO_HITS : window;
    const query = { pattern, crossesLines, window: located, limits, ctx: withTimeLimit(ctx, limits.totalMs) };
    const result = await searchTree(where, query);
    if (result.counts.size === 0) {
      const { whyNothing } = await import('./why-nothing.ts');
      return tellNothing(await whyNothing({ where, include, options, query, result }), format, result);
    }
    const context = Math.min(Math.max(args.context_lines, 0), MAX_CONTEXT);
    return tellMatches(ctx, result, { window, context, format, withSymbols: args.symbols });
  },
});

function limitsOf({ isExact }: Pattern, seconds: number | undefined): TimeLimits {
  if (seconds === undefined || seconds <= 0) return limitsFrom(isExact ? 1_000 * MAX_SECONDS : INEXACT_MS, PATTERN_MS);
  const ms = 1_000 * Math.min(seconds, MAX_SECONDS);
  return limitsFrom(ms, ms);
}

function tellNothing(
  { code, sentence }: Reason,
  format: Telling['format'],
  { engine, warnings }: TreeResult,
): ToolOutput {
  const visualize = () => ({ type: 'none', message: `no matches: ${sentence}` }) as const;
  const rest = { totalCount: 0, warnings, meta: { engine, zero_match_reason: code, hint: sentence }, visualize };
  return format === 'json' ? { data: [], ...rest } : { text: `[no matches: ${sentence}]`, ...rest };
}
