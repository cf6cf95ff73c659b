import fs from 'node:fs';
import path from 'node:path';
import type { Environment } from '@jinn/core';
import { hasSensitiveSegment } from '@jinn/workspace/secrets/names';
import { resolveEnds } from './git-range.ts';
import { DIFF, Repository } from './git-repository.ts';
import { layOut } from './git-snapshot.ts';

const PATHS_AT_ONCE = 500;
const NAMES = [...DIFF, '--no-renames', '--name-only', '-z'];

/** The changes between a commit and the working tree, or between two commits. Paths are absolute. */
export interface GitChanges {
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly top: string;
  /**
   * Returns the unified diff of some paths, as seen from a directory. For a deleted file it says only that. A file that
   * is not tracked has no diff. A renamed file is shown as such even if its former path is not asked for. Then all
   * paths are given from the top of the repository if the former one is outside of the directory.
   */
  diffOf(paths: readonly string[], from?: string): Promise<string>;
  isCommit(name: string): Promise<boolean>;
  /**
   * Writes the files that changed at or below some directories, as the second commit has them, into another directory,
   * where each file has its absolute path, and so have the rule files above it. Secrets are omitted. Undefined if the
   * second end is the working tree.
   */
  readonly layOut?: (below: readonly string[], into: string) => Promise<void>;
}

/**
 * Asks git for the changes in the repository of a directory. `ref` is a commit, or a range of two (see `resolveEnds`):
 * then working tree and index do not count. No program that the repository's settings name is run, and nothing is
 * fetched. Throws ToolError if git fails.
 */
export async function findChanges(
  directory: string,
  ref: string,
  variables: Environment,
  signal?: AbortSignal,
): Promise<GitChanges> {
  const repository = await Repository.open(directory, variables, signal);
  const { from, to } = await resolveEnds(repository, ref);
  const { changed, removed, untracked } =
    to === undefined ? await changesSince(repository, from) : await changesBetween(repository, from, to);
  const ends = to === undefined ? [from] : [from, to];
  return {
    changed,
    removed,
    top: repository.top,
    diffOf: async (paths, seenFrom = repository.top) => {
      const tracked = paths.filter((name) => !untracked.has(name));
      const groups = tracked.length > 0 ? withOrigins(tracked, await repository.renames(ends)) : [];
      const naming = namingFrom(seenFrom, repository.top, groups.flat());
      const flags = [...DIFF, ...naming, '--find-renames', '--irreversible-delete', ...ends, '--'];
      const parts: string[] = [];
      for (let i = 0; i < groups.length; i += PATHS_AT_ONCE) {
        parts.push(await repository.text([...flags, ...groups.slice(i, i + PATHS_AT_ONCE).flat()]));
      }
      return parts.join('');
    },
    isCommit: async (name) => (await repository.tryToResolve(name)) !== undefined,
    ...(to !== undefined && {
      layOut: (below: readonly string[], into: string) => layOut(repository, to, { files: changed, below, into }),
    }),
  };
}

/** Finds the changes in each repository that one of some directories is in. See `findChanges`. */
export async function findAllChanges(
  directories: readonly string[],
  ref: string,
  variables: Environment,
  signal?: AbortSignal,
): Promise<GitChanges[]> {
  const found: GitChanges[] = [];
  for (const directory of directories) {
    if (!found.some(({ top }) => liesIn(directory, top)))
      found.push(await findChanges(directory, ref, variables, signal));
  }
  return found;
}

/** It is not in another repository inside of this one. */
function liesIn(directory: string, top: string): boolean {
  let at = directory;
  while (at !== top && at !== path.dirname(at) && !fs.existsSync(path.join(at, '.git'))) at = path.dirname(at);
  return at === top;
}

interface ChangedPaths {
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly untracked: ReadonlySet<string>;
}

async function changesSince(repository: Repository, commit: string): Promise<ChangedPaths> {
  const staged = await repository.list([...NAMES, '--cached', '--diff-filter=d', commit, '--']);
  const dropped = await repository.list([...NAMES, '--cached', '--diff-filter=D', commit, '--']);
  const { modified, deleted, untracked } = await repository.status();
  const removed = new Set([...dropped, ...deleted]);
  const changed = new Set([...staged, ...modified, ...untracked]);
  return {
    changed: [...changed].filter((name) => !deleted.has(name)),
    removed: [...removed].filter((name) => !fs.lstatSync(name, { throwIfNoEntry: false })),
    untracked,
  };
}

async function changesBetween(repository: Repository, from: string, to: string): Promise<ChangedPaths> {
  const list = (filter: string) => repository.list([...NAMES, `--diff-filter=${filter}`, from, to, '--']);
  return { changed: await list('d'), removed: await list('D'), untracked: new Set() };
}

/** A renamed file is in a group with its former path, unless that is secret. */
function withOrigins(paths: readonly string[], origins: ReadonlyMap<string, string>): string[][] {
  const groups = paths.map((name) => {
    const origin = origins.get(name);
    return origin === undefined || hasSensitiveSegment(origin) ? [name] : [origin, name];
  });
  const former = new Set(groups.filter(({ length }) => length === 2).map(([origin]) => origin));
  return groups.filter(({ length, 0: first }) => length === 2 || !former.has(first));
}

/** The diff names paths relative to a directory above or below the repository, despite any settings. */
function namingFrom(from: string, top: string, paths: readonly string[]): string[] {
  const above = path.relative(from, top);
  const isAbove = above !== '' && above !== '..' && !above.startsWith('../');
  const prefixes = ['a', 'b'].map((side) => (isAbove ? `${side}/${above}/` : `${side}/`));
  const isBelow = from !== top && paths.every((name) => name.startsWith(`${from}/`));
  const relative = isBelow && !isAbove ? [`--relative=${path.relative(top, from)}/`] : [];
  return [`--src-prefix=${prefixes[0]}`, `--dst-prefix=${prefixes[1]}`, ...relative];
}
