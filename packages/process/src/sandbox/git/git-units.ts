import fs from 'node:fs';
import { posix } from 'node:path';
import { readRegular } from '@jinn/workspace';
import { realPath } from '../../index.ts';
import type { BytePath } from './byte-path.ts';
import { identify, listDirectory, statOf } from './look.ts';

const MAX_DEPTH = 12;
/** The most directories that are looked at for the worktrees and submodules of a repository. */
const MAX_BELOW = 1_000;
const MAX_POINTER = 4 * 1024;
const MAX_CONFIG = 64 * 1024;

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
  /** True for a repository with more worktrees and submodules than are looked at; none of them is a unit. */
  readonly isCrowded?: true;
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
    if (stat?.isDirectory()) return boundedUnits(git);
    return stat ? unit('pointer', git) : [];
  });
}

interface Room {
  left: number;
}

function boundedUnits(git: BytePath): GitUnit[] {
  const room = { left: MAX_BELOW };
  const units = repositoryUnits(git, [], { room, depth: 0 });
  return room.left > 0 ? units : unit('repository', git).map((own) => ({ ...own, isCrowded: true }));
}

interface Search {
  readonly room: Room;
  readonly depth: number;
}

function repositoryUnits(path: BytePath, between: readonly BytePath[], { room, depth }: Search): GitUnit[] {
  const own = unit('repository', path, between);
  if (own.length === 0 || depth > MAX_DEPTH) return own;
  const trees = directoriesIn(`${path}/worktrees`, room);
  return [
    ...own,
    ...trees.flatMap((tree) => unit('worktree', tree, [`${path}/worktrees`])),
    ...moduleUnits(`${path}/modules`, [], { room, depth }),
  ];
}

function moduleUnits(path: BytePath, between: readonly BytePath[], { room, depth }: Search): GitUnit[] {
  if (depth > MAX_DEPTH) return [];
  const deeper = { room, depth: depth + 1 };
  return directoriesIn(path, room).flatMap((below) =>
    statOf(`${below}/HEAD`)
      ? repositoryUnits(below, [...between, path], deeper)
      : moduleUnits(below, [...between, path], deeper),
  );
}

function directoriesIn(path: BytePath, room: Room): BytePath[] {
  if (room.left <= 0) return [];
  const entries = statOf(path) ? (listDirectory(path) ?? []) : []; // Throwing and catching an error would take longer.
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  room.left -= names.length;
  return room.left > 0 ? names.map((name) => `${path}/${name}`) : [];
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

function linkTarget(path: BytePath): Mount[] {
  const target = statOf(path)?.isSymbolicLink() ? realPath(path) : undefined;
  return target === undefined ? [] : [{ kind: 'r', path: target, id: undefined }];
}

/**
 * Returns the repository outside of the workspace that a `.git` file of a worktree or a submodule names; undefined if
 * the repository does not know it. Security: the `.git` file may have been written by anybody, so the repository must
 * name its directory, in a file that no command can write.
 */
export function repositoryOf(pointer: string): string | undefined {
  const target = /^gitdir: (.+)$/m.exec(readPointer(pointer))?.[1];
  const own = target && realPath(posix.resolve(posix.dirname(pointer), target));
  if (!own) return undefined;
  const [common, knows] = isIn('worktrees', own)
    ? [posix.dirname(posix.dirname(own)), realPath(posix.resolve(own, readPointer(`${own}/gitdir`))) === pointer]
    : [own, own.includes('/modules/') && worktreeOf(own) === posix.dirname(pointer)];
  const isRepository = ['HEAD', 'objects', 'refs'].every((name) => fs.existsSync(`${common}/${name}`));
  return knows && isRepository ? common : undefined;
}

function isIn(name: string, path: string): boolean {
  return posix.basename(posix.dirname(path)) === name;
}

function worktreeOf(git: string): string | undefined {
  const config = readRegular(`${git}/config`, MAX_CONFIG)?.toString() ?? '';
  const named = /^\s*worktree\s*=\s*"?(.+?)"?\s*$/m.exec(config)?.[1]?.replace(/\\(["\\])/g, '$1');
  return named === undefined ? undefined : realPath(posix.resolve(git, named));
}

function readPointer(file: string): string {
  return readRegular(file, MAX_POINTER)?.toString().trim() ?? '';
}
