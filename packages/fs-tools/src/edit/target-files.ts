import { ToolError } from '@jinn/errors';
import type { ToolContext } from '@jinn/tool';
import { adviseGlob, compilePathPattern, EXCLUDED_DIRECTORIES, isGlob, splitGlobs, walk } from '@jinn/walk';

export interface TargetFiles {
  /** Paths, globs and directories, as the caller wrote them. */
  readonly files: readonly string[];
  /** A glob that every file must match too. */
  readonly include?: string | undefined;
  readonly maxFiles: number;
}

/**
 * Returns the paths of the files that a caller names: a path stands for itself, a directory for the files below it that
 * git does not ignore, a glob for the files that it matches. Each file comes once, in the order of the names. Throws
 * ToolError for a path that is refused or missing, for a glob without a match, and for too many files.
 */
export async function findTargetFiles(ctx: ToolContext, { files, include, maxFiles }: TargetFiles): Promise<string[]> {
  const wanted = include === undefined ? undefined : splitGlobs(include).map(compilePathPattern);
  const found = new Set<string>();
  const add = (path: string) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (wanted && !wanted.some(({ matches }) => matches({ name, path }))) return;
    // A tilde at the beginning would stand for the home.
    if (found.add(path.startsWith('~') ? `./${path}` : path).size > maxFiles) throw tooMany(maxFiles);
  };
  for (const target of files) await expand(ctx, target, add);
  if (found.size > 0) return [...found];
  const globs = include === undefined ? files : splitGlobs(include);
  const advice = globs.map((glob) => adviseGlob(ctx.workspace, glob, '.')).find((one) => one !== undefined);
  throw new ToolError('file_not_found', `no files matched ${files.join(', ').slice(0, 300)}`, {
    suggestion: advice ?? (include === undefined ? 'use list_dir to see what is there' : `check include: ${include}`),
  });
}

async function expand(ctx: ToolContext, target: string, add: (path: string) => void): Promise<void> {
  const status = readStatus(ctx, target);
  if (status === undefined) return addMatches(ctx, target, add);
  if (status.kind !== 'directory') return add(status.path);
  await addBelow(ctx, status.path, add);
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

async function addBelow({ workspace, checkpoint, warn }: ToolContext, directory: string, add: (path: string) => void) {
  const options = { gitignore: true, excludeDirectories: EXCLUDED_DIRECTORIES, checkpoint };
  const { warnings } = await walk(workspace, `./${directory}`, options, ({ kind, path }) => {
    if (kind === 'file') add(path);
    return undefined;
  });
  warnings.forEach(warn);
}

async function addMatches({ workspace, checkpoint, warn }: ToolContext, glob: string, add: (path: string) => void) {
  const { base, hidden, matches } = compilePathPattern(glob);
  const options = { hidden, gitignore: true, excludeDirectories: EXCLUDED_DIRECTORIES, checkpoint };
  const { warnings } = await walk(workspace, base, options, (entry) => {
    if (entry.kind === 'file' && matches(entry)) add(entry.path);
    return undefined;
  });
  warnings.forEach(warn);
}

function tooMany(maxFiles: number): ToolError {
  return new ToolError('resource_limit', `more than ${maxFiles} files to look through`, {
    suggestion: 'name fewer files, or narrow them with include; nothing was changed',
  });
}
