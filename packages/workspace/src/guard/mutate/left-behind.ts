import fs from 'node:fs';
import { posix } from 'node:path';
import type { FoundTarget } from '../guard.ts';
import { readCurrent, removeQuietly, Target } from '../target.ts';
import type { Workspace } from '../workspace.ts';
import type { History, HistoryEntry } from './history.ts';
import type { Lock } from './locks.ts';
import type { MutationContext } from './mutation.ts';
import { versionOf } from './read-records.ts';

/** Settles an entry that a killed process left, under the lock of its file, which it releases. */
export async function settleEntry(
  ctx: MutationContext,
  history: History,
  lock: Lock | undefined,
  { id, path }: Pick<HistoryEntry, 'id' | 'path'>,
): Promise<void> {
  if (!lock) return;
  try {
    // An entry that another process has settled before we had the lock is left as it is.
    await history.settle(id, currentVersion(ctx, path));
  } finally {
    lock.release();
  }
}

/** Returns a version that no file has if the file cannot be read. */
function currentVersion({ workspace }: MutationContext, path: string): string | undefined {
  try {
    const target = new Target(workspace.findTarget(path, { isExact: true }), path);
    try {
      const current = readCurrent(target);
      return current && versionOf(current.content);
    } finally {
      target.close();
    }
  } catch {
    return 'unreadable';
  }
}

/**
 * Removes what a killed process left that wrote the file at `path` (below the root): hidden files called `name` next to
 * the file and in the directories above it, and the empty directories that it made. A hidden file in a directory
 * further up shows that everything below was missing when the process started. Never throws.
 */
export function removeLeft(workspace: Workspace, path: string, name: string): void {
  const below: string[] = [];
  for (let directory = posix.dirname(path); ; directory = posix.dirname(directory)) {
    if (removeFrom(workspace, posix.join(directory, name))) {
      for (const made of below) removeEmpty(workspace, made);
    }
    if (directory === '.') return;
    below.push(directory);
  }
}

/** Removes up to `count` empty directories above `path` (below the root), the nearest first. Never throws. */
export function removeEmptyAbove(workspace: Workspace, path: string, count: number): void {
  let directory = posix.dirname(path);
  for (let left = count; left > 0 && directory !== '.' && removeEmpty(workspace, directory); left--) {
    directory = posix.dirname(directory);
  }
}

function removeFrom(workspace: Workspace, path: string): boolean {
  return atName(workspace, path, (prefix, { inode }) => inode?.kind === 'file' && removeQuietly(prefix)) ?? false;
}

function removeEmpty(workspace: Workspace, path: string): boolean {
  const remove = (prefix: string, { inode }: FoundTarget) => {
    if (inode?.kind !== 'directory') return false;
    fs.rmdirSync(prefix);
    return true;
  };
  return atName(workspace, path, remove) ?? false;
}

function atName<T>(workspace: Workspace, path: string, work: (name: string, found: FoundTarget) => T): T | undefined {
  try {
    // The dot keeps a name that starts with a tilde from standing for the home.
    const found = workspace.findTarget(`./${path}`, { isExact: true });
    try {
      // The process did not write to a path that a link points elsewhere.
      if (found.missing.length > 0 || found.path !== path) return undefined;
      return found.parent.within((prefix) => work(`${prefix}/${found.name}`, found));
    } finally {
      found.inode?.close();
      found.parent.close();
    }
  } catch {
    return undefined; // It is gone, or closed to us, or a directory that is not empty.
  }
}
