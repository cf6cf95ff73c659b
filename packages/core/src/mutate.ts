import { ToolError } from './errors.ts';
import type { History, PlannedChange } from './history.ts';
import { createLocks, type Lock } from './locks.ts';
import { readCurrent, refuseTooLarge, versionOf } from './read-current.ts';
import { absolutePath, lockRequest, reconcile, tempName } from './reconcile.ts';
import { type Current, changedMeanwhile, Target } from './target.ts';
import type { ToolContext } from './tool.ts';
import { writeAll } from './write-all.ts';

const MAX_RETARGETS = 5;
/** What the files of one call may hold together: all of them are in memory at once. */
const MAX_CALL_BYTES = 256 * 1024 * 1024;

/** A file that a call may change. Every file that `compute` changes must be among them, made ones too. */
export interface MutationTarget {
  /** As the caller wrote it. */
  readonly path: string;
  /** Refuse with `stale_file` unless the file has this version. */
  readonly ifVersion?: string | undefined;
}

/** A file as it is now, under its lock. Two targets that name one file give one and the same object. */
export interface FileState {
  /** As the caller wrote it, at the first target that names this file. */
  readonly asked: string;
  /** The path below the workspace root, links resolved. */
  readonly path: string;
  /** Undefined when there is no file. */
  readonly content: Buffer | undefined;
  /** Permission bits; undefined when there is no file. */
  readonly mode: number | undefined;
  /** The version token of the content; undefined when there is no file. */
  readonly version: string | undefined;
}

export interface FileChange {
  readonly file: FileState;
  /** The whole new content; undefined removes the file. */
  readonly content: Buffer | undefined;
  /** Permission bits to set; as they are when left out. */
  readonly mode?: number | undefined;
}

export interface Mutation {
  /** The name of the tool, for the history. */
  readonly operation: string;
  readonly targets: readonly MutationTarget[];
  /** Do all but write; nothing is locked. */
  readonly dryRun?: boolean | undefined;
  /** Gives the changes, at most one a file. It gets a file for each target, in their order. May throw. */
  compute(files: readonly FileState[]): readonly FileChange[] | Promise<readonly FileChange[]>;
}

/** What became of a file; in a dry run, what would. */
export interface ChangedFile {
  readonly file: FileState;
  /** Undefined when it was removed. */
  readonly after: Buffer | undefined;
  /** False when it already was what it should become: then it was not written. */
  readonly changed: boolean;
  /** The version token of what is on the disk now (in a dry run: still); undefined when there is no file. */
  readonly version: string | undefined;
  /** Undoes this change; undefined if nothing was written, or the history does not have it (a warning says why). */
  readonly undoId: string | undefined;
}

export interface MutationResult {
  /** In the order of the changes. */
  readonly files: readonly ChangedFile[];
  /** Undoes the whole call. */
  readonly operationId: string | undefined;
}

/**
 * The one way by which tools change files: lock, read through the guard, refuse what is stale, compute, record the
 * snapshots, write each file whole beside its target, look once more, rename, sync, mark as done. All files are
 * changed or none: what fails in between is rolled back, and the error says so.
 */
export async function mutate(ctx: ToolContext, mutation: Mutation): Promise<MutationResult> {
  if (mutation.dryRun) return inTargets(ctx, mutation, async (open) => preview(await plan(ctx, mutation, open)));
  for (let attempt = 0; attempt < MAX_RETARGETS; attempt++) {
    const paths = await inTargets(ctx, mutation, async (open) => [...open.targets.keys()]);
    const history = await ctx.history();
    if (history) reconcile(ctx, history);
    const locks = await createLocks(ctx.lockDirectory).acquire(
      paths.map((path) => lockRequest(ctx, path)),
      ctx.checkpoint,
    );
    try {
      const result = await inTargets(ctx, mutation, async (open) => {
        // A link may have come to name another file while we waited.
        if (![...open.targets.keys()].every((path) => paths.includes(path))) return undefined;
        return write(ctx, await plan(ctx, mutation, open), { tool: mutation.operation, locks, history });
      });
      if (result) return result;
    } finally {
      for (const lock of locks.values()) lock.release();
    }
  }
  throw new ToolError('conflict', 'the links of this path keep changing', { suggestion: 'try again' });
}

/** The files of a call, held open, and for each target of the call the path of the file that it names. */
interface OpenTargets {
  readonly targets: ReadonlyMap<string, Target>;
  readonly paths: readonly string[];
}

async function inTargets<T>(
  { workspace }: ToolContext,
  mutation: Mutation,
  use: (open: OpenTargets) => Promise<T>,
): Promise<T> {
  const targets = new Map<string, Target>();
  try {
    const paths = mutation.targets.map(({ path: asked }) => {
      const target = new Target(workspace.findTarget(asked), asked);
      if (targets.has(target.path)) target.close();
      else targets.set(target.path, target);
      return target.path;
    });
    return await use({ targets, paths });
  } finally {
    for (const target of targets.values()) target.close();
  }
}

interface OpenedFile {
  readonly target: Target;
  readonly current: Current | undefined;
  readonly state: FileState;
}

/** A change that passed every check that can be made before the disk is touched. */
interface Planned extends OpenedFile {
  /** Undefined removes the file. */
  readonly content: Buffer | undefined;
  readonly mode: number | undefined;
  readonly changed: boolean;
}

async function plan(ctx: ToolContext, mutation: Mutation, open: OpenTargets): Promise<Planned[]> {
  const files = new Map<string, OpenedFile>();
  let total = 0;
  for (const [path, target] of open.targets) {
    const current = readCurrent(target);
    files.set(path, { target, current, state: toState(target, current) });
    if (current && ctx.session.reads.isStale({ path, stamp: current.stamp })) throw changedMeanwhile(target.asked);
    total += current?.content.length ?? 0;
    if (total > MAX_CALL_BYTES) throw tooMuch();
  }
  const states = open.paths.map((path) => (files.get(path) as OpenedFile).state);
  mutation.targets.forEach(({ path, ifVersion }, i) => {
    if (ifVersion !== undefined && ifVersion !== states[i]?.version) throw otherVersion(path, states[i]?.version);
  });
  const changes = await mutation.compute(states);
  const seen = new Set<FileState>();
  return changes.map((change) => {
    const file = files.get(change.file.path);
    if (file?.state !== change.file || seen.has(change.file)) throw new Error('a change of no target, or a second one');
    seen.add(change.file);
    return planChange(file, change);
  });
}

function planChange(file: OpenedFile, { content, mode }: FileChange): Planned {
  const { target, current } = file;
  if (content) refuseTooLarge(target.asked, content.length);
  const sameMode = mode === undefined || mode === current?.mode;
  const same = content && current ? content.equals(current.content) && sameMode : content === current?.content;
  if (!same) target.refuseReadOnly();
  return { ...file, content, mode, changed: !same };
}

function preview(planned: readonly Planned[]): MutationResult {
  const files = planned.map(({ state, content, changed }) => ({
    file: state,
    after: content,
    changed,
    version: state.version,
    undoId: undefined,
  }));
  return { files, operationId: undefined };
}

interface WriteContext {
  readonly tool: string;
  readonly locks: ReadonlyMap<string, Lock>;
  readonly history: History | undefined;
}

function write(ctx: ToolContext, planned: readonly Planned[], { tool, locks, history }: WriteContext): MutationResult {
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
  for (const [path, stamp] of outcome.stamps) {
    if (stamp) ctx.session.reads.record({ path, stamp });
    else ctx.session.reads.forget(path);
  }
  const isUndoable =
    operation !== undefined && history !== undefined && isRecorded(history, operation.id, outcome.kept);
  if (outcome.error) throw outcome.error;
  for (const warning of history?.takeWarnings() ?? []) ctx.warn(warning);
  return {
    files: results.map(({ state, content, changed, version }) => ({
      file: state,
      after: content,
      changed,
      version,
      undoId: isUndoable ? operation.entries.get(state.path) : undefined,
    })),
    operationId: isUndoable ? operation.id : undefined,
  };
}

/** The files are what they are now. An entry that cannot be marked stays prepared, and is settled by comparing. */
function isRecorded(history: History, operationId: string, paths: readonly string[]): boolean {
  try {
    return history.commit(operationId, paths);
  } catch {
    return true;
  }
}

function toPlannedChange({ state, current, version }: Planned & { version: string | undefined }): PlannedChange {
  return {
    path: state.path,
    before: current && { content: current.content, mode: current.mode },
    beforeVersion: state.version,
    afterVersion: version,
  };
}

function toState({ asked, path }: Target, current: Current | undefined): FileState {
  const { content, mode } = current ?? {};
  return { asked, path, content, mode, version: content && versionOf(content) };
}

function tooMuch(): ToolError {
  return new ToolError('resource_limit', 'the files of this call hold more than 256 MB together', {
    suggestion: 'change fewer files in a call',
  });
}

function otherVersion(asked: string, version: string | undefined): ToolError {
  const now = version === undefined ? 'there is no such file' : `the file has version ${version} now`;
  return new ToolError('stale_file', `if_version does not match: ${asked}: ${now}`, {
    suggestion: 'read the file again, and make the change on what it holds now',
  });
}
