import fs from 'node:fs';
import { posix } from 'node:path';
import { isDirectory, isWithin, realPathIfThere } from '../../guard/private-files.ts';
import { openPlainly, readUpTo } from '../read-plainly.ts';

const MAX_POINTER = 4096;
const MAX_CONFIG = 64 * 1024;
const MAX_WORKTREES = 200;

/**
 * Finds the git directory of a repository by the directory that holds `.git`, or undefined if there is no repository.
 *
 * Security: anyone who wrote the tree also wrote `.git`, if it is a file or a link, and `commondir` in it. A git directory
 * outside of `root` counts only if it is where git puts it: as `.git` in a directory above `root`, or, for a linked
 * worktree and a submodule, where the git directory itself names the directory that it belongs to. Anyone who may only
 * write in the tree cannot write that name. So a repository made with `git init --separate-git-dir` outside of `root`
 * does not count.
 */
export function findGitDirectory(top: string, root: string): string | undefined {
  const named = posix.join(top, '.git');
  // This is checked first, because the error for a missing path takes ten times as long.
  const git = fs.existsSync(named) ? realPathIfThere(named) : undefined;
  const directory = git && (isDirectory(git) ? git : findPointedAt(git, top));
  if (!directory || !fs.existsSync(`${directory}/HEAD`)) return undefined;
  const isTrusted =
    isWithin(directory, root) ||
    (directory === posix.join(top, '.git') && isWithin(root, top)) ||
    isWorktreeOf(directory, top) ||
    isSubmoduleOf(directory, top);
  return isTrusted ? directory : undefined;
}

/**
 * Finds the file `info/exclude` of a git directory, or undefined if a link or `commondir` leaves `root`. All
 * worktrees share one, whose directory the git directory of a worktree names.
 */
export function findExcludeFile(directory: string, root: string): string | undefined {
  const common = realPathIfThere(posix.resolve(directory, readLine(`${directory}/commondir`) ?? '.'));
  const info = common && realPathIfThere(`${common}/info`);
  const isTrusted = common === directory || common === sharedBy(directory);
  if (!info || !((isTrusted && info === `${common}/info`) || isWithin(info, root))) return undefined;
  return `${info}/exclude`;
}

function findPointedAt(file: string, top: string): string | undefined {
  const target = /^gitdir: (.+)$/s.exec(readLine(file) ?? '')?.[1];
  return target === undefined ? undefined : realPathIfThere(posix.resolve(top, target));
}

/** Git makes `<shared>/worktrees/<name>`, with a file `gitdir` that names the worktree's `.git`. */
function isWorktreeOf(directory: string, top: string): boolean {
  const named = sharedBy(directory) === undefined ? undefined : readLine(`${directory}/gitdir`);
  return named !== undefined && realPathIfThere(posix.resolve(directory, named)) === posix.join(top, '.git');
}

function sharedBy(directory: string): string | undefined {
  const worktrees = posix.dirname(directory);
  return posix.basename(worktrees) === 'worktrees' ? posix.dirname(worktrees) : undefined;
}

/** Git makes `<git directory>/modules/<name>`, with a `config` that names the submodule's directory. */
function isSubmoduleOf(directory: string, top: string): boolean {
  if (!directory.includes('/modules/')) return false;
  const config = readText(`${directory}/config`, MAX_CONFIG) ?? '';
  const named = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(config)?.[1];
  return named !== undefined && realPathIfThere(posix.resolve(directory, unquote(named))) === top;
}

function unquote(value: string): string {
  return value.replace(/^"(.*)"$/, '$1').replace(/\\(["\\])/g, '$1');
}

/**
 * Lists the linked worktrees of the repository at `top`, by their real paths. Security: a worktree counts only if the
 * repository names it and it points back to that very record, so that no one who writes only in one of them, or only
 * elsewhere, can make a directory a worktree.
 */
export function listWorktrees(top: string): string[] {
  const git = findGitDirectory(top, top);
  const common = git && realPathIfThere(posix.resolve(git, readLine(`${git}/commondir`) ?? '.'));
  if (common === undefined) return [];
  const records = namesIn(`${common}/worktrees`).map((name) => `${common}/worktrees/${name}`);
  return records.flatMap((record) => worktreeOf(record) ?? []);
}

function worktreeOf(record: string): string | undefined {
  const pointer = readLine(`${record}/gitdir`);
  if (pointer === undefined || !pointer.endsWith('/.git')) return undefined;
  const top = realPathIfThere(posix.dirname(posix.resolve(record, pointer)));
  return top !== undefined && findGitDirectory(top, top) === realPathIfThere(record) ? top : undefined;
}

function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory).slice(0, MAX_WORKTREES);
  } catch {
    return [];
  }
}

function readLine(path: string): string | undefined {
  return readText(path, MAX_POINTER)?.replace(/[\r\n]+$/, '');
}

function readText(path: string, limit: number): string | undefined {
  try {
    return readUpTo(openPlainly(path), limit)?.toString();
  } catch {
    return undefined;
  }
}
