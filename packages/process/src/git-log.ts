import path from 'node:path';
import type { Environment } from '@jinn/core';
import { Repository } from './git-changes.ts';

/** Security: to show a signature, git would run a program that the settings name. */
const LOG = ['log', '--no-show-signature', '--no-color', '--no-ext-diff', '--no-textconv'];
const COMMITS = 100;
/** A commit with more files says nothing of each of them; the first commit of a shallow clone has all. */
const MOST_FILES = 100;

/**
 * How much each file of the repository took part in the last commits, from 0 to 1, by absolute path: newer commits
 * count more. Empty where there is no repository, or git cannot tell.
 */
export async function recentChanges(directory: string, variables: Environment): Promise<ReadonlyMap<string, number>> {
  const scores = new Map<string, number>();
  try {
    const repository = await Repository.open(directory, variables);
    const args = [...LOG, '--format=%x01', '--name-only', '--no-renames', '-z', `--max-count=${COMMITS}`];
    const commits = (await repository.git([...args, 'HEAD', '--'])).split('\x01').slice(1);
    for (const [age, commit] of commits.entries()) {
      const names = commit.split(/[\0\n]/).filter(Boolean);
      if (names.length > MOST_FILES) continue;
      for (const name of names) {
        const file = path.join(repository.top, name);
        scores.set(file, (scores.get(file) ?? 0) + 1 / (1 + age / 10));
      }
    }
  } catch {
    return new Map();
  }
  const most = Math.max(...scores.values());
  return new Map([...scores].map(([file, score]) => [file, score / most]));
}

/** The last commits, each with its hash, day, author, subject and files. Throws ToolError when git cannot tell. */
export async function gitLog(directory: string, count: number, variables: Environment): Promise<string> {
  const repository = await Repository.open(directory, variables);
  const format = '--format=%h %ad %an: %s';
  const args = [
    ...LOG,
    format,
    '--date=short',
    '--name-status',
    '--find-renames',
    `--max-count=${count}`,
    'HEAD',
    '--',
  ];
  return (await repository.text(args)).trimEnd();
}
