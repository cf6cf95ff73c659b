import { fromWriteError, ToolError } from '@jinn/core/errors';
import type { FileStat } from '../inode.ts';
import type { Current, Target } from '../target.ts';
import { changedMeanwhile, type Sync, type WantedContent } from './staged-file.ts';

export interface PlannedWrite {
  readonly target: Target;
  readonly current: Current | undefined;
  readonly wanted: WantedContent | undefined;
  readonly temp: string;
}

export interface WriteOutcome {
  /** Of each file that was touched, by its path; undefined for one that is gone. */
  readonly stats: ReadonlyMap<string, FileStat | undefined>;
  readonly kept: readonly string[];
  /** Why some paths have their old content, or why the changes may not survive a power loss. */
  readonly error?: ToolError;
}

/**
 * Changes all files or none. Everything that may lack space or rights is done first, on hidden files. Then each is
 * renamed into place, and after that files are removed. If one of these steps fails, the earlier ones are rolled back.
 * If `sync` lets other calls run, none of them does so between the last look at the files and the last rename.
 */
export async function writeAll(planned: readonly PlannedWrite[], sync: Sync): Promise<WriteOutcome> {
  const stats = new Map<string, FileStat | undefined>();
  // Removals come last, and are rolled back first: the content of a file that moves always has a name.
  const writes = [...planned.filter(({ wanted }) => wanted), ...planned.filter(({ wanted }) => !wanted)];
  let at = writes[0];
  try {
    for (at of writes) await stage(at, sync);
    for (at of writes) if (!at.target.isUnchanged(at.current?.stat)) throw changedMeanwhile(at.target.asked);
    for (at of writes) stats.set(at.target.path, commit(at));
  } catch (error) {
    const cause = fromWriteError(error, at?.target.asked ?? '');
    const done = writes.filter(({ target }) => stats.has(target.path));
    const kept: PlannedWrite[] = [];
    for (const write of done.toReversed()) if (!(await rollBack(write, stats, sync))) kept.push(write);
    for (const { target } of writes.toReversed()) target.discard();
    // A power loss may bring back what the disk does not confirm here. The history settles it then.
    if (done.length > 0) await syncAll(done, sync);
    return { stats, kept: kept.map(({ target }) => target.path), error: failure(cause, done, kept) };
  }
  return { stats, kept: writes.map(({ target }) => target.path), ...(await syncAll(writes, sync)) };
}

async function stage({ target, current, wanted, temp }: PlannedWrite, sync: Sync): Promise<void> {
  if (wanted) await target.stage({ temp, wanted, keep: current }, sync);
}

function commit({ target, current, wanted }: PlannedWrite): FileStat | undefined {
  if (wanted) return target.commit(current?.stat);
  if (current) target.remove(current.stat);
  return undefined;
}

async function rollBack(
  { target, current, temp }: PlannedWrite,
  stats: Map<string, FileStat | undefined>,
  sync: Sync,
): Promise<boolean> {
  const { path } = target;
  const stat = stats.get(path);
  try {
    if (current) {
      await target.stage({ temp, wanted: current, keep: current }, sync);
      stats.set(path, target.commit(stat));
    } else if (stat) {
      target.remove(stat);
      stats.set(path, undefined);
    }
    return true;
  } catch {
    return false;
  }
}

function failure(cause: ToolError, done: readonly PlannedWrite[], kept: readonly PlannedWrite[]): ToolError {
  const { code, message, suggestion } = cause;
  if (code === 'stale_file' && done.length === 0) return cause;
  const says = [message, 'nothing was changed'];
  if (done.length > 0) says[1] = `what was written before it was rolled back (${namesOf(done)})`;
  if (kept.length > 0) says[1] = `it could not be rolled back, and is changed: ${namesOf(kept)}`;
  return new ToolError(code, says.join('; '), {
    cause,
    ...(suggestion !== undefined && { suggestion }),
    ...(kept.length > 0 && { suggestion: 'use undo to list and restore what was changed' }),
  });
}

function namesOf(writes: readonly PlannedWrite[]): string {
  return writes.map(({ target }) => target.asked).join(', ');
}

async function syncAll(writes: readonly PlannedWrite[], sync: Sync): Promise<{ error?: ToolError }> {
  const synced = new Set<string>();
  for (const { target } of writes) {
    if (synced.has(target.directory)) continue;
    synced.add(target.directory);
    try {
      await target.sync(sync);
    } catch (cause) {
      const message = `${target.asked} is written, but the disk did not confirm that it will survive a power loss`;
      return { error: new ToolError('write_failed', message, { cause }) };
    }
  }
  return {};
}
