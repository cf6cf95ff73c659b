import { readCurrent, Target } from '../target.ts';
import type { History, HistoryEntry } from './history.ts';
import type { Lock } from './locks.ts';
import type { MutationContext } from './mutation.ts';
import { versionOf } from './read-records.ts';

/** Settles an entry that a killed process left, under the lock of its file, which it releases; without the lock, does nothing. */
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

/** Returns the version of the file at a path: undefined if nothing is there, one that no file has if it cannot be read. */
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
