import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import type { PathStatus } from '@jinn/workspace';
import { EXCLUDED_DIRECTORIES, showPath, type TakenFiles, visitInTurns, walk } from '@jinn/workspace/walk';
import type { FileFilter } from './file-filter.ts';

/** The files of one directory that are searched. */
export interface TargetDirectory {
  /** The path from the workspace root; '.' for the root itself. */
  readonly path: string;
  readonly names: () => readonly string[];
  /** True if these are all files there, except hidden ones and those that the filter's name globs exclude. */
  readonly isWhole: boolean;
}

export interface SearchTargets {
  readonly directories: readonly TargetDirectory[];
  readonly warnings: readonly string[];
}

/** A directory or file to search. */
export interface SearchStart extends Pick<PathStatus, 'path' | 'kind'> {
  /** The path as the caller wrote it. */
  readonly asked: string;
}

export interface TargetOptions {
  /** They may lie in each other. */
  readonly starts: readonly SearchStart[];
  readonly filter: FileFilter | undefined;
  readonly hidden: boolean;
  /** True to search also what git ignores and what is excluded. */
  readonly noIgnore: boolean;
  /** True to enter also the directories that are excluded by their names, unless git ignores them. False if absent. */
  readonly everywhere?: boolean;
}

/** Returns the status of the paths. Throws ToolError for one that is missing or refused. */
export function startsAt({ workspace }: ToolContext, paths: string | readonly string[]): SearchStart[] {
  return [paths].flat().map((asked) => ({ asked, ...workspace.status(asked) }));
}

/**
 * Finds the files to search, and calls `onDirectory` with those of each directory as soon as they are known. A
 * directory may come more than once, with other files. A start is searched even if git ignores it, or if it lies in an
 * excluded directory. Throws ToolError for a start that can be neither walked nor read.
 */
export async function findTargets(
  ctx: ToolContext,
  options: TargetOptions,
  onDirectory?: (directory: TargetDirectory) => void,
): Promise<SearchTargets> {
  const directories: TargetDirectory[] = [];
  const warnings: string[] = [];
  const keep = (target: TargetDirectory) => {
    directories.push(target);
    onDirectory?.(target);
  };
  for (const { asked, path, kind } of options.starts) {
    if (kind === 'directory') warnings.push(...(await walkTargets(ctx, path, options, keep)));
    else {
      ctx.workspace.withFile(asked, () => {}); // Throws for anything but a regular file.
      keep({ path: posix.dirname(path), names: () => [posix.basename(path)], isWhole: false });
    }
  }
  const isFiltered = directories.length > 0 && options.starts.some(({ kind }) => kind === 'directory');
  const unmatched = isFiltered ? (options.filter?.unmatched() ?? []) : [];
  warnings.push(...unmatched.map((glob) => `include: no file matches ${showPath(glob)}`));
  return { directories, warnings };
}

async function walkTargets(
  { workspace, checkpoint }: ToolContext,
  path: string,
  options: TargetOptions,
  onDirectory: (directory: TargetDirectory) => void,
): Promise<readonly string[]> {
  const { filter, hidden, noIgnore, everywhere = false } = options;
  const keep = (target: TargetDirectory | undefined): undefined => {
    if (target) onDirectory(target);
  };
  const { warnings } = await walk(
    workspace,
    `./${path}`,
    {
      hidden: hidden || noIgnore,
      gitignore: !noIgnore,
      excludeDirectories: noIgnore || everywhere ? undefined : EXCLUDED_DIRECTORIES,
      checkpoint,
      filesFirst: true,
      takeFiles: (directory, files) => {
        const target = toTarget(directory.path, files, filter, checkpoint);
        return target instanceof Promise ? target.then(keep) : keep(target);
      },
    },
    () => undefined,
  );
  return warnings;
}

/** Makes the target of a directory. Returns undefined if the filter excludes all of the files. */
function toTarget(
  path: string,
  { names: all, areAll }: TakenFiles,
  filter: FileFilter | undefined,
  checkpoint: ToolContext['checkpoint'],
): TargetDirectory | undefined | Promise<TargetDirectory | undefined> {
  if (!filter) return { path, names: () => all, isWhole: areAll };
  const left: string[] = [];
  const isWhole = () => areAll && (filter.nameGlobs !== undefined || left.length === all.length);
  const target = () => (left.length === 0 ? undefined : { path, names: () => left, isWhole: isWhole() });
  const waits = visitInTurns(all, checkpoint, (name) => {
    if (filter.matches(path, name)) left.push(name);
  });
  return waits === undefined ? target() : waits.then(target);
}

/** Returns the path of a file in a directory, both from the workspace root. */
export function pathIn(directory: string, name: string): string {
  return directory === '.' ? name : `${directory}/${name}`;
}
