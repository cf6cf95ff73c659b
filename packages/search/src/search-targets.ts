import type { PathStatus, ToolContext } from '@jinn/core';
import { EXCLUDED_DIRECTORIES, fromRootOrStart, inTurns, liesInExcluded, type TakenFiles, walk } from '@jinn/walk';
import type { FileFilter } from './file-filter.ts';

/** The files of one directory that are searched. */
export interface TargetDirectory {
  /** From the workspace root; '.' for the root itself. */
  readonly path: string;
  readonly names: () => readonly string[];
  /** True when these are all files there, except hidden ones and those that the filter's name globs exclude. */
  readonly isWhole: boolean;
}

export interface SearchTargets {
  readonly directories: readonly TargetDirectory[];
  readonly warnings: readonly string[];
}

export interface TargetOptions {
  /** The path as the caller wrote it. */
  readonly path: string;
  /** What stands at the path. */
  readonly start: Pick<PathStatus, 'path' | 'kind'>;
  readonly filter: FileFilter | undefined;
  readonly hidden: boolean;
  /** Also search what git ignores and what is excluded. */
  readonly noIgnore: boolean;
  /** Also enter the directories that are excluded by their names, unless git ignores them. False if absent. */
  readonly everywhere?: boolean;
}

/**
 * Finds the files to search, and gives those of each directory to `onDirectory` as soon as they are known. A file that
 * `path` names is searched even if git ignores it, but in an excluded directory only with `noIgnore`. Throws ToolError
 * for a path that can be neither walked nor read.
 */
export async function findTargets(
  ctx: ToolContext,
  options: TargetOptions,
  onDirectory?: (directory: TargetDirectory) => void,
): Promise<SearchTargets> {
  const { path, kind } = options.start;
  const segments = path.split('/');
  const directories = kind === 'directory' ? segments : segments.slice(0, -1);
  if (excludesNames(options) && liesInExcluded(directories.join('/'))) return { directories: [], warnings: [] };
  if (kind === 'directory') return walkTargets(ctx, path, options, onDirectory);
  ctx.workspace.withFile(options.path, () => {}); // Throws for anything but a regular file.
  const target = { path: directories.join('/') || '.', names: () => segments.slice(-1), isWhole: false };
  onDirectory?.(target);
  return { directories: [target], warnings: [] };
}

function excludesNames({ noIgnore, everywhere = false }: TargetOptions): boolean {
  return !noIgnore && !everywhere;
}

async function walkTargets(
  { workspace, checkpoint }: ToolContext,
  path: string,
  options: TargetOptions,
  onDirectory: ((directory: TargetDirectory) => void) | undefined,
): Promise<SearchTargets> {
  const { filter, hidden, noIgnore } = options;
  const directories: TargetDirectory[] = [];
  const wanted = filter && { ...filter, matches: fromRootOrStart(filter, path) };
  const keep = (target: TargetDirectory | undefined): undefined => {
    if (!target) return;
    directories.push(target);
    onDirectory?.(target);
  };
  const { warnings } = await walk(
    workspace,
    `./${path}`,
    {
      hidden: hidden || noIgnore,
      gitignore: !noIgnore,
      excludeDirectories: excludesNames(options) ? EXCLUDED_DIRECTORIES : undefined,
      checkpoint,
      filesFirst: true,
      takeFiles: (directory, files) => {
        const target = toTarget(directory.path, files, wanted, checkpoint);
        return target instanceof Promise ? target.then(keep) : keep(target);
      },
    },
    () => undefined,
  );
  return { directories, warnings };
}

/** Returns undefined if the filter excludes all of the files. */
function toTarget(
  path: string,
  { names, areAll }: TakenFiles,
  filter: FileFilter | undefined,
  checkpoint: ToolContext['checkpoint'],
): TargetDirectory | undefined | Promise<TargetDirectory | undefined> {
  if (!filter) return { path, names: () => names.toArray(), isWhole: areAll };
  const all = names.toArray();
  const left: string[] = [];
  const isWhole = () => areAll && (filter.nameGlobs !== undefined || left.length === all.length);
  const target = () => (left.length === 0 ? undefined : { path, names: () => left, isWhole: isWhole() });
  const waits = inTurns(all, checkpoint, (name) => {
    if (filter.matches({ name, path: pathIn(path, name) })) left.push(name);
  });
  return waits === undefined ? target() : waits.then(target);
}

/** The path of a file in a directory, both from the workspace root. */
export function pathIn(directory: string, name: string): string {
  return directory === '.' ? name : `${directory}/${name}`;
}
