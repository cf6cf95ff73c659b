import fs from 'node:fs';
import path from 'node:path';
import { ToolError } from '@jinn/core';

export const GLOBAL_SCOPE = 'global';
/** The longest path that systems take. */
const MAX_PATH_BYTES = 4096;

/** The scope that a caller means, as Memory.findScope says; `root` is the real path of the workspace. */
export function findScope(root: string, given: string | undefined): string {
  if (given === undefined || given === '') return findProject(root);
  if (given === GLOBAL_SCOPE) return given;
  if (!isAbsolutePath(given)) throw invalidScope(given);
  return toRealPath(path.resolve(given));
}

function findProject(root: string): string {
  for (let directory = root; ; directory = path.dirname(directory)) {
    if (holdsGit(directory)) return directory;
    if (directory === path.dirname(directory)) return root;
  }
}

/** In a worktree and in a submodule, `.git` is a file. */
function holdsGit(directory: string): boolean {
  try {
    const stat = fs.statSync(path.join(directory, '.git'), { throwIfNoEntry: false });
    return stat !== undefined && (stat.isDirectory() || stat.isFile());
  } catch {
    return false;
  }
}

function isAbsolutePath(text: string): boolean {
  return (
    path.isAbsolute(text) && text.isWellFormed() && !text.includes('\0') && Buffer.byteLength(text) <= MAX_PATH_BYTES
  );
}

/** Links resolved as far as there is something: a project that is not there yet has a scope too. */
function toRealPath(absolute: string): string {
  try {
    return fs.realpathSync.native(absolute);
  } catch {
    const parent = path.dirname(absolute);
    return parent === absolute ? absolute : path.join(toRealPath(parent), path.basename(absolute));
  }
}

function invalidScope(given: string): ToolError {
  const shown = JSON.stringify(given.slice(0, 100));
  return new ToolError('invalid_args', `invalid scope: ${shown} — must be empty, "global", or an absolute path`, {
    suggestion: 'omit scope for the current project, or use "global" or the absolute path of a project',
  });
}
