import fs from 'node:fs';
import { posix } from 'node:path';
import { realPath } from '@jinn/process';
import type { BytePath } from './byte-path.ts';
import { identify, listDirectory, statOf } from './look.ts';

const MAX_DEPTH = 12;

/** Something from which git takes settings or programs. */
export interface GitUnit {
  /**
   * A repository is a `.git` directory, a bare one or that of a submodule below `.git/modules`; a worktree is a directory
   * below `.git/worktrees`; a pointer is a file `.git` that names one of these.
   */
  readonly kind: 'repository' | 'worktree' | 'pointer';
  readonly path: BytePath;
  /** Identifies the object, with its time of birth: `device:inode:nanoseconds`. */
  readonly id: string;
  /** Directories between this one and the repository that holds it. */
  readonly between: readonly BytePath[];
}

/** What to mount over a place in the sandbox (sandbox-view-script.ts). */
export interface Mount {
  readonly kind: 'h' | 'r' | 'w' | 'p' | 'l' | 's';
  readonly path: BytePath;
  /**
   * Identifies the required object: `device:inode`; undefined for a place outside the workspace, which may be missing.
   */
  readonly id: string | undefined;
  readonly target?: string;
}

/** The entries of a repository, or of the directory of a worktree, that git obeys and does not write in daily work. */
export const OBEYED = ['config', 'config.worktree', 'hooks', 'commondir', 'gitdir'] as const;

/** Finds the units behind everything called `.git` and every bare repository. */
export function findUnits(gits: readonly BytePath[]): GitUnit[] {
  return gits.flatMap((git) => {
    const stat = statOf(git);
    if (stat?.isDirectory()) return repositoryUnits(git, [], 0);
    return stat ? unit('pointer', git) : [];
  });
}

function repositoryUnits(path: BytePath, between: readonly BytePath[], depth: number): GitUnit[] {
  const own = unit('repository', path, between);
  if (own.length === 0 || depth > MAX_DEPTH) return own;
  const trees = directoriesIn(`${path}/worktrees`);
  return [
    ...own,
    ...trees.flatMap((tree) => unit('worktree', tree, [`${path}/worktrees`])),
    ...moduleUnits(`${path}/modules`, [], depth),
  ];
}

/** Finds the units of the submodules below a directory. The names of submodules may have slashes in them. */
function moduleUnits(path: BytePath, between: readonly BytePath[], depth: number): GitUnit[] {
  if (depth > MAX_DEPTH) return [];
  return directoriesIn(path).flatMap((below) =>
    statOf(`${below}/HEAD`)
      ? repositoryUnits(below, [...between, path], depth + 1)
      : moduleUnits(below, [...between, path], depth + 1),
  );
}

function directoriesIn(path: BytePath): BytePath[] {
  const entries = statOf(path) ? (listDirectory(path) ?? []) : []; // Throwing and catching an error would take longer.
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${path}/${name}`);
}

function unit(kind: GitUnit['kind'], path: BytePath, between: readonly BytePath[] = []): GitUnit[] {
  const stat = statOf(path);
  return stat ? [{ kind, path, between, id: `${stat.dev}:${stat.ino}:${stat.birthtimeNs}` }] : [];
}

/**
 * Returns the mounts that keep the obeyed entries of a unit from being changed, and its directories from being renamed.
 * With `readOnly`, for a command that may run for long, they protect all of the unit: then missing entries cannot be
 * made either.
 */
export function unitMounts({ kind, path, between }: GitUnit, { readOnly }: { readOnly: boolean }): Mount[] {
  if (kind === 'pointer' || (readOnly && between.length === 0)) return mount('r', path);
  if (readOnly) return []; // Its repository is read-only as a whole.
  const obeyed = OBEYED.map((name) => `${path}/${name}`);
  return [
    ...between.flatMap((directory) => mount('p', directory)),
    ...mount('p', path),
    ...obeyed.flatMap(readOnlyMounts),
  ];
}

/** Returns the mounts that make a place read-only, and its target if it is a link; none if the place is missing. */
export function readOnlyMounts(path: BytePath): Mount[] {
  return [...mount('r', path), ...linkTarget(path)];
}

function mount(kind: Mount['kind'], path: BytePath): Mount[] {
  const id = identify(path);
  return id === undefined ? [] : [{ kind, path, id }];
}

/** Returns the mounts of the target of a link: git obeys hooks and settings behind links too. */
function linkTarget(path: BytePath): Mount[] {
  const target = statOf(path)?.isSymbolicLink() ? realPath(path) : undefined;
  return target === undefined ? [] : [{ kind: 'r', path: target, id: undefined }];
}

/**
 * Returns the repository outside of the workspace that a worktree's `.git` file names; undefined if it does not know
 * this worktree. Security: the `.git` file may have been written by anybody, so the repository must know the worktree,
 * by a file that no command can write.
 */
export function repositoryOf(pointer: string): string | undefined {
  try {
    const [, target = ''] = /^gitdir: (.+)$/m.exec(fs.readFileSync(pointer, 'utf8')) ?? [];
    const own = fs.realpathSync.native(posix.resolve(posix.dirname(pointer), target));
    const common = posix.dirname(posix.dirname(own));
    const knows = fs.realpathSync.native(fs.readFileSync(`${own}/gitdir`, 'utf8').trim()) === pointer;
    const isRepository = ['HEAD', 'objects', 'refs'].every((name) => fs.existsSync(`${common}/${name}`));
    return knows && isRepository && posix.basename(posix.dirname(own)) === 'worktrees' ? common : undefined;
  } catch {
    return undefined;
  }
}
