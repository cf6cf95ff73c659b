import type { ToolContext } from '@jinn/core';
import { EXCLUDED_DIRECTORIES, fromRootOrStart, liesInExcluded, splitNames, type TakenFiles, walk } from '@jinn/walk';
import type { FileFilter } from './file-filter.ts';

/** The files of one directory that are searched. */
export interface TargetDirectory {
  /** From the workspace root; '.' for the root itself. */
  readonly path: string;
  readonly names: () => readonly string[];
  /** True when they are all files there but the hidden ones and those that the filter's globs leave out. */
  readonly isWhole: boolean;
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
 * Finds the files to search; those of each directory are also given to `onDirectory` at once. A file that is named is
 * searched even when git ignores it; what lies in an excluded directory only with `noIgnore`. Throws ToolError for a path
 * that is refused or missing.
 */
export async function findTargets(
  ctx: ToolContext,
  options: TargetOptions,
  onDirectory?: (directory: TargetDirectory) => void,
): Promise<SearchTargets> {
  const { path, kind } = ctx.workspace.status(options.path);
  const segments = path.split('/');
  const directories = kind === 'directory' ? segments : segments.slice(0, -1);
  if (!options.noIgnore && liesInExcluded(directories.join('/'))) return { directories: [], notes: [] };
  if (kind === 'directory') return walkTargets(ctx, path, options, onDirectory);
  ctx.workspace.withFile(options.path, () => {}); // Refuses what is no regular file.
  const target = { path: directories.join('/') || '.', names: () => segments.slice(-1), isWhole: false };
  onDirectory?.(target);
  return { directories: [target], notes: [] };
}

async function walkTargets(
  { workspace, checkpoint }: ToolContext,
  path: string,
  { filter, hidden, noIgnore }: TargetOptions,
  onDirectory: ((directory: TargetDirectory) => void) | undefined,
): Promise<SearchTargets> {
  const directories: TargetDirectory[] = [];
  const wanted = filter && { ...filter, matches: fromRootOrStart(filter, path) };
  const { notes } = await walk(
    workspace,
    `./${path}`,
    {
      hidden: hidden || noIgnore,
      gitignore: !noIgnore,
      excludeDirectories: noIgnore ? undefined : EXCLUDED_DIRECTORIES,
      checkpoint,
      filesFirst: true,
      takeFiles: (directory, files) => {
        const target = toTarget(directory.path, files, wanted);
        if (!target) return;
        directories.push(target);
        onDirectory?.(target);
      },
    },
    () => undefined,
  );
  return { directories, notes };
}

/** Undefined when the filter leaves none of the files. */
function toTarget(
  path: string,
  { names, areAll }: TakenFiles,
  filter: FileFilter | undefined,
): TargetDirectory | undefined {
  if (!filter) return { path, names: () => splitNames(names), isWhole: areAll };
  const all = splitNames(names);
  const left = all.filter((name) => filter.matches({ name, path: pathIn(path, name) }));
  if (left.length === 0) return undefined;
  return { path, names: () => left, isWhole: areAll && (filter.nameGlobs !== undefined || left.length === all.length) };
}

/** The path of a file in a directory, both from the workspace root. */
export function pathIn(directory: string, name: string): string {
  return directory === '.' ? name : `${directory}/${name}`;
}
