import { type ToolContext, ToolError } from '@jinn/core';
import { adviseGlob } from './glob-advice.ts';
import { limitsFrom, type SearchQuery, timeLeft } from './search-query.ts';
import { findTargets, type TargetOptions } from './search-targets.ts';
import { searchTree, type TreeResult } from './search-tree.ts';
import { oneLine } from './show-hits.ts';
import { withTimeLimit } from './with-time-limit.ts';

/** The most time for each of two searches of what was left out. */
const PROBE_MS = 1_500;

export interface Reason {
  readonly code: 'pattern_matched_nothing' | 'path_is_empty_dir' | 'only_ignored';
  readonly sentence: string;
}

export interface Nothing {
  readonly where: TargetOptions;
  /** The glob that files had to match, as the caller wrote it. */
  readonly include: string | undefined;
  readonly query: SearchQuery;
  readonly result: TreeResult;
}

/** Says why a search found nothing, and what to try. */
export async function whyNothing({ where, include, query, result }: Nothing): Promise<Reason> {
  const { ctx } = query;
  const advice = include === undefined || result.hadFiles ? undefined : adviseInclude(ctx, include, where);
  if (advice !== undefined) return matchedNothing(advice);
  const leftOut = where.noIgnore ? undefined : await findIn({ ...where, noIgnore: true }, query);
  if (leftOut?.example !== undefined) return onlyIgnored(where, query, leftOut.example);
  if (result.hadFiles) {
    const unknown = leftOut?.isUnknown ? '; ignored, excluded and hidden files could not all be searched in time' : '';
    return matchedNothing(`the pattern matched nothing${unknown}`);
  }
  if (!(await hasFiles(ctx, where))) {
    return { code: 'path_is_empty_dir', sentence: 'there are no files to search' };
  }
  const what = where.filter ? 'no file matches include and type' : 'all files are ignored, hidden or excluded';
  return matchedNothing(`${what}, so nothing was searched`);
}

function matchedNothing(sentence: string): Reason {
  return { code: 'pattern_matched_nothing', sentence };
}

function adviseInclude({ workspace }: ToolContext, include: string, { start }: TargetOptions): string | undefined {
  const advice = adviseGlob(workspace, include, start.path);
  return advice && `no file matches include: ${advice}`;
}

async function onlyIgnored(where: TargetOptions, query: SearchQuery, ignored: string): Promise<Reason> {
  const hidden = where.hidden ? undefined : (await findIn({ ...where, hidden: true }, query)).example;
  const what = hidden === undefined ? 'ignored by git, excluded or hidden' : 'hidden';
  const option = hidden === undefined ? 'no_ignore' : 'hidden';
  return {
    code: 'only_ignored',
    sentence: `the only matches are in files that are ${what}, such as ${oneLine(hidden ?? ignored)}; pass ${option}: true to search them`,
  };
}

/** A file in which there is a match. */
async function findIn(
  where: TargetOptions,
  query: SearchQuery,
): Promise<{ readonly example?: string | undefined; readonly isUnknown: boolean }> {
  const ms = Math.min(PROBE_MS, timeLeft(query.limits));
  const ctx = withTimeLimit(query.ctx, ms);
  const probe = { ...query, window: { offset: 0, limit: 1 }, limits: limitsFrom(ms, ms), ctx };
  try {
    const { counts } = await searchTree(where, probe);
    return { example: [...counts.keys()][0], isUnknown: false };
  } catch (error) {
    if (error instanceof ToolError && error.code !== 'canceled') return { isUnknown: true };
    throw error;
  }
}

/** True if there is any file, secrets aside. */
async function hasFiles(ctx: ToolContext, where: TargetOptions): Promise<boolean> {
  try {
    const options = { ...where, filter: undefined, noIgnore: true };
    return (await findTargets(withTimeLimit(ctx, PROBE_MS), options)).directories.length > 0;
  } catch (error) {
    if (error instanceof ToolError && error.code === 'timeout') return true;
    throw error;
  }
}
