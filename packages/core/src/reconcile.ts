import { posix } from 'node:path';
import { ToolError } from './errors.ts';
import type { History, HistoryEntry } from './history.ts';
import { createLocks, type Lock, type LockRequest } from './locks.ts';
import { readCurrent, versionOf } from './read-current.ts';
import { removeLeft } from './remove-left.ts';
import { Target } from './target.ts';
import type { ToolContext } from './tool.ts';

type UnsettledEntry = Pick<HistoryEntry, 'id' | 'path'>;

/**
 * Settles the entries of processes that were killed. An entry whose lock is held belongs to a call that runs now, which
 * keeps the lock until its entries are committed or forgotten. What cannot be settled now (the state directory is
 * full or read-only) stays prepared: that must not keep anybody from reading the history or clearing it.
 */
export function reconcile(ctx: ToolContext, history: History): void {
  const locks = createLocks(ctx.lockDirectory);
  for (const entry of history.unsettled()) {
    try {
      settle(ctx, history, locks.tryAcquire(lockRequest(ctx, entry.path)), entry);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
    }
  }
}

function settle(ctx: ToolContext, history: History, lock: Lock | undefined, { id, path }: UnsettledEntry): void {
  if (!lock) return;
  try {
    // Another process may have settled it before we had the lock.
    if (history.unsettled().some((entry) => entry.id === id)) history.settle(id, currentVersion(ctx, path));
  } finally {
    lock.release();
  }
}

/** The version at a path: undefined if nothing is there, and one that no file has if it cannot be read. */
function currentVersion({ workspace }: ToolContext, path: string): string | undefined {
  try {
    const target = new Target(workspace.findTarget(path), path);
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

/** The lock on the file at `path` (below the root, links resolved), which every process asks for. */
export function lockRequest(ctx: ToolContext, path: string): LockRequest {
  return {
    path: absolutePath(ctx, path),
    asked: path,
    clean: (id) => removeLeft(ctx.workspace, path, tempName({ id })),
  };
}

export function absolutePath({ workspace }: ToolContext, path: string): string {
  return posix.join(workspace.root, path);
}

/** The name of a hidden file holds the id of the lock under which it is written: who takes over the lock removes it. */
export function tempName({ id }: Pick<Lock, 'id'>): string {
  return `.jinn-${id}`;
}
