import { defineTool, type ToolContext, ToolError, type ToolOutput } from '@jinn/core';
import { findRipgrep } from '@jinn/process';
import { compilePattern, type Pattern } from '@jinn/regex';
import { compileFilter } from './file-filter.ts';
import { readShown } from './read-shown.ts';
import { searchOwn } from './search-own.ts';
import { cutToWindow, type Hit, type SearchQuery, type SearchResult, type Window } from './search-query.ts';
import { RipgrepSearch } from './search-ripgrep.ts';
import { findTargets, type SearchTargets, type TargetOptions } from './search-targets.ts';
import { type FoundFile, oneLine, toFilenames, toJson, toText } from './show-hits.ts';

const DEFAULT_MATCHES = 500;
const MAX_MATCHES = 10_000;
const MAX_CONTEXT = 50;
const LIMIT_MS = 60_000;
/** How long it may take to find out whether what was left out would have matched. */
const PROBE_MS = 3_000;
/** Characters of all shown lines together. */
const MAX_SHOWN = 4 * 1024 * 1024;
const MAX_COUNTED_FILES = 1_000;

export const searchFiles = defineTool({
  name: 'search_files',
  effect: 'read',
  description:
    'Search the content of files for a regular expression, line by line. Leaves out what git ignores, hidden and binary files, node_modules, vendor, dist, build and the like, and always secrets.',
  input: (z) =>
    z.strictObject({
      pattern: z.string().check(z.describe('Regular expression, or plain text with literal')),
      path: z._default(z.string().check(z.minLength(1), z.describe('Directory or file to search in')), '.'),
      format: z._default(
        z.enum(['text', 'json', 'filenames']).check(z.describe('Lines, objects, or files with counts')),
        'text',
      ),
      include: z.optional(z.string().check(z.minLength(1), z.describe('Glob that files must match, such as *.go'))),
      type: z.optional(
        z.string().check(z.minLength(1), z.describe('Only files of a language: ts, py, go, rust, md …')),
      ),
      literal: z._default(z.boolean().check(z.describe('The pattern is plain text')), false),
      case_insensitive: z._default(z.boolean().check(z.describe('Match without regard to case')), false),
      multiline: z._default(z.boolean().check(z.describe('Let a match cross lines')), false),
      context_lines: z._default(z.int().check(z.describe('Lines to show around each match')), 0),
      max_matches: z._default(z.int().check(z.describe('The most matches to return, up to 10000')), DEFAULT_MATCHES),
      offset: z._default(z.int().check(z.describe('Matches to skip')), 0),
      hidden: z._default(z.boolean().check(z.describe('Also search hidden files, such as .github')), false),
      no_ignore: z._default(
        z.boolean().check(z.describe('Also search what is ignored, excluded or hidden; never secrets')),
        false,
      ),
    }),
  examples: [
    { pattern: 'func \\w+Handler', format: 'json', include: '*.go' },
    { pattern: 'TODO', format: 'filenames' },
    { pattern: 'items[0]', literal: true, context_lines: 2 },
  ],

  async run(args, ctx): Promise<ToolOutput> {
    const { path, include, type, literal, multiline, hidden, no_ignore: noIgnore, format } = args;
    const crossesLines = multiline || (literal && args.pattern.includes('\n'));
    const pattern = compilePattern({
      pattern: args.pattern,
      literal,
      caseInsensitive: args.case_insensitive,
      lines: crossesLines ? 'across' : 'single',
      suggestion: 'pass literal: true to search for the text as it stands',
    });
    const filter = compileFilter(include, type);
    const window = {
      offset: Math.max(0, args.offset),
      limit: args.max_matches > 0 ? Math.min(args.max_matches, MAX_MATCHES) : DEFAULT_MATCHES,
    };
    const start = ctx.workspace.status(path);
    const search = new Search(ctx, { path, start, filter, hidden, noIgnore }, { pattern, crossesLines, window });
    const found = await search.find();
    if (found.counts.size === 0) return nothing(await search.whyNothing(), format, found);
    const context = Math.min(Math.max(args.context_lines, 0), MAX_CONTEXT);
    return format === 'filenames' ? tellFiles(found, window) : tellMatches(ctx, found, { window, context, format });
  },
});

interface Wanted {
  readonly pattern: Pattern;
  readonly crossesLines: boolean;
  readonly window: Window;
}

interface Found extends SearchResult {
  readonly engine: string;
}

class Search {
  readonly #ctx: ToolContext;
  readonly #where: TargetOptions;
  readonly #wanted: Wanted;
  #hadTargets = false;

  constructor(ctx: ToolContext, where: TargetOptions, wanted: Wanted) {
    this.#ctx = ctx;
    this.#where = where;
    this.#wanted = wanted;
  }

  async find(): Promise<Found> {
    const { targets, found } = await this.#search(this.#where, LIMIT_MS);
    this.#hadTargets = targets.directories.length > 0;
    return { ...found, notes: [...targets.notes, ...found.notes] };
  }

  /** Says why nothing was found, in a word and in a sentence. */
  async whyNothing(): Promise<{ reason: string; sentence: string }> {
    const { hidden, noIgnore } = this.#where;
    const ignored = noIgnore ? undefined : await this.#wouldFind({ ...this.#where, noIgnore: true });
    if (ignored !== undefined) {
      const inHidden = hidden ? undefined : await this.#wouldFind({ ...this.#where, hidden: true });
      const what = inHidden === undefined ? 'ignored by git, excluded or hidden' : 'hidden';
      const option = inHidden === undefined ? 'no_ignore' : 'hidden';
      const example = oneLine(inHidden ?? ignored);
      return {
        reason: 'only_ignored',
        sentence: `the only matches are in files that are ${what}, such as ${example}; pass ${option}: true to search them`,
      };
    }
    if (this.#hadTargets) return { reason: 'pattern_matched_nothing', sentence: 'the pattern matched nothing' };
    if (!(await this.#hasFiles())) return { reason: 'path_is_empty_dir', sentence: 'there are no files to search' };
    const what = this.#where.filter
      ? 'no file is one of include and type'
      : 'all files are ignored, hidden or excluded';
    return { reason: 'pattern_matched_nothing', sentence: `${what}, so nothing was searched` };
  }

  /** Whether there is any file at all, but for secrets. */
  async #hasFiles(): Promise<boolean> {
    const { directories } = await findTargets(this.#ctx, { ...this.#where, filter: undefined, noIgnore: true });
    return directories.length > 0;
  }

  /** A file in which there is a match; undefined also when that would take long to find out. */
  async #wouldFind(where: TargetOptions): Promise<string | undefined> {
    try {
      const { found } = await this.#search(where, PROBE_MS);
      return [...found.counts.keys()][0];
    } catch (error) {
      if (error instanceof ToolError && error.code !== 'canceled') return undefined;
      throw error;
    }
  }

  async #search(where: TargetOptions, limitMs: number): Promise<{ targets: SearchTargets; found: Found }> {
    const { start, filter, hidden, noIgnore } = where;
    const showsHidden = hidden || noIgnore;
    const query: SearchQuery = { ...this.#wanted, start: start.path, showsHidden, limitMs, ctx: this.#ctx };
    const ripgrep =
      query.pattern.rust === undefined ? undefined : await findRipgrep(this.#ctx.environment, this.#ctx.workspace);
    const search = ripgrep && new RipgrepSearch({ ripgrep, filter, query });
    const targets = await this.#findTargets(where, search);
    const found = await search?.finish();
    if (found) return { targets, found: { ...found, engine: `ripgrep ${ripgrep?.version}` } };
    return { targets, found: { ...(await searchOwn(targets, query)), engine: 'built-in' } };
  }

  async #findTargets(where: TargetOptions, search: RipgrepSearch | undefined): Promise<SearchTargets> {
    try {
      return await findTargets(this.#ctx, where, search && ((directory) => search.add(directory)));
    } catch (error) {
      search?.stop();
      throw error;
    }
  }
}

function nothing(
  { reason, sentence }: { reason: string; sentence: string },
  format: string,
  { engine, notes }: Found,
): ToolOutput {
  const meta = { engine, zero_match_reason: reason, hint: sentence, ...(notes.length > 0 && { notes }) };
  if (format === 'json') return { data: [], totalCount: 0, meta };
  return { text: `[no matches: ${sentence}]`, totalCount: 0, meta };
}

function tellFiles(found: Found, window: Window): ToolOutput {
  const parts = cutToWindow(found.counts, window);
  const listed = parts.map(({ path }) => [path, found.counts.get(path) ?? 0] as const);
  const last = window.offset + parts.reduce((sum, { take }) => sum + take, 0);
  return {
    text: [toFilenames(listed), ...more(totalOf(found), window, last)].join('\n'),
    ...bounds(found, last),
    meta: metaOf(found, undefined, isPart(totalOf(found), window, last)),
  };
}

interface Telling {
  readonly window: Window;
  readonly context: number;
  readonly format: 'text' | 'json' | 'filenames';
}

function tellMatches(ctx: ToolContext, found: Found, { window, context, format }: Telling): ToolOutput {
  const { files, shown, vanished } = readFiles(ctx, found.hits, context);
  const notes = vanished > 0 ? [`${vanished} matches were left out: the files changed while they were searched`] : [];
  const told = { ...found, notes: [...found.notes, ...notes] };
  const last = window.offset + shown;
  const meta = metaOf(told, files, isPart(totalOf(found), window, last));
  const limits = bounds(found, last);
  if (format === 'json') return { data: toJson(files), ...limits, meta };
  return {
    text: [toText(files, context), ...more(totalOf(found), window, last)].filter(Boolean).join('\n'),
    ...limits,
    meta,
  };
}

/** Reads the hits of one file after another, until what is shown is enough. */
function readFiles({ workspace }: ToolContext, hits: readonly Hit[], context: number) {
  const files: FoundFile[] = [];
  let [shown, vanished, length] = [0, 0, 0];
  for (let at = 0; at < hits.length && length < MAX_SHOWN; ) {
    const { path } = hits[at] as Hit;
    const end = hits.findIndex((hit, i) => i > at && hit.path !== path);
    const group = hits.slice(at, end < 0 ? hits.length : end);
    const file = readShown(workspace, path, group, context);
    if (file) files.push({ path, ...file });
    vanished += file?.vanished ?? group.length;
    shown += group.length;
    length += (file?.hits ?? []).reduce((sum, hit) => sum + lengthOf(hit), 0);
    at += group.length;
  }
  return { files, shown, vanished };
}

function lengthOf({
  lines,
  before,
  after,
}: {
  lines: readonly string[];
  before: readonly string[];
  after: readonly string[];
}) {
  return [...lines, ...before, ...after].reduce((sum, text) => sum + text.length, 0);
}

function totalOf({ counts }: Found): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}

/** True when the answer has not all of the matches. */
function isPart(total: number, { offset }: Window, last: number): boolean {
  return offset > 0 || last < total;
}

function bounds(found: Found, last: number) {
  const totalCount = totalOf(found);
  return last < totalCount ? { truncated: true, totalCount } : { totalCount };
}

function more(total: number, { offset }: Window, last: number): string[] {
  if (last < total) return [`[matches ${offset + 1} to ${last} of ${total}; pass offset: ${last} for the next ones]`];
  if (offset >= total) return [`[no matches from offset ${offset} on: there are ${total}]`];
  return offset > 0 ? [`[matches ${offset + 1} to ${last} of ${total}]`] : [];
}

function metaOf({ engine, notes, counts }: Found, files: readonly FoundFile[] | undefined, cut = false): object {
  const versions = files?.flatMap(({ path, version }) => (version === undefined ? [] : [[path, version] as const]));
  const counted = [...counts].slice(0, MAX_COUNTED_FILES);
  return {
    engine,
    ...(versions && { versions: Object.fromEntries(versions) }),
    ...(cut && { counts: Object.fromEntries(counted), ...(counts.size > counted.length && { files: counts.size }) }),
    ...(notes.length > 0 && { notes }),
  };
}
