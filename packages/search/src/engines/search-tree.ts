import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { findLargeFiles, findRipgrep, type Ripgrep } from '@jinn/process';
import { isBinary, SNIFF_BYTES } from '@jinn/workspace';
import { LeftOut } from '@jinn/workspace/walk';
import { MAX_WHOLE_FILE, type SearchQuery, type SearchResult } from '../query/search-query.ts';
import { findTargets, pathIn, type SearchTargets, type TargetOptions } from '../query/search-targets.ts';
import { RipgrepUnusable } from './ripgrep-run.ts';
import { searchFew, searchOwn } from './search-own.ts';
import { KnownFiles, RipgrepSearch } from './search-ripgrep.ts';
import { contentOf } from './searched-content.ts';

export interface TreeResult extends SearchResult {
  readonly hadFiles: boolean;
  readonly warnings: readonly string[];
  /** The line that says which files were named, and not searched since they are binary, or none if none were. */
  readonly binary: readonly string[];
}

/** Chooses the files and the engine, and searches. Throws ToolError. */
export async function searchTree(where: TargetOptions, asked: SearchQuery): Promise<TreeResult> {
  const files = where.starts.filter(({ kind }) => kind === 'file').map(({ path }) => path);
  const leftOut = new LeftOut();
  const query = { ...asked, named: new Set(files), leftOut };
  const result = await searchChosen({ ...where, leftOut }, query);
  const binary = new LeftOut();
  for (const path of files) if (!result.counts.has(path) && isNamedBinary(query, path)) binary.add(BINARY, path);
  return { ...result, warnings: [...result.warnings, ...leftOut.lines()], binary: binary.lines() };
}

function isNamedBinary({ ctx: { workspace }, charsets }: SearchQuery, path: string): boolean {
  try {
    const asked = path.startsWith('/') ? path : `./${path}`;
    return workspace.withFile(asked, (file) => {
      const content = contentOf(file, charsets?.get(path));
      return !content.isNotebook && isBinary(content.slice(0, SNIFF_BYTES));
    });
  } catch (error) {
    if (error instanceof ToolError) return false; // The search has said what is wrong with it.
    throw error;
  }
}

const BINARY = 'binary, not searched';

type ChosenResult = Omit<TreeResult, 'binary'>;

async function searchChosen(where: TargetOptions, query: SearchQuery): Promise<ChosenResult> {
  if (where.starts.length === 1 && where.starts[0]?.kind === 'file') return searchFile(where, query);
  const ripgrep = await ripgrepFor(where, query);
  return ripgrep ? searchWith(ripgrep, where, query) : searchAll(await findTargets(query.ctx, where), query);
}

async function ripgrepFor({ starts }: TargetOptions, { ctx }: SearchQuery): Promise<Ripgrep | undefined> {
  const isBelowRoot = starts.every(({ path }) => !path.startsWith('/'));
  return isBelowRoot ? findRipgrep(ctx.environment, ctx.workspace) : undefined;
}

async function searchFile(where: TargetOptions, query: SearchQuery): Promise<ChosenResult> {
  const targets = await findTargets(query.ctx, where);
  const [path] = pathsOf(targets);
  if (path === undefined) return searchAll(targets, query);
  const { offset: skip, limit: take } = query.window;
  const few = (await searchFew([{ path, skip, take }], query)).get(path);
  if (few) {
    const counts = new Map(few.count === 0 ? [] : [[path, few.count]]);
    return { engine: 'built-in', counts, hits: few.hits, warnings: [], hadFiles: true };
  }
  const ripgrep = await ripgrepFor(where, query);
  return ripgrep ? searchWith(ripgrep, where, query) : searchAll(targets, query);
}

async function searchWith(ripgrep: Ripgrep, where: TargetOptions, query: SearchQuery): Promise<ChosenResult> {
  const { filter, hidden, noIgnore } = where;
  const search = new RipgrepSearch({ ripgrep, filter, query, showsHidden: hidden || noIgnore });
  const targets = await addTargets(query.ctx, where, search);
  try {
    return await finish(search, targets, query);
  } catch (error) {
    if (!(error instanceof RipgrepUnusable)) throw error;
    const result = await searchAll(targets, query);
    if (!error.isFailure) return result;
    return { ...result, warnings: [...result.warnings, `${error.message}. The built-in engine searched instead`] };
  }
}

async function addTargets(ctx: ToolContext, where: TargetOptions, search: RipgrepSearch): Promise<SearchTargets> {
  try {
    return await findTargets(ctx, where, (directory) => search.add(directory));
  } catch (error) {
    search.stop();
    throw error;
  }
}

async function finish(search: RipgrepSearch, targets: SearchTargets, query: SearchQuery): Promise<ChosenResult> {
  const found = await search.findFiles(new KnownFiles(targets.directories));
  const large = tooLarge(targets, query);
  const result = search.isCounted
    ? await search.findHits(found)
    : await searchOwn([...new Set([...found.keys(), ...(large ?? [])])], query);
  const warnings = [...targets.warnings, ...(large ? [] : [NOT_LOOKED])];
  return { ...result, warnings, hadFiles: targets.directories.length > 0 };
}

async function searchAll(targets: SearchTargets, query: SearchQuery): Promise<ChosenResult> {
  const result = await searchOwn(pathsOf(targets), query);
  return { ...result, warnings: targets.warnings, hadFiles: targets.directories.length > 0 };
}

const MAX_LOOKED = 100_000;
const NOT_LOOKED = `more than ${MAX_LOOKED} files: those over 32 MiB, if there are any, were not searched`;

function tooLarge(targets: SearchTargets, { crossesLines, ctx }: SearchQuery): string[] | undefined {
  if (!crossesLines) return [];
  const count = targets.directories.reduce((sum, { names }) => sum + names.length, 0);
  return count > MAX_LOOKED ? undefined : findLargeFiles(ctx.workspace.root, pathsOf(targets), MAX_WHOLE_FILE);
}

function pathsOf({ directories }: SearchTargets): string[] {
  return [...new Set(directories.flatMap(({ path, names }) => names.map((name) => pathIn(path, name))))];
}
