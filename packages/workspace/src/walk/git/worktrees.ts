import fs from 'node:fs';
import { posix } from 'node:path';
import { findGitDirectory, readLine, realPath } from './git-directory.ts';

const MAX_WORKTREES = 200;

/**
 * Lists the linked worktrees of the repository whose top directory is `top`, by their real paths. Empty if there is no
 * repository.
 *
 * Security: a worktree counts only if the repository names it and it points back to that very record, so that nobody
 * who writes only in one of them, or only elsewhere, can make a directory a worktree.
 */
export function listWorktrees(top: string): string[] {
  const git = findGitDirectory(top, top);
  const common = git && realPath(posix.resolve(git, readLine(`${git}/commondir`) ?? '.'));
  if (common === undefined) return [];
  const records = namesIn(`${common}/worktrees`).map((name) => `${common}/worktrees/${name}`);
  return records.flatMap((record) => worktreeOf(record) ?? []);
}

function worktreeOf(record: string): string | undefined {
  const pointer = readLine(`${record}/gitdir`);
  if (pointer === undefined || !pointer.endsWith('/.git')) return undefined;
  const top = realPath(posix.dirname(posix.resolve(record, pointer)));
  return top !== undefined && findGitDirectory(top, top) === realPath(record) ? top : undefined;
}

function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory).slice(0, MAX_WORKTREES);
  } catch {
    return [];
  }
}
