import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import {
  describeForeign,
  describeGrepReading,
  isBeyondAscii,
  NOT_UTF8,
  type Pattern,
  type PatternOptions,
  readAsGrep,
} from '@jinn/core/regex';
import { adviseGlob, oneLine } from '@jinn/workspace/walk';
import { searchTree, type TreeResult } from '../engines/search-tree.ts';
import { limitsFrom, NO_HITS, type SearchQuery, timeLeft, totalOf, withTimeLimit } from '../query/search-query.ts';
import { findTargets, type TargetOptions } from '../query/search-targets.ts';

const PROBE_MS = 1_500;
/** The most files that are looked at for their encoding. */
const MAX_WIDE = 100;
const HAS_NUL: Pattern = { ...NOT_UTF8, rust: '(?-u:\\x00)', js: '\\0' };

export interface Reason {
  readonly code: 'pattern_matched_nothing' | 'path_is_empty_dir' | 'only_ignored';
  readonly sentence: string;
}

export interface EmptySearch {
  readonly where: TargetOptions;
  /** The options from which the pattern of the query was compiled. */
  readonly options: PatternOptions;
  readonly query: SearchQuery;
  readonly result: TreeResult;
}

/** Explains why a search found nothing, and suggests what to try. */
export async function explainNoMatches(nothing: EmptySearch): Promise<Reason> {
  const { code, sentence } = await findReason(nothing);
  const advice = nothing.result.hadFiles ? [await adviseGrepReading(nothing), await adviseForeign(nothing)] : [];
  return { code, sentence: [sentence, ...advice].filter((part) => part !== undefined).join('; ') };
}

async function adviseForeign({ where, query }: EmptySearch): Promise<string | undefined> {
  if (!isBeyondAscii(query.pattern)) return undefined;
  const counts = await countIn(where, { ...query, pattern: NOT_UTF8, crossesLines: false });
  let undecided = 0;
  for (const path of counts?.keys() ?? []) if (!(await query.charsets?.look(path))) undecided++;
  return counts && describeForeign(undecided);
}

async function adviseGrepReading({ where, options, query }: EmptySearch): Promise<string | undefined> {
  const reading = readAsGrep(options);
  if (!reading) return undefined;
  const counts = await countIn(where, { ...query, pattern: reading.pattern });
  return describeGrepReading(reading, counts && totalOf(counts));
}

async function findReason({ where, query, result }: EmptySearch): Promise<Reason> {
  const { charsets: _, ...bytes } = query;
  const { ctx } = query;
  const advice = result.hadFiles ? undefined : adviseInclude(ctx, where);
  if (advice !== undefined) return matchedNothing(advice);
  const leftOut = where.noIgnore ? result.counts : await countIn({ ...where, noIgnore: true }, query);
  const [example] = leftOut?.keys() ?? [];
  if (example !== undefined) return onlyIgnored(where, query, example);
  const [binary] =
    result.binary.length > 0 ? [] : ((await countIn(where, { ...bytes, searchesBinary: true }))?.keys() ?? []);
  if (binary !== undefined) {
    const files = `files with a NUL, such as ${oneLine(binary)}`;
    return matchedNothing(`the only matches are in ${files}: name it in path, or use grep -a`);
  }
  const wide = await findWide(where, query);
  if (wide !== undefined) {
    const files = `UTF-32, or UTF-16 without a mark, such as ${oneLine(wide)}`;
    return matchedNothing(`the only matches are in ${files}: name it in path`);
  }
  if (result.hadFiles) {
    const unknown = leftOut ? '' : '. Not all ignored, excluded and hidden files could be searched in time';
    return matchedNothing([`the pattern matched nothing${unknown}`, ...result.binary].join('; '));
  }
  if (!(await hasFiles(ctx, where))) {
    return { code: 'path_is_empty_dir', sentence: 'there are no files to search' };
  }
  if (where.filter) return matchedNothing(`no file matches ${where.filter.from}, so nothing was searched`);
  const all = 'all files are ignored, hidden or excluded';
  if (leftOut) return matchedNothing(`${all}, and the pattern matches nothing in them either`);
  return { code: 'only_ignored', sentence: `${all}: pass no_ignore: true to search them` };
}

/** Finds a file with a match in UTF-32, or in UTF-16 without a mark, which a search of its directory takes for binary. */
async function findWide(where: TargetOptions, query: SearchQuery): Promise<string | undefined> {
  const { charsets, ...bytes } = query;
  const holding = await countIn(where, { ...bytes, pattern: HAS_NUL, crossesLines: false, searchesBinary: true });
  for (const path of [...(holding?.keys() ?? [])].slice(0, MAX_WIDE)) {
    if (!(await charsets?.look(path))) continue;
    const found = await countIn({ ...where, starts: [{ asked: path, path, kind: 'file' }] }, query);
    if (found && found.size > 0) return path;
  }
  return undefined;
}

function matchedNothing(sentence: string): Reason {
  return { code: 'pattern_matched_nothing', sentence };
}

function adviseInclude({ workspace }: ToolContext, { starts, filter }: TargetOptions): string | undefined {
  const globs = filter?.unmatched() ?? [];
  const advices = starts.flatMap(({ path }) => globs.map((glob) => adviseGlob(workspace, glob, path)));
  const advice = advices.find((one) => one !== undefined);
  return advice && `no file matches include: ${advice}`;
}

async function onlyIgnored(where: TargetOptions, query: SearchQuery, ignored: string): Promise<Reason> {
  const [hidden] = (where.hidden ? undefined : await countIn({ ...where, hidden: true }, query))?.keys() ?? [];
  const what = hidden === undefined ? 'ignored, excluded or hidden' : 'hidden';
  const option = hidden === undefined ? 'no_ignore' : 'hidden';
  return {
    code: 'only_ignored',
    sentence: `the only matches are in files that are ${what}, such as ${oneLine(hidden ?? ignored)}: pass ${option}: true to search them`,
  };
}

async function countIn(where: TargetOptions, query: SearchQuery): Promise<TreeResult['counts'] | undefined> {
  const ms = Math.min(PROBE_MS, timeLeft(query.limits));
  const probe = { ...query, window: NO_HITS, limits: limitsFrom(ms), ctx: withTimeLimit(query.ctx, ms) };
  try {
    return (await searchTree(where, probe)).counts;
  } catch (error) {
    if (error instanceof ToolError && error.code !== 'canceled') return undefined;
    throw error;
  }
}

async function hasFiles(ctx: ToolContext, where: TargetOptions): Promise<boolean> {
  try {
    const options = { ...where, filter: undefined, noIgnore: true };
    return (await findTargets(withTimeLimit(ctx, PROBE_MS), options)).directories.length > 0;
  } catch (error) {
    if (error instanceof ToolError && error.code === 'timeout') return true;
    throw error;
  }
}
