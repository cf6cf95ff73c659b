import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import {
  adviseGlob,
  EXCLUDED_DIRECTORIES,
  type Glob,
  globRoots,
  isGlob,
  PathMatcher,
  readGlobs,
  showPath,
  walk,
} from '@jinn/workspace/walk';

export interface TargetFiles {
  /** Paths, globs and directories, as the caller wrote them. */
  readonly files: readonly string[];
  /** A glob that every file must match too. */
  readonly include?: string | undefined;
  readonly maxFiles: number;
}

/** The files that a caller names, and a sentence on each glob that matched none of them. */
export interface FoundFiles {
  readonly paths: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Finds the files that a caller names: a path stands for itself, a directory for the files below it that git does not
 * ignore, a glob for the files that it matches. Each file comes once, in the order of the names. Throws ToolError for a
 * path that is refused or missing, if nothing matches, and for too many files.
 */
export async function findTargetFiles(
  ctx: ToolContext,
  { files, include, maxFiles }: TargetFiles,
): Promise<FoundFiles> {
  const roots = globRoots(ctx.workspace);
  const wanted = new PathMatcher(include === undefined ? [] : readGlobs(include, roots, ','));
  const named = files.flatMap((text) => readGlobs(text, roots));
  const [spared, globs] = [named.filter(({ excludes }) => excludes), named.filter(({ excludes }) => !excludes)];
  const isSpared = new PathMatcher(spared);
  const found = new Set<string>();
  const unmatched: string[] = [];
  for (const glob of globs.length > 0 ? globs : readGlobs('.', roots)) {
    let count = 0;
    await expand(ctx, glob, (path) => {
      const [directory, name] = [posix.dirname(path), posix.basename(path)];
      if (!isSpared.matches(directory, name) || !wanted.matches(directory, name)) return;
      count++;
      // A tilde at the beginning would stand for the home.
      if (found.add(path.startsWith('~') ? `./${path}` : path).size > maxFiles) throw tooMany(maxFiles);
    });
    if (count === 0) unmatched.push(glob.asked);
  }
  if (found.size === 0) {
    const globs = include === undefined ? unmatched : wanted.unmatched();
    const advice = globs.map((glob) => adviseGlob(ctx.workspace, glob, '.')).find((one) => one !== undefined);
    throw new ToolError('file_not_found', `no files matched ${files.join(', ').slice(0, 300)}`, {
      suggestion: advice ?? (include === undefined ? 'use list_dir to see what is there' : `check include: ${include}`),
    });
  }
  const all = [...unmatched, ...wanted.unmatched()];
  return { paths: [...found], warnings: all.map((glob) => `no file matches ${showPath(glob)}`) };
}

async function expand(ctx: ToolContext, glob: Glob, add: (path: string) => void): Promise<void> {
  const status = readStatus(ctx, glob.asked);
  const matcher = new PathMatcher(status ? [] : [glob]);
  if (status && status.kind !== 'directory') return add(status.path);
  const { workspace, checkpoint, warn } = ctx;
  const hidden = !status && matcher.hidden;
  const options = { hidden, gitignore: true, excludeDirectories: EXCLUDED_DIRECTORIES, checkpoint };
  const base = `./${status?.path ?? matcher.base}`;
  const { warnings } = await walk(workspace, base, options, ({ kind, path, directory, name }) => {
    if (kind === 'file' && matcher.matches(directory.path, name)) add(path);
    return undefined;
  });
  warnings.forEach(warn);
}

/** Returns the status of a path; undefined if nothing stands there and the path may be a glob. */
function readStatus({ workspace }: ToolContext, target: string) {
  try {
    return workspace.status(target);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'file_not_found' && isGlob(target)) return undefined;
    throw error;
  }
}

function tooMany(maxFiles: number): ToolError {
  return new ToolError('resource_limit', `more than ${maxFiles} files to look through`, {
    suggestion: 'name fewer files, or narrow them with include; nothing was changed',
  });
}
