import fs from 'node:fs';
import path from 'node:path';
import { ToolError } from '@jinn/core';
import { findMainWorktree } from './shared-worktrees.ts';

export const GLOBAL_SCOPE = 'global';
/** No system takes a longer path. */
const MAX_PATH_BYTES = 4096;

/**
 * Returns the scope that a caller means, as Memory.findScope says. `root` is the real path of the workspace.
 * `sharesWorktrees` is asked only in a worktree.
 */
export function findScope(root: string, given: string | undefined, sharesWorktrees: () => boolean): string {
  if (given === undefined || given === '') {
    const project = findProject(root);
    const main = findMainWorktree(project);
    return main !== undefined && sharesWorktrees() ? main : project;
  }
  if (given === GLOBAL_SCOPE) return given;
  const fault = faultOf(given);
  if (fault !== undefined) throw invalidScope(given, fault);
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

/** Says why a text is not the path of a project. Returns undefined if it may be one. */
function faultOf(text: string): string | undefined {
  if (!path.isAbsolute(text)) return 'must be empty, "global", or an absolute path';
  if (!text.isWellFormed() || text.includes('\0')) return 'a path cannot have such characters';
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_PATH_BYTES ? `has ${bytes} bytes, and a path has at most ${MAX_PATH_BYTES}` : undefined;
}

/** Resolves the links in the part of a path that exists: a project that does not exist yet has a scope too. */
function toRealPath(absolute: string): string {
  try {
    return fs.realpathSync.native(absolute);
  } catch {
    const parent = path.dirname(absolute);
    return parent === absolute ? absolute : path.join(toRealPath(parent), path.basename(absolute));
  }
}

function invalidScope(given: string, fault: string): ToolError {
  const shown = JSON.stringify(given.slice(0, 100));
  return new ToolError('invalid_args', `invalid scope: ${shown} — ${fault}`, {
    suggestion: 'omit scope for the current project, or use "global" or the absolute path of a project',
  });
}
