import { fromWriteError, ToolError } from '@jinn/errors';
import type { FileStat } from '../open-file.ts';
import { type Current, changedMeanwhile, type Target } from '../target.ts';
import type { WantedContent } from './staged-file.ts';

export interface PlannedWrite {
  readonly target: Target;
  /** What was read; undefined if there was no file. */
  readonly current: Current | undefined;
  /** Undefined removes the file. */
  readonly wanted: WantedContent | undefined;
  /** The name of the hidden file to write to. */
  readonly temp: string;
}

export interface WriteOutcome {
  /** The stat of each file that was touched, by its path; undefined for one that is gone. */
  readonly stats: ReadonlyMap<string, FileStat | undefined>;
  /** The paths that hold their new content. */
  readonly kept: readonly string[];
  /** Why some do not, or why the changes may not survive a power loss. */
  readonly error?: ToolError;
}

/**
 * Changes all files or none. Everything that may lack space or rights is done first, on hidden files. Then each is
 * renamed into place, and after that files are removed. If one of these steps fails, the earlier ones are rolled back.
 */
export function writeAll(planned: readonly PlannedWrite[]): WriteOutcome {
  const stats = new Map<string, FileStat | undefined>();
  // Removals come last, and are rolled back first: the content of a file that moves always has a name.
  const writes = [...planned.filter(({ wanted }) => wanted), ...planned.filter(({ wanted }) => !wanted)];
  let at = writes[0];
  try {
    for (at of writes) stage(at);
    for (at of writes) if (!at.target.isUnchanged(at.current?.stat)) throw changedMeanwhile(at.target.asked);
    for (at of writes) stats.set(at.target.path, commit(at));
  } catch (error) {
    const cause = fromWriteError(error, at?.target.asked ?? '');
    const done = writes.filter(({ target }) => stats.has(target.path));
    const kept = done.toReversed().filter((write) => !rollBack(write, stats));
    for (const { target } of writes.toReversed()) target.discard();
    // A power loss may bring back what the disk does not confirm here. The history settles it then.
    if (done.length > 0) syncAll(done);
    return { stats, kept: kept.map(({ target }) => target.path), error: failure(cause, done, kept) };
  }
  return { stats, kept: writes.map(({ target }) => target.path), ...syncAll(writes) };
}

function stage({ target, current, wanted, temp }: PlannedWrite): void {
  if (wanted) target.stage(temp, wanted, current);
}

function commit({ target, current, wanted }: PlannedWrite): FileStat | undefined {
  if (wanted) return target.commit(current?.stat);
  if (current) target.remove(current.stat);
  return undefined;
}

/** Puts back what was there; returns false if that fails. */
function rollBack({ target, current, temp }: PlannedWrite, stats: Map<string, FileStat | undefined>): boolean {
  const { path } = target;
  const stat = stats.get(path);
  try {
    if (current) {
      target.stage(temp, current, current);
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

/** Syncs each directory once. The error tells the agent that a power loss may undo the change. */
function syncAll(writes: readonly PlannedWrite[]): { error?: ToolError } {
  const synced = new Set<string>();
  for (const { target } of writes) {
    if (synced.has(target.directory)) continue;
    synced.add(target.directory);
    try {
      target.sync();
    } catch (cause) {
      const message = `${target.asked} is written, but the disk did not confirm that it will survive a power loss`;
      return { error: new ToolError('write_failed', message, { cause }) };
    }
  }
  return {};
}
