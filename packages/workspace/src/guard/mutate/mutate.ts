import fs from 'node:fs';
import { posix } from 'node:path';
import { fromWriteError, nearestName, ToolError } from '@jinn/core/errors';
import type { FileStat } from '../inode.ts';
import {
  type Current,
  changedMeanwhile,
  findLinked,
  readCurrent,
  rejectTooLarge,
  type Sync,
  syncBeside,
  Target,
  type WantedContent,
  warnOfEncoding,
} from '../target.ts';
import type { History, PlannedChange, PreparedOperation } from './history.ts';
import { removeEmptyAbove, removeLeft, settleEntry } from './left-behind.ts';
import { createLocks, type Lock, type LockRequest } from './locks.ts';
import type { ComputedChanges, FileChange, FileState, Mutation, MutationContext, MutationResult } from './mutation.ts';
import { versionOf } from './read-records.ts';
import { type StaleFile, toStaleError } from './stale-file.ts';

const MAX_RETARGETS = 5;

/**
 * Changes files. Tools change them in no other way. All files are changed or none: if a step fails, the earlier ones are
 * rolled back, and the error says so. The steps are:
 * 1. lock the files.
 * 2. read them through the guard, refuse what is stale, and compute what is to be written.
 * 3. record the snapshots.
 * 4. write each file whole next to its target, look once more, rename, and sync.
 * 5. mark the changes as done.
 */
export async function mutate<Extra>(ctx: MutationContext, mutation: Mutation<Extra>): Promise<MutationResult<Extra>> {
  if (mutation.dryRun)
    return withTargets(ctx, mutation, async (open) => preview(ctx, await planChanges(ctx, mutation, open)));
  for (let attempt = 0; attempt < MAX_RETARGETS; attempt++) {
    const paths = await withTargets(ctx, mutation, async (open) => [...open.targets.keys()]);
    const history = await ctx.history();
    if (history) await reconcile(ctx, history);
    const locks = createLocks(ctx.lockDirectory);
    locks.clear(ctx.workspace.root, (path) => lockRequest(ctx, path));
    // Step 1.
    const held = await locks.acquire(
      paths.map((path) => lockRequest(ctx, path)),
      ctx.checkpoint,
    );
    try {
      const result = await withTargets(ctx, mutation, async (open) => {
        // A link may have come to name another file while we waited.
        if (!isCovered(open, paths)) return undefined;
        // Step 2. The others are those of `write`.
        const { extra, planned } = await planChanges(ctx, mutation, open);
        return { extra, ...(await write(ctx, planned, { tool: mutation.operation, locks: held, history })) };
      });
      if (result) {
        (await import('../../secrets/run-files.ts')).warnOfRunners(ctx, result.files, findLinked);
        warnOfEncoding(ctx, result.files);
        return result;
      }
    } finally {
      for (const lock of held.values()) lock.release();
    }
  }
  throw new ToolError('conflict', 'the links of this path keep changing', { suggestion: 'try again' });
}

function isCovered(open: OpenTargets, locked: readonly string[]): boolean {
  return [...open.targets.keys()].every((path) => locked.includes(path));
}

interface MutationPlan<Extra> {
  readonly planned: readonly CheckedChange[];
  readonly extra: Extra;
}

function preview<Extra>(ctx: MutationContext, { planned, extra }: MutationPlan<Extra>): MutationResult<Extra> {
  const files = toResults(planned.map((change) => ({ ...change, version: change.state.version })));
  ctx.recordChanges(files, { dryRun: true });
  return { files, operationId: undefined, extra };
}

interface WriteContext {
  readonly tool: string;
  readonly locks: ReadonlyMap<string, Lock>;
  readonly history: History | undefined;
}

type VersionedChange = CheckedChange & { readonly version: string | undefined };

async function write(
  ctx: MutationContext,
  planned: readonly CheckedChange[],
  { tool, locks, history }: WriteContext,
): Promise<Omit<MutationResult, 'extra'>> {
  const versioned = planned.map((change) => ({ ...change, version: change.content && versionOf(change.content) }));
  const changing = versioned.filter(({ changed }) => changed);
  // Step 3.
  const operation = changing.length > 0 ? await history?.prepare(tool, changing.map(toPlannedChange)) : undefined;
  // Step 4.
  const outcome = await writeAll(
    changing.map(({ target, current, content, mode }) => ({
      target,
      current,
      wanted: content && { content, mode },
      temp: tempName(locks.get(absolutePath(ctx, target.path)) as Lock),
    })),
    ctx.servesSeveral ? syncBeside : fs.fsyncSync,
  );
  recordReads(ctx, changing, outcome);
  // Step 5.
  const isUndoable =
    operation !== undefined && history !== undefined && (await isRecorded(history, operation.id, outcome.kept));
  if (outcome.error) throw outcome.error;
  for (const { target, content, emptyDirectories } of changing) {
    if (content === undefined) removeEmptyAbove(ctx.workspace, target.path, emptyDirectories);
  }
  for (const warning of history?.takeWarnings() ?? []) ctx.warn(warning);
  const files = toResults(versioned, isUndoable ? operation : undefined);
  ctx.recordChanges(files, { dryRun: false });
  return { files, operationId: isUndoable ? operation.id : undefined };
}

function recordReads(ctx: MutationContext, changing: readonly CheckedChange[], outcome: WriteOutcome): void {
  for (const { target, current, content } of changing) {
    const { path } = target;
    if (!outcome.stats.has(path)) continue;
    const stat = outcome.stats.get(path);
    const now = outcome.kept.includes(path) ? content : current?.content;
    if (stat) ctx.session.reads.record({ path, stat, content: now });
    else ctx.session.reads.forget(path);
  }
}

function toResults(changes: readonly VersionedChange[], operation?: PreparedOperation): MutationResult['files'] {
  return changes.map(({ state, content, changed, version }) => ({
    file: state,
    after: content,
    changed,
    version,
    undoId: operation?.entries.get(state.path),
  }));
}

/** Never fails, since the files have changed: an entry that cannot be marked is settled later by comparing. */
async function isRecorded(history: History, operationId: string, paths: readonly string[]): Promise<boolean> {
  try {
    return await history.commit(operationId, paths);
  } catch {
    return true;
  }
}

function toPlannedChange({ state, current, version, target }: VersionedChange): PlannedChange {
  return {
    path: state.path,
    before: current && { content: current.content, mode: current.mode },
    beforeVersion: state.version,
    afterVersion: version,
    newDirectories: target.missingDirectories,
  };
}

/**
 * Settles the entries of processes that were killed. An entry whose lock is held belongs to a call that runs now. What
 * cannot be settled now (the state directory is full or read-only) stays prepared: the history can still be read and
 * cleared. If the history itself does not answer, no call waits for each entry.
 */
export async function reconcile(ctx: MutationContext, history: History): Promise<void> {
  const locks = createLocks(ctx.lockDirectory);
  for (const entry of await history.unsettled()) {
    try {
      await settleEntry(ctx, history, locks.tryAcquire(lockRequest(ctx, entry.path)), entry);
    } catch (error) {
      if (!(error instanceof ToolError) || error.code === 'unavailable') throw error;
    }
  }
}

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

/** It holds the id of the lock under which the file is written: anyone who takes over the lock removes the file. */
function tempName({ id }: Pick<Lock, 'id'>): string {
  return `.jinn-${id}`;
}

/** The most that the files of one call may hold, before the change and after it: all are in memory at once. */
const MAX_CALL_BYTES = 64 * 1024 * 1024;
const MAX_NAMED = 5;

interface OpenTargets {
  readonly targets: ReadonlyMap<string, Target>;
  readonly paths: readonly string[];
}

type TargetOptions = Pick<Mutation<unknown>, 'targets' | 'areRecorded' | 'ifVersions' | 'takesStale'>;

async function withTargets<T>(
  { workspace }: MutationContext,
  { targets: asked, areRecorded }: TargetOptions,
  use: (open: OpenTargets) => Promise<T>,
): Promise<T> {
  const targets = new Map<string, Target>();
  try {
    const paths = asked.map(({ path }) => {
      const target = new Target(workspace.findTarget(path, { isExact: areRecorded }), path);
      if (targets.has(target.path)) target.close();
      else targets.set(target.path, target);
      if (workspace.heldFolders.has(`${workspace.root}/${target.path}`)) throw inUse(path);
      return target.path;
    });
    return await use({ targets, paths });
  } finally {
    for (const target of targets.values()) target.close();
  }
}

function inUse(asked: string): ToolError {
  return new ToolError('conflict', `nothing was changed: ${asked} belongs to a custom tool that is running`, {
    suggestion: 'try again when the call of the tool has ended',
  });
}

interface OpenedFile {
  readonly target: Target;
  readonly current: Current | undefined;
  readonly state: FileState;
}

interface CheckedChange extends OpenedFile {
  readonly content: Buffer | undefined;
  readonly mode: number | undefined;
  /** How many of the directories above a removed file are removed too, if they are empty. */
  readonly emptyDirectories: number;
  readonly changed: boolean;
}

async function planChanges<Extra>(
  ctx: MutationContext,
  mutation: Mutation<Extra>,
  open: OpenTargets,
): Promise<MutationPlan<Extra>> {
  rejectTooMuch(open);
  const files = readFiles(open);
  await rejectChanged(ctx, mutation, open, files);
  const states = open.paths.map((path) => (files.get(path) as OpenedFile).state);
  const { changes, extra }: ComputedChanges<Extra> = await mutation.compute(states);
  rejectTooMuchAfter(changes);
  const seen = new Set<FileState>();
  const planned = changes.map((change) => {
    const file = files.get(change.file.path);
    if (file?.state !== change.file || seen.has(change.file)) throw new Error('a change of no target, or a second one');
    seen.add(change.file);
    return planChange(file, change);
  });
  return { planned, extra };
}

function rejectTooMuch({ targets }: OpenTargets): void {
  let total = 0;
  for (const { asked, size } of targets.values()) {
    rejectTooLarge(asked, size);
    total += size;
  }
  if (total > MAX_CALL_BYTES) throw tooMuch('the files of this call hold');
}

function rejectTooMuchAfter(changes: readonly FileChange[]): void {
  for (const { file, content } of changes) rejectTooLarge(file.asked, content?.length ?? 0);
  const total = changes.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
  if (total > MAX_CALL_BYTES) throw tooMuch('after this call, its files would hold');
}

function readFiles(open: OpenTargets): Map<string, OpenedFile> {
  const files = new Map<string, OpenedFile>();
  for (const [path, target] of open.targets) {
    const current = readCurrent(target);
    files.set(path, { target, current, state: toState(target, current) });
  }
  return files;
}

async function rejectChanged(
  ctx: MutationContext,
  mutation: TargetOptions,
  open: OpenTargets,
  files: ReadonlyMap<string, OpenedFile>,
): Promise<void> {
  const { reads } = ctx.session;
  const stale = new Map<string, StaleFile>();
  for (const { asked, path, ifVersion } of wantedVersions(ctx, mutation, open, files)) {
    const { target, current, state } = files.get(path) as OpenedFile;
    if (ifVersion === undefined || ifVersion === state.version) continue;
    stale.set(path, { target, asked, content: current?.content, ifVersion });
  }
  for (const [path, { target, current }] of files) {
    if (mutation.takesStale || !current || stale.has(path) || !reads.isStale({ path, stat: current.stat })) continue;
    stale.set(path, { target, asked: target.asked, content: current.content, ifVersion: undefined });
  }
  if (stale.size === 0) return;
  const { error, shown } = await toStaleError(ctx, [...stale.values()]);
  for (const { target } of shown) {
    const current = files.get(target.path)?.current;
    if (current) reads.record({ path: target.path, stat: current.stat, content: current.content });
  }
  throw error;
}

function wantedVersions(
  ctx: MutationContext,
  { targets, ifVersions = {} }: TargetOptions,
  { paths }: OpenTargets,
  files: ReadonlyMap<string, OpenedFile>,
) {
  const wanted = targets.map(({ path, ifVersion }, i) => ({ asked: path, path: paths[i] as string, ifVersion }));
  for (const [asked, ifVersion] of Object.entries(ifVersions)) {
    const path = resolve(ctx, asked);
    if (!files.has(path)) throw noTarget(asked, [...files.keys()]);
    wanted.push({ asked, path, ifVersion });
  }
  return wanted;
}

function resolve({ workspace }: MutationContext, asked: string): string {
  const target = new Target(workspace.findTarget(asked), asked);
  target.close();
  return target.path;
}

function planChange(file: OpenedFile, { content, mode, emptyDirectories = 0 }: FileChange): CheckedChange {
  const { target, current } = file;
  const sameMode = mode === undefined || mode === current?.mode;
  const same = content && current ? content.equals(current.content) && sameMode : content === current?.content;
  if (!same) target.rejectReadOnly();
  return { ...file, content, mode, emptyDirectories, changed: !same };
}

function toState({ asked, path }: Target, current: Current | undefined): FileState {
  const { content, mode } = current ?? {};
  return { asked, path, content, mode, version: content && versionOf(content) };
}

function tooMuch(what: string): ToolError {
  return new ToolError('resource_limit', `${what} more than 64 MB together`, {
    suggestion: 'change fewer files in a call (nothing was changed)',
  });
}

function noTarget(asked: string, paths: readonly string[]): ToolError {
  const nearest = nearestName(asked, paths);
  const named = paths.slice(0, MAX_NAMED).join(', ') + (paths.length > MAX_NAMED ? ', …' : '');
  return new ToolError('invalid_args', `if_versions: ${asked} is no file of this call (nothing was changed)`, {
    suggestion: nearest === undefined ? `the files of this call are ${named}` : `did you mean ${nearest}?`,
  });
}

interface PlannedWrite {
  readonly target: Target;
  readonly current: Current | undefined;
  readonly wanted: WantedContent | undefined;
  readonly temp: string;
}

interface WriteOutcome {
  /** Of each file that was touched, by its path. Undefined for one that is gone. */
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
async function writeAll(planned: readonly PlannedWrite[], sync: Sync): Promise<WriteOutcome> {
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
  let state = 'nothing was changed';
  if (done.length > 0) state = `earlier changes were rolled back: ${namesOf(done)}`;
  if (kept.length > 0) state = `it could not be rolled back, and is changed: ${namesOf(kept)}`;
  return new ToolError(code, `${message} (${state})`, {
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
