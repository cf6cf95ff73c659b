import fs from 'node:fs';
import { fromWriteError, ToolError } from '@jinn/core/errors';
import { type FileStat, isSameStat, toFileStat } from '../inode.ts';
import type { Current, Target } from '../target.ts';

export interface PlannedWrite {
  readonly target: Target;
  /** The file as it was read; undefined if there was none. */
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
  /** Why some paths have their old content, or why the changes may not survive a power loss. */
  readonly error?: ToolError;
}

/**
 * Changes all files or none. Everything that may lack space or rights is done first, on hidden files. Then each is
 * renamed into place, and after that files are removed. If one of these steps fails, the earlier ones are rolled back.
 * Where `sync` waits beside other calls, none of them runs between the last look at the files and the last rename.
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

/** Puts back what was there; returns false if that fails. */
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

/** Syncs each directory once. The error tells the agent that a power loss may undo the change. */
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

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
const CREATE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
const SET_ID_BITS = 0o6000;
/** The errors of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** The attributes that a file keeps from the one that it replaces. */
export interface Attributes {
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * The wanted content of a target. A mode of undefined keeps the old one, or takes the system's default for a new file.
 */
export interface WantedContent {
  readonly content: Buffer;
  readonly mode: number | undefined;
}

/** A hidden file, and the attributes of the one whose place it will take. */
export interface StagedContent {
  readonly wanted: WantedContent;
  readonly keep: Attributes | undefined;
}

/** Makes an empty hidden file, of which the caller closes the descriptor that is returned. */
export function createStaged(name: string, { wanted, keep }: StagedContent): number {
  const bits = wanted.mode ?? keep?.mode;
  // Closed to others until it has its final mode. A file without a known mode gets what the umask leaves.
  return fs.openSync(name, CREATE, bits === undefined ? 0o666 : 0o600);
}

/** Gives a hidden file its content and its mode. Resolves with its stat once the disk has it. */
export async function fillStaged(
  fd: number,
  { wanted: { content, mode }, keep }: StagedContent,
  sync: Sync,
): Promise<FileStat> {
  const bits = mode ?? keep?.mode;
  for (let at = 0; at < content.length; ) at += fs.writeSync(fd, content, at);
  const owned = keep === undefined || copyOwner(fd, keep);
  if (bits !== undefined) fs.fchmodSync(fd, owned ? bits : bits & ~SET_ID_BITS);
  await sync(fd);
  return toFileStat(fs.fstatSync(fd, { bigint: true }));
}

/** Waits until the disk has what was written to a file or a directory. */
export type Sync = (fd: number) => void | Promise<void>;

/** Waits beside other calls, which costs a turn of the event loop. */
export function syncBeside(fd: number): Promise<void> {
  return new Promise((resolve, reject) => fs.fsync(fd, (error) => (error ? reject(error) : resolve())));
}

/** Renames a staged file over the file called `name`. */
export function replaceWithStaged(staged: string, name: string, stat: FileStat): void {
  try {
    fs.renameSync(staged, name);
  } catch (error) {
    if (!isInPlace(name, stat)) throw error;
  }
}

/**
 * Gives a staged file the name `name`, which must be free; throws EEXIST if it is not. Returns false if the staged name
 * could not be removed afterwards.
 */
export function createFromStaged(staged: string, name: string, stat: FileStat): boolean {
  try {
    fs.linkSync(staged, name);
  } catch (error) {
    if (!isInPlace(name, stat)) {
      if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      // An empty file of our own holds the name until the rename.
      fs.closeSync(fs.openSync(name, CREATE));
      fs.renameSync(staged, name);
      return true;
    }
  }
  return removeQuietly(staged);
}

/** Removes a file. An error of the system after which the file is gone counts as success. */
export function removeFile(name: string): void {
  try {
    fs.unlinkSync(name);
  } catch (error) {
    if (!isGone(name)) throw error;
  }
}

/** Removes a name if it can; returns false if it stays. */
export function removeQuietly(name: string): boolean {
  try {
    fs.rmSync(name, { force: true });
    return true;
  } catch {
    return false;
  }
}

/** Reports whether the file with this stat stands at `name`; undefined asks whether nothing stands there. */
export function standsAt(name: string, expected: FileStat | undefined): boolean {
  const stat = fs.lstatSync(name, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined || expected === undefined) return stat === undefined && expected === undefined;
  return stat.isFile() && isSameStat(expected, toFileStat(stat));
}

/** Reports whether a file is in its place: a network file system may report an error for what it has done. */
function isInPlace(name: string, stat: FileStat): boolean {
  try {
    return standsAt(name, stat);
  } catch {
    return false;
  }
}

function isGone(name: string): boolean {
  try {
    return standsAt(name, undefined);
  } catch {
    return false;
  }
}

/** Gives the new file the owner of the old one; returns false where the system does not allow it. */
function copyOwner(fd: number, { uid, gid }: Attributes): boolean {
  const now = fs.fstatSync(fd);
  if (now.uid === uid && now.gid === gid) return true;
  try {
    fs.fchownSync(fd, uid, gid);
    return true;
  } catch {
    return false;
  }
}

/** Makes the error for a file that is no longer what was read, in this call or earlier in the session. */
export function changedMeanwhile(asked: string): ToolError {
  return new ToolError(
    'stale_file',
    `file modified since last read (mtime changed). Re-read before writing: ${asked}`,
    { suggestion: 'read the file again, and make the change on what it holds now' },
  );
}
