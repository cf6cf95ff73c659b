import fs from 'node:fs';
import { posix } from 'node:path';
import { readRegular } from '@jinn/workspace';
import { findGitlinks } from '@jinn/workspace/walk/git-index';
import { realPath } from '../../index.ts';
import {
  type BytePath,
  byteText,
  entriesAt,
  identityAt,
  isSettled,
  statOf,
  toBytePath,
  toSystemPath,
} from './held-directory.ts';

const MAX_DEPTH = 12;
/** The most directories that are looked at for the worktrees and submodules of a repository. */
const MAX_BELOW = 1_000;
const MAX_POINTER = 4 * 1024;
const MAX_CONFIG = 64 * 1024;
/** The index of half a million files. */
const MAX_INDEX = 64 * 1024 * 1024;

export interface GitUnit {
  /** A `.git`, bare or `.git/modules` directory. One below `.git/worktrees`. A file that names one of these. */
  readonly kind: 'repository' | 'worktree' | 'pointer';
  readonly path: BytePath;
  /** Identifies the object, with its time of birth: `device:inode:nanoseconds`. */
  readonly id: string;
  /** Directories between this one and the repository that holds it. */
  readonly between: readonly BytePath[];
  /** True for a repository with more worktrees and submodules than are looked at. None of them is a unit. */
  readonly isCrowded?: true;
}

/** What to mount over a place in the sandbox (sandbox-view.pl). */
export interface Mount {
  readonly kind: 'h' | 'o' | 'r' | 'w' | 'p' | 'l' | 's';
  readonly path: BytePath;
  /** The required object as `device:inode`, or undefined for a place outside the workspace, which may be missing. */
  readonly id: string | undefined;
  readonly target?: string;
}

/** The entries of a repository, or of the directory of a worktree, that git obeys and does not write in daily work. */
export const OBEYED = ['config', 'config.worktree', 'hooks', 'commondir', 'gitdir'] as const;

/** Finds the units behind everything called `.git` and every bare repository. */
export function findUnits(gits: readonly BytePath[]): GitUnit[] {
  return gits.flatMap((git) => {
    const stat = statOf(git);
    if (!stat?.isDirectory()) return stat ? unit('pointer', git) : [];
    const room = { left: MAX_BELOW };
    const units = repositoryUnits(git, [], { room, depth: 0 });
    return room.left > 0 ? units : unit('repository', git).map((own) => ({ ...own, isCrowded: true }));
  });
}

interface Search {
  readonly room: { left: number };
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

/** The names of submodules may have slashes in them. */
function moduleUnits(path: BytePath, between: readonly BytePath[], { room, depth }: Search): GitUnit[] {
  if (depth > MAX_DEPTH) return [];
  const deeper = { room, depth: depth + 1 };
  return directoriesIn(path, room).flatMap((below) =>
    statOf(`${below}/HEAD`)
      ? repositoryUnits(below, [...between, path], deeper)
      : moduleUnits(below, [...between, path], deeper),
  );
}

function directoriesIn(path: BytePath, room: Search['room']): BytePath[] {
  if (room.left <= 0) return [];
  const entries = statOf(path) ? (entriesAt(path) ?? []) : []; // Throwing and catching an error would take longer.
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
 * With `readOnly`, they protect all of the unit, so that no missing entry can be made.
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

/** Returns mounts that make a place and its target read-only: git obeys hooks and settings behind links. */
export function readOnlyMounts(path: BytePath): Mount[] {
  const target = statOf(path)?.isSymbolicLink() ? realPath(path) : undefined;
  return [...mount('r', path), ...(target === undefined ? [] : [{ kind: 'r' as const, path: target, id: undefined }])];
}

function mount(kind: Mount['kind'], path: BytePath): Mount[] {
  const id = identityAt(path);
  return id === undefined ? [] : [{ kind, path, id }];
}

/**
 * Returns the repository outside of the workspace that a `.git` file names. Security: anyone may have written that
 * file, so the repository must name its directory too, in a file that no command can write.
 */
export function repositoryOf(pointer: string): string | undefined {
  const target = pointedFrom(toBytePath(pointer));
  const own = target && realPath(byteText(target));
  if (!own) return undefined;
  const isWorktree = posix.basename(posix.dirname(own)) === 'worktrees';
  const [common, knows] = isWorktree
    ? [posix.dirname(posix.dirname(own)), realPath(posix.resolve(own, readPointer(`${own}/gitdir`))) === pointer]
    : [own, own.includes('/modules/') && worktreeOf(own) === posix.dirname(pointer)];
  const isRepository = ['HEAD', 'objects', 'refs'].every((name) => fs.existsSync(`${common}/${name}`));
  return knows && isRepository ? common : undefined;
}

function worktreeOf(git: string): string | undefined {
  const config = readRegular(`${git}/config`, MAX_CONFIG)?.toString() ?? '';
  const named = /^\s*worktree\s*=\s*"?(.+?)"?\s*$/m.exec(config)?.[1]?.replace(/\\(["\\])/g, '$1');
  return named === undefined ? undefined : realPath(posix.resolve(git, named));
}

/** Returns the place that a `.git` file names. Links are not resolved. */
function pointedFrom(pointer: BytePath): BytePath | undefined {
  const text = readRegular(toSystemPath(pointer), MAX_POINTER)?.toString('latin1') ?? '';
  const target = /^gitdir: (.+)$/m.exec(text)?.[1];
  return target && posix.resolve(posix.dirname(pointer), target);
}

function readPointer(file: string): string {
  return readRegular(file, MAX_POINTER)?.toString().trim() ?? '';
}

type Links = readonly BytePath[] | undefined;

/** Finds the repositories that an index names: `git status` runs git in each, wherever it is in the working tree. */
export class GitlinkReader {
  readonly #known = new Map<BytePath, { readonly stamp: string; readonly links: Links }>();

  /**
   * Returns the `.git` entries below `root` at the gitlinks of the repository that a `.git` entry is or names, or undefined
   * if its index is not understood.
   */
  repositoriesIn(git: BytePath, root: BytePath): BytePath[] | undefined {
    const own = statOf(git)?.isDirectory() ? git : pointedFrom(git);
    const links = own === undefined ? [] : this.#linksOf(own);
    if (own === undefined || !links?.length) return links && [];
    const moved = worktreeOf(byteText(own));
    return [posix.dirname(git), ...(moved === undefined ? [] : [toBytePath(moved)])]
      .flatMap((tree) => links.map((link) => posix.join(tree, link)))
      .filter((place) => place.startsWith(`${root}/`) && statOf(`${place}/.git`) && isReal(byteText(place)))
      .map((place) => `${place}/.git`);
  }

  #linksOf(own: BytePath): Links {
    const stat = statOf(`${own}/index`);
    if (!stat) return [];
    const stamp = `${stat.dev}:${stat.ino}:${stat.size}:${stat.ctimeNs}`;
    const known = this.#known.get(own);
    if (known?.stamp === stamp) return known.links;
    const index = readRegular(toSystemPath(`${own}/index`), MAX_INDEX);
    const links = index && findGitlinks(index);
    if (isSettled({ ctimeMs: Number(stat.ctimeMs) })) this.#known.set(own, { stamp, links });
    return links;
  }
}

function isReal(place: string): boolean {
  return realPath(place) === place;
}
