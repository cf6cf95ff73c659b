import path from 'node:path';
import type { Environment } from '@jinn/core';
import { Repository } from './git-repository.ts';

/** Security: to show a signature, git would run a program that the settings name. */
const LOG = ['log', '--no-show-signature', '--no-color', '--no-ext-diff', '--no-textconv'];
export const RECENT_COMMITS = 100;
/** A change of more files says nothing about each of them. The first commit of a shallow clone has all. */
const MOST_FILES = 100;

export interface Recency {
  /** The part of the file in the last commits, from 0 to 1: newer ones count more. 1 if it has uncommitted changes. */
  readonly share: number;
  /** The number of commits since its last change, or -1 if that is not committed. */
  readonly age: number;
}

/** Returns the last changes of files, by absolute path. Empty if there is no repository, or git fails. */
export async function recentChanges(
  directory: string,
  variables: Environment,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Recency>> {
  try {
    const repository = await Repository.open(directory, variables, signal);
    const recent = await readLog(repository);
    const uncommitted = await repository.uncommitted();
    for (const file of uncommitted) {
      const known = recent.get(file)?.share ?? 0;
      recent.set(file, { share: uncommitted.length > MOST_FILES ? known : 1, age: -1 });
    }
    return recent;
  } catch {
    return new Map();
  }
}

async function readLog(repository: Repository): Promise<Map<string, Recency>> {
  if ((await repository.tryToResolve('HEAD')) === undefined) return new Map();
  const args = [...LOG, '--format=%x01', '--name-only', '--no-renames', '-z', `--max-count=${RECENT_COMMITS}`];
  const commits = (await repository.git([...args, 'HEAD', '--'])).split('\x01').slice(1);
  const recent = new Map<string, Recency>();
  for (const [age, commit] of commits.entries()) {
    const names = commit.split(/[\0\n]/).filter(Boolean);
    if (names.length > MOST_FILES) continue;
    for (const name of names) {
      const file = path.join(repository.top, name);
      const known = recent.get(file) ?? { share: 0, age };
      recent.set(file, { share: known.share + 1 / (1 + age / 10), age: known.age });
    }
  }
  const most = Math.max(...[...recent.values()].map(({ share }) => share));
  return new Map([...recent].map(([file, { share, age }]) => [file, { share: share / most, age }]));
}

/** Returns the last commits, each with hash, day, author, subject and files. Throws ToolError if git fails. */
export async function gitLog(directory: string, count: number, variables: Environment): Promise<string> {
  const repository = await Repository.open(directory, variables);
  const format = ['--format=%h %ad %an: %s', '--date=short', '--name-status', '--find-renames'];
  return (await repository.text([...LOG, ...format, `--max-count=${count}`, 'HEAD', '--'])).trimEnd();
}
