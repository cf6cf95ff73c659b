import type { ToolContext } from '@jinn/core';
import { EXCLUDED_DIRECTORIES, liesInExcluded, walk } from '@jinn/walk';
import type { FileFilter } from './file-filter.ts';

/** The files of one directory that are searched. */
export interface TargetDirectory {
  /** From the workspace root; '.' for the root itself. */
  readonly path: string;
  readonly names: string[];
  /** True when they are all files there but the hidden ones and those that the filter's globs leave out. */
  isWhole: boolean;
}

export interface SearchTargets {
  readonly directories: readonly TargetDirectory[];
  readonly notes: readonly string[];
}

export interface TargetOptions {
  readonly path: string;
  readonly filter: FileFilter | undefined;
  readonly hidden: boolean;
  /** Also what git ignores and what is excluded. */
  readonly noIgnore: boolean;
}

/**
 * Finds the files to search. A file that is named is searched even when git ignores it; what lies in an excluded
 * directory only with `noIgnore`. Throws ToolError for a path that is refused or missing.
 */
export async function findTargets(ctx: ToolContext, options: TargetOptions): Promise<SearchTargets> {
  const { path, kind } = ctx.workspace.status(options.path);
  const segments = path.split('/');
  const directories = kind === 'directory' ? segments : segments.slice(0, -1);
  if (!options.noIgnore && liesInExcluded(directories.join('/'))) return { directories: [], notes: [] };
  if (kind === 'directory') return walkTargets(ctx, path, options);
  ctx.workspace.withFile(options.path, () => {}); // Refuses what is no regular file.
  return {
    directories: [{ path: directories.join('/') || '.', names: segments.slice(-1), isWhole: false }],
    notes: [],
  };
}

async function walkTargets(
  { workspace, checkpoint }: ToolContext,
  path: string,
  { filter, hidden, noIgnore }: TargetOptions,
): Promise<SearchTargets> {
  const groups = new Map<string, TargetDirectory>();
  let group: TargetDirectory | undefined;
  const groupOf = (directory: string) => {
    if (group?.path === directory) return group;
    group = groups.get(directory) ?? { path: directory, names: [], isWhole: true };
    groups.set(directory, group);
    return group;
  };
  const { notes } = await walk(
    workspace,
    path,
    {
      hidden: hidden || noIgnore,
      gitignore: !noIgnore,
      excludeDirectories: noIgnore ? undefined : EXCLUDED_DIRECTORIES,
      checkpoint,
      sorted: () => false,
      // All is told here, before the visits: those would have to come in order.
      decide: (entry, ignored) => {
        if (entry.kind === 'directory') return !ignored;
        if (entry.kind !== 'file') return false;
        const found = groupOf(entry.directory.path);
        if (ignored) found.isWhole = false;
        else if (!filter || filter.matches(entry)) found.names.push(entry.name);
        else if (!filter.nameGlobs) found.isWhole = false;
        return false;
      },
    },
    () => undefined,
  );
  return { directories: [...groups.values()].filter(({ names }) => names.length > 0), notes };
}

/** The path of a file in a directory, both from the workspace root. */
export function pathIn(directory: string, name: string): string {
  return directory === '.' ? name : `${directory}/${name}`;
}
