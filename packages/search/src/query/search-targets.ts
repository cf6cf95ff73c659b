import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import type { OpenDirectory, PathStatus } from '@jinn/workspace';
import {
  EXCLUDED_DIRECTORIES,
  type LeftOut,
  showPath,
  type TakenFiles,
  visitInTurns,
  walk,
} from '@jinn/workspace/walk';
import type { FileFilter } from './file-filter.ts';

/** The files of one directory that are searched. */
export interface TargetDirectory {
  /** The path from the workspace root. '.' for the root itself. */
  readonly path: string;
  readonly names: readonly string[];
  /** True if these are all files there, except hidden ones and those that the filter's name globs exclude. */
  readonly isWhole: boolean;
}

export interface SearchTargets {
  readonly directories: readonly TargetDirectory[];
  readonly warnings: readonly string[];
}

/** A directory or file to search. */
export interface SearchStart extends Pick<PathStatus, 'path' | 'kind'> {
  readonly asked: string;
}

export interface TargetOptions {
  readonly starts: readonly SearchStart[];
  readonly filter: FileFilter | undefined;
  readonly hidden: boolean;
  /** True to search also what git ignores and what is excluded. */
  readonly noIgnore: boolean;
  /** True to enter also the directories that are excluded by their names, unless git ignores them. False if absent. */
  readonly everywhere?: boolean;
  readonly leftOut?: LeftOut | undefined;
}

/** Returns the status of the paths. Throws ToolError for one that is missing or refused. */
export function startsAt({ workspace }: ToolContext, paths: string | readonly string[]): SearchStart[] {
  return [paths].flat().map((asked) => ({ asked, ...workspace.status(asked) }));
}

/**
 * Finds the files to search, and calls `onDirectory` with those of each directory as soon as they are known. A
 * directory may come more than once, with other files. A start is searched even if git ignores it, or if it is in an
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
      keep({ path: posix.dirname(path), names: [posix.basename(path)], isWhole: false });
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
  { filter, hidden, noIgnore, everywhere = false, leftOut }: TargetOptions,
  onDirectory: (directory: TargetDirectory) => void,
): Promise<readonly string[]> {
  const excludeDirectories = noIgnore || everywhere ? undefined : EXCLUDED_DIRECTORIES;
  const takeFiles = ({ path: directory }: OpenDirectory, { names: all, areAll }: TakenFiles) => {
    if (!filter) {
      onDirectory({ path: directory, names: all, isWhole: areAll });
      return undefined;
    }
    const left: string[] = [];
    const keep = (): undefined => {
      const isWhole = areAll && (filter.nameGlobs !== undefined || left.length === all.length);
      if (left.length > 0) onDirectory({ path: directory, names: left, isWhole });
    };
    const waits = visitInTurns(all, checkpoint, (name) => {
      if (filter.matches(directory, name)) left.push(name);
    });
    return waits === undefined ? keep() : waits.then(keep);
  };
  const rules = { hidden: hidden || noIgnore, gitignore: !noIgnore, excludeDirectories };
  const options = { ...rules, checkpoint, takeFiles, leftOut };
  const { warnings } = await walk(workspace, `./${path}`, { ...options, filesFirst: true }, () => undefined);
  return warnings;
}

/** Returns the path of a file in a directory, both from the workspace root. */
export function pathIn(directory: string, name: string): string {
  return directory === '.' ? name : `${directory}/${name}`;
}
