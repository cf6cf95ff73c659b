import fs from 'node:fs';
import { posix } from 'node:path';
import { openPlainly, readUpTo } from '../read-plainly.ts';

const MAX_POINTER = 4096;
const MAX_CONFIG = 64 * 1024;

/**
 * Finds the git directory of a repository by the directory that holds `.git`; undefined if there is no repository. It
 * is `.git` itself, or the target of `.git` if that is a file or a link.
 *
 * Security: whoever wrote the tree also wrote that pointer, and `commondir` in it. A git directory outside of `root`
 * counts only if it is where git puts it: as `.git` in a directory above `root`, or, for a linked worktree and a
 * submodule, where the git directory itself names the directory that it belongs to. Whoever may only write in the tree
 * cannot write that name. So a repository made with `git init --separate-git-dir` outside of `root` does not count.
 */
export function findGitDirectory(top: string, root: string): string | undefined {
  const named = posix.join(top, '.git');
  // This is checked first, because a path that leads nowhere makes an error, which takes ten times as long.
  const git = fs.existsSync(named) ? realPath(named) : undefined;
  const directory = git && (isDirectory(git) ? git : findPointedAt(git, top));
  if (!directory || !fs.existsSync(`${directory}/HEAD`)) return undefined;
  const isTrusted =
    isBelow(root, directory) ||
    (directory === posix.join(top, '.git') && isBelow(top, root)) ||
    isWorktreeOf(directory, top) ||
    isSubmoduleOf(directory, top);
  return isTrusted ? directory : undefined;
}

/**
 * Finds the file `info/exclude` of a git directory that `findGitDirectory` returned; undefined if a link or `commondir`
 * leads out of `root`. The git directory of a worktree names the one that all worktrees share, which has the file.
 */
export function findExcludeFile(directory: string, root: string): string | undefined {
  const common = realPath(posix.resolve(directory, readLine(`${directory}/commondir`) ?? '.'));
  const info = common && realPath(`${common}/info`);
  const isTrusted = common === directory || common === sharedBy(directory);
  if (!info || !((isTrusted && info === `${common}/info`) || isBelow(root, info))) return undefined;
  return `${info}/exclude`;
}

function findPointedAt(file: string, top: string): string | undefined {
  const target = /^gitdir: (.+)$/s.exec(readLine(file) ?? '')?.[1];
  return target === undefined ? undefined : realPath(posix.resolve(top, target));
}

/**
 * Reports whether a git directory belongs to the worktree at `top`. Git makes `<shared>/worktrees/<name>`, with a file
 * `gitdir` that names the worktree's `.git`.
 */
function isWorktreeOf(directory: string, top: string): boolean {
  const named = sharedBy(directory) === undefined ? undefined : readLine(`${directory}/gitdir`);
  return named !== undefined && realPath(posix.resolve(directory, named)) === posix.join(top, '.git');
}

function sharedBy(directory: string): string | undefined {
  const worktrees = posix.dirname(directory);
  return posix.basename(worktrees) === 'worktrees' ? posix.dirname(worktrees) : undefined;
}

/**
 * Reports whether a git directory belongs to the submodule at `top`. Git makes `<git directory>/modules/<name>`, with a
 * `config` that names the submodule's directory.
 */
function isSubmoduleOf(directory: string, top: string): boolean {
  if (!directory.includes('/modules/')) return false;
  const config = readText(`${directory}/config`, MAX_CONFIG) ?? '';
  const named = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(config)?.[1];
  return named !== undefined && realPath(posix.resolve(directory, unquote(named))) === top;
}

/** Undoes the quotes and backslashes of a value in a git configuration. */
function unquote(value: string): string {
  return value.replace(/^"(.*)"$/, '$1').replace(/\\(["\\])/g, '$1');
}

function isBelow(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

function isDirectory(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

export function realPath(path: string): string | undefined {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return undefined;
  }
}

export function readLine(path: string): string | undefined {
  return readText(path, MAX_POINTER)?.replace(/[\r\n]+$/, '');
}

function readText(path: string, limit: number): string | undefined {
  try {
    return readUpTo(openPlainly(path), limit)?.toString();
  } catch {
    return undefined;
  }
}
