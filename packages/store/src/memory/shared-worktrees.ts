import fs from 'node:fs';
import path from 'node:path';
import { readConfig } from '@jinn/core/read-config';
import { isObject } from '@jinn/core/text/is-object';
import { createStateFiles, readRegular } from '@jinn/workspace';

const MAX_POINTER_BYTES = 4096;

/** The setting that the worktrees of a repository share their memory, and its faults. */
export interface SharingSetting {
  readonly isOn: boolean;
  readonly warning?: string;
}

/** Reads `memory.share_worktrees` of config.json in the state directory. It is off if the file is faulty. */
export function readSharing(state: string): SharingSetting {
  const isOn = readSetting(state);
  if (typeof isOn === 'boolean') return { isOn };
  const what = 'config.json has no object "memory" with true or false as "share_worktrees"';
  return { isOn: false, warning: `${what}, so worktrees do not share their memory` };
}

/** Returns what is set, false if nothing is; undefined if the file is at fault. */
function readSetting(state: string): unknown {
  try {
    const { memory = {} } = readConfig(createStateFiles(state));
    return isObject(memory) ? (memory['share_worktrees'] ?? false) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the project of which `directory` is a linked worktree: the main worktree, or a bare repository. Returns
 * undefined if it is not a worktree.
 *
 * Security: whoever wrote the tree also wrote its `.git`. It counts only if the directory that it names, which is
 * `<shared>/worktrees/<name>`, names this worktree too. So a tree cannot name the memory of a project of others.
 */
export function findMainWorktree(directory: string): string | undefined {
  const dotGit = path.join(directory, '.git');
  const named = /^gitdir: (.+)$/.exec(readPointer(dotGit)?.trimEnd() ?? '')?.[1];
  const own = named && toRealPath(path.resolve(directory, named));
  if (!own || path.basename(path.dirname(own)) !== 'worktrees') return undefined;
  const back = readPointer(path.join(own, 'gitdir'))?.trimEnd();
  if (!back || toRealPath(path.resolve(own, back)) !== dotGit) return undefined;
  const shared = path.dirname(path.dirname(own));
  return path.basename(shared) === '.git' ? path.dirname(shared) : shared;
}

/** Returns the text of a small regular file. Returns undefined for anything else. */
function readPointer(file: string): string | undefined {
  return readRegular(file, MAX_POINTER_BYTES, { followsLinks: true })?.toString();
}

function toRealPath(file: string): string | undefined {
  try {
    return fs.realpathSync.native(file);
  } catch {
    return undefined;
  }
}
