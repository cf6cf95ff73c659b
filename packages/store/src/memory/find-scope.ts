import fs from 'node:fs';
import path from 'node:path';
import type { Memory } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { readConfig } from '@jinn/core/read-config';
import { isObject } from '@jinn/core/text';
import { createStateFiles, readRegular, realPathIfThere, realPathOf } from '@jinn/workspace';

export const GLOBAL_SCOPE = 'global';
const MAX_PATH_BYTES = 4096;
const MAX_POINTER_BYTES = 4096;

const FAULTY_SHARING =
  'config.json has no object "memory" with true or false as "share_worktrees", so worktrees do not share their memory';

/** Finds scopes by the settings of a state directory, if there is one. */
export function scopeFinder(
  directory: string | undefined,
  root: string,
): { find: Memory['findScope'] } & Pick<Memory, 'takeWarnings'> {
  const warnings: string[] = [];
  return {
    find: (given) => {
      // Faulty settings are reported outside of worktrees too, where they are likely to be written.
      const isOn = directory === undefined ? false : readSharing(directory);
      if (typeof isOn !== 'boolean' && !warnings.includes(FAULTY_SHARING)) warnings.push(FAULTY_SHARING);
      return findScope(root, given, isOn === true);
    },
    takeWarnings: () => warnings.splice(0),
  };
}

function findScope(root: string, given: string | undefined, sharesWorktrees: boolean): string {
  if (given === undefined || given === '') {
    const { directory, isPointer } = findProject(root);
    return (isPointer && sharesWorktrees ? findMainWorktree(directory) : undefined) ?? directory;
  }
  if (given === GLOBAL_SCOPE) return given;
  const fault = faultOf(given);
  if (fault !== undefined) {
    throw new ToolError('invalid_args', `invalid scope: ${JSON.stringify(given.slice(0, 100))} — ${fault}`, {
      suggestion: 'omit scope for the current project, or use "global" or the absolute path of a project',
    });
  }
  // A project that does not exist yet has a scope too.
  return realPathOf(path.resolve(given));
}

// `isPointer` is true if `.git` is a file that names a directory, as in a worktree and in a submodule.
function findProject(root: string): { readonly directory: string; readonly isPointer: boolean } {
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

function faultOf(text: string): string | undefined {
  if (!path.isAbsolute(text)) return 'must be empty, "global", or an absolute path';
  if (!text.isWellFormed() || text.includes('\0')) return 'a path cannot have such characters';
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_PATH_BYTES ? `has ${bytes} bytes, and a path has at most ${MAX_PATH_BYTES}` : undefined;
}

// `memory.share_worktrees` of config.json: false if nothing is set. Undefined if the file is faulty.
function readSharing(state: string): unknown {
  try {
    const { memory = {} } = readConfig(createStateFiles(state));
    return isObject(memory) ? (memory['share_worktrees'] ?? false) : undefined;
  } catch {
    return undefined;
  }
}

// Security: anyone who wrote the tree also wrote its `.git`. It counts only if the directory that it names also names this worktree.
function findMainWorktree(directory: string): string | undefined {
  const dotGit = path.join(directory, '.git');
  const named = /^gitdir: (.+)$/.exec(readPointer(dotGit)?.trimEnd() ?? '')?.[1];
  const own = named && realPathIfThere(path.resolve(directory, named));
  if (!own || path.basename(path.dirname(own)) !== 'worktrees') return undefined;
  const back = readPointer(path.join(own, 'gitdir'))?.trimEnd();
  if (!back || realPathIfThere(path.resolve(own, back)) !== dotGit) return undefined;
  const shared = path.dirname(path.dirname(own));
  return path.basename(shared) === '.git' ? path.dirname(shared) : shared;
}

function readPointer(file: string): string | undefined {
  return readRegular(file, MAX_POINTER_BYTES, { followsLinks: true })?.toString();
}
