import { posix } from 'node:path';
import { ToolError } from '@jinn/errors';
import { versionOf } from '../content-version.ts';
import { readCurrent, Target } from '../target.ts';
import type { History, HistoryEntry, PlannedChange } from './history.ts';
import { createLocks, type Lock, type LockRequest } from './locks.ts';
import type { MutationContext } from './mutation-context.ts';
import { type CheckedChange, type OpenTargets, planChanges, withTargets } from './plan-changes.ts';
import { removeEmptyAbove, removeLeft } from './remove-left.ts';
import { writeAll } from './write-all.ts';

const MAX_RETARGETS = 5;

/** A file that a call may change. Every file that `compute` changes must be among them, new ones too. */
export interface MutationTarget {
  /** As the caller wrote it. */
  readonly path: string;
  /** Refuse with `stale_file` unless the file has this version. */
  readonly ifVersion?: string | undefined;
}

/** A file as it is now, under its lock. Two targets that name one file share one object. */
export interface FileState {
  /** As the caller wrote it, at the first target that names this file. */
  readonly asked: string;
  /** The path below the workspace root, links resolved. */
  readonly path: string;
  /** Undefined if there is no file. */
  readonly content: Buffer | undefined;
  /** Permission bits; undefined if there is no file. */
  readonly mode: number | undefined;
  /** The version token of the content; undefined if there is no file. */
  readonly version: string | undefined;
}

export interface FileChange {
  readonly file: FileState;
  /** The whole new content; undefined removes the file. */
  readonly content: Buffer | undefined;
  /** Permission bits to set; without them, the mode stays. */
  readonly mode?: number | undefined;
  /** Of a file that is removed: how many of the directories above it to remove too, as long as they are empty. */
  readonly emptyDirectories?: number;
}

/** What `compute` returns. */
export interface ComputedChanges<Found> {
  /** At most one change for each file. */
  readonly changes: readonly FileChange[];
  /** What the tool learned on the way; `mutate` returns it as it is. */
  readonly found: Found;
}

export interface Mutation<Found> {
  /** The name of the tool, for the history. */
  readonly operation: string;
  readonly targets: readonly MutationTarget[];
  /** Versions that files must have, by any path that names them. Each must be a file of `targets`. */
  readonly ifVersions?: Readonly<Record<string, string>> | undefined;
  /** Do everything but write; nothing is locked. */
  readonly dryRun?: boolean | undefined;
  /** Take a file that has changed since the session read it, for a call that only shows something, or compares the text itself. */
  readonly takesStale?: boolean;
  /** Gets a file for each target, in their order. An error that it throws ends the call; nothing has changed then. */
  compute(files: readonly FileState[]): ComputedChanges<Found> | Promise<ComputedChanges<Found>>;
}

/** What became of a file; in a dry run, what would. */
export interface ChangedFile {
  readonly file: FileState;
  /** Undefined if it was removed. */
  readonly after: Buffer | undefined;
  /** False if it already was what it should become; then it was not written. */
  readonly changed: boolean;
  /** The version token of what is on the disk now (in a dry run: still); undefined if there is no file. */
  readonly version: string | undefined;
  /** Undoes this change; undefined if nothing was written, or the history does not have it (a warning says why). */
  readonly undoId: string | undefined;
}

export interface MutationResult<Found = unknown> {
  /** In the order of the changes. */
  readonly files: readonly ChangedFile[];
  /** Undoes the whole call. */
  readonly operationId: string | undefined;
  /** What `compute` found. */
  readonly found: Found;
}

/**
 * Changes files; tools change them in no other way. It locks them, reads them through the guard, refuses what is stale,
 * computes, records the snapshots, writes each file whole beside its target, looks once more, renames, syncs, and marks
 * the changes as done. All files are changed or none. If a step fails, the earlier ones are rolled back, and the error
 * says so.
 */
export async function mutate<Found>(ctx: MutationContext, mutation: Mutation<Found>): Promise<MutationResult<Found>> {
  if (mutation.dryRun)
    return withTargets(ctx, mutation, async (open) => preview(await planChanges(ctx, mutation, open)));
  for (let attempt = 0; attempt < MAX_RETARGETS; attempt++) {
    const paths = await withTargets(ctx, mutation, async (open) => [...open.targets.keys()]);
    const history = await ctx.history();
    if (history) reconcile(ctx, history);
    const locks = createLocks(ctx.lockDirectory);
    locks.clear(ctx.workspace.root, (path) => lockRequest(ctx, path));
    const held = await locks.acquire(
      paths.map((path) => lockRequest(ctx, path)),
      ctx.checkpoint,
    );
    try {
      const result = await withTargets(ctx, mutation, async (open) => {
        // A link may have come to name another file while we waited.
        if (!isCovered(open, paths)) return undefined;
        const { found, planned } = await planChanges(ctx, mutation, open);
        return { found, ...write(ctx, planned, { tool: mutation.operation, locks: held, history }) };
      });
      if (result) return result;
    } finally {
      for (const lock of held.values()) lock.release();
    }
  }
  throw new ToolError('conflict', 'the links of this path keep changing', { suggestion: 'try again' });
}

function isCovered(open: OpenTargets, locked: readonly string[]): boolean {
  return [...open.targets.keys()].every((path) => locked.includes(path));
}

function preview<Found>({
  planned,
  found,
}: {
  planned: readonly CheckedChange[];
  found: Found;
}): MutationResult<Found> {
  const files = planned.map(({ state, content, changed }) => ({
    file: state,
    after: content,
    changed,
    version: state.version,
    undoId: undefined,
  }));
  return { files, operationId: undefined, found };
}

interface WriteContext {
  readonly tool: string;
  readonly locks: ReadonlyMap<string, Lock>;
  readonly history: History | undefined;
}

function write(
  ctx: MutationContext,
  planned: readonly CheckedChange[],
  { tool, locks, history }: WriteContext,
): Omit<MutationResult, 'found'> {
  const results = planned.map((change) => ({ ...change, version: change.content && versionOf(change.content) }));
  const changing = results.filter(({ changed }) => changed);
  const operation = changing.length > 0 ? history?.prepare(tool, changing.map(toPlannedChange)) : undefined;
  const outcome = writeAll(
    changing.map(({ target, current, content, mode }) => ({
      target,
      current,
      wanted: content && { content, mode },
      temp: tempName(locks.get(absolutePath(ctx, target.path)) as Lock),
    })),
  );
  for (const { target, current, content } of changing) {
    const { path } = target;
    if (!outcome.stats.has(path)) continue;
    const stat = outcome.stats.get(path);
    const now = outcome.kept.includes(path) ? content : current?.content;
    if (stat) ctx.session.reads.record({ path, stat, content: now });
    else ctx.session.reads.forget(path);
  }
  const isUndoable =
    operation !== undefined && history !== undefined && isRecorded(history, operation.id, outcome.kept);
  if (outcome.error) throw outcome.error;
  for (const { target, content, emptyDirectories } of changing) {
    if (content === undefined) removeEmptyAbove(ctx.workspace, target.path, emptyDirectories);
  }
  for (const warning of history?.takeWarnings() ?? []) ctx.warn(warning);
  const files = results.map(({ state, content, changed, version }) => ({
    file: state,
    after: content,
    changed,
    version,
    undoId: isUndoable ? operation.entries.get(state.path) : undefined,
  }));
  ctx.recordChanges(files.filter(({ changed }) => changed));
  return { files, operationId: isUndoable ? operation.id : undefined };
}

/**
 * Marks the changes of an operation as done in the history. It never fails, since the files have already changed: an
 * entry that cannot be marked stays prepared, and is settled by comparing.
 */
function isRecorded(history: History, operationId: string, paths: readonly string[]): boolean {
  try {
    return history.commit(operationId, paths);
  } catch {
    return true;
  }
}

function toPlannedChange({
  state,
  current,
  version,
  target,
}: CheckedChange & { version: string | undefined }): PlannedChange {
  return {
    path: state.path,
    before: current && { content: current.content, mode: current.mode },
    beforeVersion: state.version,
    afterVersion: version,
    newDirectories: target.missingDirectories,
  };
}

type UnsettledEntry = Pick<HistoryEntry, 'id' | 'path'>;

/**
 * Settles the entries of processes that were killed. An entry whose lock is held belongs to a call that runs now, which
 * keeps the lock until its entries are committed or forgotten. What cannot be settled now (the state directory is
 * full or read-only) stays prepared: that must not keep anybody from reading the history or clearing it.
 */
export function reconcile(ctx: MutationContext, history: History): void {
  const locks = createLocks(ctx.lockDirectory);
  for (const entry of history.unsettled()) {
    try {
      settleEntry(ctx, history, locks.tryAcquire(lockRequest(ctx, entry.path)), entry);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
    }
  }
}

function settleEntry(
  ctx: MutationContext,
  history: History,
  lock: Lock | undefined,
  { id, path }: UnsettledEntry,
): void {
  if (!lock) return;
  try {
    // Another process may have settled it before we had the lock.
    if (history.unsettled().some((entry) => entry.id === id)) history.settle(id, currentVersion(ctx, path));
  } finally {
    lock.release();
  }
}

/** Returns the version of the file at a path: undefined if nothing is there, one that no file has if it cannot be read. */
function currentVersion({ workspace }: MutationContext, path: string): string | undefined {
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

/** Describes the lock on the file at `path` (below the root, links resolved). Every process asks for the same one. */
function lockRequest(ctx: MutationContext, path: string): LockRequest {
  return {
    path: absolutePath(ctx, path),
    asked: path,
    clean: (id) => removeLeft(ctx.workspace, path, tempName({ id })),
  };
}

function absolutePath({ workspace }: MutationContext, path: string): string {
  return posix.join(workspace.root, path);
}

/**
 * Returns the name of a hidden file. It holds the id of the lock under which the file is written: whoever takes over
 * the lock removes the file.
 */
function tempName({ id }: Pick<Lock, 'id'>): string {
  return `.jinn-${id}`;
}
