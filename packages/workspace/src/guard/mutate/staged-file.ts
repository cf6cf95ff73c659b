import fs from 'node:fs';
import { ToolError } from '@jinn/core/errors';
import { type FileStat, isSameStat, toFileStat } from '../inode.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
const CREATE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
const SET_ID_BITS = 0o6000;
/** The errors of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** What a file keeps from the one that it replaces. */
export interface Attributes {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** A mode of undefined keeps the old one, or takes the system's default for a new file. */
export interface WantedContent {
  readonly content: Buffer;
  readonly mode: number | undefined;
}

/** A hidden file, and the attributes of the one that it will replace. */
export interface StagedContent {
  readonly wanted: WantedContent;
  readonly keep: Attributes | undefined;
}

/** Makes an empty hidden file. The caller closes the descriptor. */
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

export type Sync = (fd: number) => void | Promise<void>;

/** Lets other calls run meanwhile, which costs a turn of the event loop. */
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

/** Throws EEXIST if the name is taken. Returns false if the staged name could not be removed afterwards. */
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

/** An error of the system after which the file is gone counts as success. */
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

/** Reports whether the file with this stat has the name; undefined asks whether the name is free. */
export function standsAt(name: string, expected: FileStat | undefined): boolean {
  const stat = fs.lstatSync(name, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined || expected === undefined) return stat === undefined && expected === undefined;
  return stat.isFile() && isSameStat(expected, toFileStat(stat));
}

/** A network file system may report an error for what it has done. */
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

/** Returns false if the system does not allow it. */
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
