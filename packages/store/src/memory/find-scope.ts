import fs from 'node:fs';
import path from 'node:path';
import type { Memory } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { findMainWorktree, readSharing, type SharingSetting } from './shared-worktrees.ts';

export const GLOBAL_SCOPE = 'global';
/** No system takes a longer path. */
const MAX_PATH_BYTES = 4096;

/** Finds scopes by the settings of a state directory, if there is one. */
export function scopeFinder(
  directory: string | undefined,
  root: string,
): { find: Memory['findScope'] } & Pick<Memory, 'takeWarnings'> {
  const warnings: string[] = [];
  return {
    find: (given) => {
      // Faulty settings are reported outside of worktrees too, where they are likely to be written.
      const { isOn, warning }: SharingSetting = directory === undefined ? { isOn: false } : readSharing(directory);
      if (warning !== undefined && !warnings.includes(warning)) warnings.push(warning);
      return findScope(root, given, isOn);
    },
    takeWarnings: () => warnings.splice(0),
  };
}

/**
 * Returns the scope that a caller names, as Memory.findScope says. `root` is the real path of the workspace.
 * `sharesWorktrees` counts only in a worktree.
 */
function findScope(root: string, given: string | undefined, sharesWorktrees: boolean): string {
  if (given === undefined || given === '') {
    const { directory, isPointer } = findProject(root);
    const main = isPointer ? findMainWorktree(directory) : undefined;
    return main !== undefined && sharesWorktrees ? main : directory;
  }
  if (given === GLOBAL_SCOPE) return given;
  const fault = faultOf(given);
  if (fault !== undefined) throw invalidScope(given, fault);
  return toRealPath(path.resolve(given));
}

interface Project {
  readonly directory: string;
  /** True if its `.git` is a file that names a directory, as in a worktree and in a submodule. */
  readonly isPointer: boolean;
}

function findProject(root: string): Project {
  for (let directory = root; ; directory = path.dirname(directory)) {
    const stat = statGit(directory);
    if (stat?.isDirectory() || stat?.isFile()) return { directory, isPointer: stat.isFile() };
    if (directory === path.dirname(directory)) return { directory: root, isPointer: false };
  }
}

function statGit(directory: string): fs.Stats | undefined {
  try {
    return fs.statSync(`${directory}/.git`, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Returns why a text is not the path of a project; undefined if it may be one. */
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
