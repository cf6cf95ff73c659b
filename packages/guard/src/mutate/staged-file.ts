import fs from 'node:fs';
import { type FileStat, isSameStat, toFileStat } from '../open-file.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
const CREATE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
const SET_ID_BITS = 0o6000;
/** What file systems without hard links answer. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** What a file keeps of the one whose place it takes. */
export interface Attributes {
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** What shall stand at a target. A mode of undefined keeps the old one, or takes the system's default for a new file. */
export interface WantedContent {
  readonly content: Buffer;
  readonly mode: number | undefined;
}

/** Makes a hidden file, whole and synced, or none at all. Returns its stat. */
export function writeStaged(name: string, { content, mode }: WantedContent, keep: Attributes | undefined): FileStat {
  const bits = mode ?? keep?.mode;
  // Closed to others until it has its final mode. A file without a known mode gets what the umask leaves.
  const fd = fs.openSync(name, CREATE, bits === undefined ? 0o666 : 0o600);
  try {
    for (let at = 0; at < content.length; ) at += fs.writeSync(fd, content, at);
    const owned = keep === undefined || copyOwner(fd, keep);
    if (bits !== undefined) fs.fchmodSync(fd, owned ? bits : bits & ~SET_ID_BITS);
    fs.fsyncSync(fd);
    return toFileStat(fs.fstatSync(fd, { bigint: true }));
  } catch (error) {
    fs.rmSync(name, { force: true });
    throw error;
  } finally {
    fs.closeSync(fd);
  }
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
