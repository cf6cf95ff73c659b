import { posix } from 'node:path';
import type { History } from './history.ts';
import { createLocks, type Lock, type LockRequest } from './locks.ts';
import { readCurrent, versionOf } from './read-current.ts';
import { Target } from './target.ts';
import type { ToolContext } from './tool.ts';

/**
 * Settles the entries of processes that were killed. The lock tells them from those of a call that runs now: it is
 * held until its entries are committed or aborted.
 */
export function reconcile(ctx: ToolContext, history: History): void {
  const locks = createLocks(ctx.lockDirectory);
  for (const { id, path } of history.unsettled()) {
    const lock = locks.tryAcquire(lockRequest(ctx, path));
    if (!lock) continue;
    try {
      // It may have been settled while we came to the lock.
      if (history.unsettled().some((entry) => entry.id === id)) history.settle(id, currentVersion(ctx, path));
    } finally {
      lock.release();
    }
  }
}

/** What stands at a path; undefined for nothing, and no version that any file has for what is no readable file. */
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

/** What locks the file at `path` (below the root, links resolved), for every process. */
export function lockRequest(ctx: ToolContext, path: string): LockRequest {
  return {
    path: absolutePath(ctx, path),
    asked: path,
    clean: (id) => removeTemp(ctx, path, id),
  };
}

export function absolutePath({ workspace }: ToolContext, path: string): string {
  return posix.join(workspace.root, path);
}

/** A hidden file is named after the lock under which it is written, so that who takes over the lock can remove it. */
export function tempName({ id }: Pick<Lock, 'id'>): string {
  return `.jinn-${id}`;
}

function removeTemp({ workspace }: ToolContext, path: string, id: string): void {
  try {
    const target = new Target(workspace.findTarget(path), path);
    try {
      target.removeTemp(tempName({ id }));
    } finally {
      target.close();
    }
  } catch {
    // The path leads elsewhere by now; what was left is not ours to look for.
  }
}
