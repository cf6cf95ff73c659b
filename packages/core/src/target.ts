import fs from 'node:fs';
import { posix } from 'node:path';
import { ToolError } from './errors.ts';
import type { FoundTarget } from './guard.ts';
import type { Inode } from './inode.ts';
import { type FileStamp, notAFile, OpenFile, sameStamp, toStamp } from './open-file.ts';
import { closedToWriting } from './write-error.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY } = fs.constants;
/** Every bit of a mode that chmod sets. */
const MODE_BITS = 0o7777;
const SET_ID_BITS = 0o6000;
/** What file systems without hard links answer. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** What a file that takes the place of another one gets from it. */
export interface Attributes {
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** What a file was when it was read to be changed. */
export interface Current extends Attributes {
  readonly content: Buffer;
  readonly stamp: FileStamp;
}

/** What shall stand at a target: content and mode (undefined: as it was, or the system's default for a new file). */
export interface Wanted {
  readonly content: Buffer;
  readonly mode: number | undefined;
}

/**
 * A place for a regular file inside the workspace, held by its directory: what is written lands in that very
 * directory, whatever its name points to by then.
 */
export class Target {
  /** The path as the caller wrote it. */
  readonly asked: string;
  /** The path below the workspace root, links resolved. */
  readonly path: string;
  readonly #name: string;
  readonly #inode: Inode | undefined;
  readonly #missing: string[];
  /** The directory of the file, or the deepest one on the way to it that exists. */
  #directory: Inode;
  /** Directories that `stage` had to make, each with the directory that it is in. */
  readonly #made: { readonly parent: Inode; readonly name: string }[] = [];
  #staged: { readonly name: string; readonly stamp: FileStamp } | undefined;

  /** Takes over what was found; refuses directories, FIFOs, sockets and devices. */
  constructor(found: FoundTarget, asked: string) {
    this.asked = asked;
    this.path = found.path;
    this.#name = found.name;
    this.#inode = found.inode;
    this.#directory = found.parent;
    this.#missing = [...found.missing];
    if (found.inode === undefined || found.inode.kind === 'file') return;
    this.close();
    throw notAFile(found.inode, asked);
  }

  /** Opens the file that stands here, for as long as `use` runs; undefined when there is none. */
  withFile<T>(use: (file: OpenFile, attributes: Attributes) => T): T | undefined {
    if (!this.#inode) return undefined;
    const file = OpenFile.open(this.#inode, this.path, this.asked);
    const { mode, uid, gid } = this.#inode.stat;
    try {
      return use(file, { mode: mode & MODE_BITS, uid, gid });
    } finally {
      file.close();
    }
  }

  /** True when a file stood here when this was opened. */
  get exists(): boolean {
    return this.#inode !== undefined;
  }

  /** A name of the directory of the file, the same for all files in it; for syncing each once. */
  get directory(): string {
    return posix.dirname(this.path);
  }

  /** Refuses a file that its owner closed to writing: a rename would get round it without a word. */
  refuseReadOnly(): void {
    if (!this.#inode) return;
    if ((this.#inode.stat.mode & 0o222) === 0) throw closedToWriting(this.asked);
    try {
      fs.accessSync(this.#inode.location, fs.constants.W_OK);
    } catch (error) {
      throw closedToWriting(this.asked, error);
    }
  }

  /** Writes the content to a hidden file beside the target and syncs it; makes missing directories. */
  stage(temp: string, { content, mode }: Wanted, keep: Attributes | undefined): void {
    this.#makeDirectories();
    const stamp = this.#directory.within((directory) => writeTemp(`${directory}/${temp}`, { content, mode }, keep));
    this.#staged = { name: temp, stamp };
  }

  /** True while what stands here is still what `stamp` tells; undefined stands for nothing at all. */
  isUnchanged(stamp: FileStamp | undefined): boolean {
    if (this.#missing.length > 0) return stamp === undefined;
    return this.#directory.within((directory) => standsAt(`${directory}/${this.#name}`, stamp));
  }

  /**
   * Puts the staged file in place of what `stamp` tells, or, where there was nothing, beside it: then a file that
   * appeared meanwhile stays. Gives the new stamp. Throws `stale_file` when something else stands here.
   */
  commit(stamp: FileStamp | undefined): FileStamp {
    const staged = this.#staged;
    if (!staged) throw new Error('commit without stage');
    this.#directory.within((directory) => {
      const [temp, name] = [`${directory}/${staged.name}`, `${directory}/${this.#name}`];
      if (!standsAt(name, stamp)) throw changedMeanwhile(this.asked);
      if (stamp) fs.renameSync(temp, name);
      else this.#create(temp, name);
    });
    this.#staged = undefined;
    return staged.stamp;
  }

  /** Removes the file that `stamp` tells. */
  remove(stamp: FileStamp): void {
    this.#directory.within((directory) => {
      const name = `${directory}/${this.#name}`;
      if (!standsAt(name, stamp)) throw changedMeanwhile(this.asked);
      fs.unlinkSync(name);
    });
  }

  /** Makes the renames of this directory survive a power loss, and the directories that were made for it. */
  sync(): void {
    for (const { parent } of this.#made) syncDirectory(parent);
    syncDirectory(this.#directory);
  }

  /** Removes what `stage` left: the hidden file, and the directories that it made, if they are empty. */
  discard(): void {
    if (this.#staged) this.removeTemp(this.#staged.name);
    this.#staged = undefined;
    for (const { parent, name } of this.#made.toReversed()) {
      try {
        parent.within((directory) => fs.rmdirSync(`${directory}/${name}`));
      } catch {
        return; // Somebody put something into it: it is theirs now.
      }
    }
  }

  /** Removes a hidden file, our own or that of a process that died; one that cannot be removed stays. */
  removeTemp(temp: string): void {
    if (this.#missing.length > 0) return;
    try {
      this.#directory.within((directory) => fs.rmSync(`${directory}/${temp}`, { force: true }));
    } catch {
      // The directory is gone or closed to us, and the file with it.
    }
  }

  close(): void {
    this.#inode?.close();
    this.#directory.close();
    for (const { parent } of this.#made) parent.close();
  }

  /** One by one, each opened from the one above, so that a link swapped in leads nowhere. */
  #makeDirectories(): void {
    for (let name = this.#missing[0]; name !== undefined; name = this.#missing[0]) {
      const parent = this.#directory;
      const isNew = parent.within((directory) => makeDirectory(`${directory}/${name}`));
      const child = parent.child(name);
      if (child.kind !== 'directory') {
        child.close();
        throw changedMeanwhile(this.asked);
      }
      this.#missing.shift();
      this.#directory = child;
      if (isNew) this.#made.push({ parent, name });
      else parent.close();
    }
  }

  #create(temp: string, name: string): void {
    try {
      createFrom(temp, name);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? changedMeanwhile(this.asked) : error;
    }
  }
}

/** The refusal of a write to what is no longer what was read; also for a record of an earlier read. */
export function changedMeanwhile(asked: string): ToolError {
  return new ToolError(
    'stale_file',
    `file modified since last read (mtime changed). Re-read before writing: ${asked}`,
    { suggestion: 'read the file again, and make the change on what it holds now' },
  );
}

/** Makes a hidden file, whole and synced, or none; gives its stamp. */
function writeTemp(temp: string, { content, mode }: Wanted, keep: Attributes | undefined): FileStamp {
  const bits = mode ?? keep?.mode;
  // Closed to others until it has the mode that it shall have; where none is known, it gets what the umask leaves.
  const fd = fs.openSync(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, bits === undefined ? 0o666 : 0o600);
  try {
    writeWhole(fd, content);
    const owned = keep === undefined || takeOwner(fd, keep);
    if (bits !== undefined) fs.fchmodSync(fd, owned ? bits : bits & ~SET_ID_BITS);
    fs.fsyncSync(fd);
    return toStamp(fs.fstatSync(fd, { bigint: true }));
  } catch (error) {
    fs.unlinkSync(temp);
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

/** True while what `stamp` tells stands at this name; undefined stands for nothing at all. */
function standsAt(name: string, stamp: FileStamp | undefined): boolean {
  const stat = fs.lstatSync(name, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined || stamp === undefined) return stat === undefined && stamp === undefined;
  return stat.isFile() && sameStamp(stamp, toStamp(stat));
}

/** Gives a file a name that must be free; throws EEXIST when it is not. */
function createFrom(temp: string, name: string): void {
  try {
    fs.linkSync(temp, name);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    // An empty file of our own holds the name until the rename.
    fs.closeSync(fs.openSync(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW));
    fs.renameSync(temp, name);
    return;
  }
  fs.unlinkSync(temp);
}

function writeWhole(fd: number, content: Buffer): void {
  for (let at = 0; at < content.length; ) at += fs.writeSync(fd, content, at);
}

/** Gives the new file the owner of the old one; false where the system does not let us. */
function takeOwner(fd: number, { uid, gid }: Attributes): boolean {
  const now = fs.fstatSync(fd);
  if (now.uid === uid && now.gid === gid) return true;
  try {
    fs.fchownSync(fd, uid, gid);
    return true;
  } catch {
    return false;
  }
}

/** False when it was there. */
function makeDirectory(path: string): boolean {
  try {
    fs.mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function syncDirectory(directory: Inode): void {
  let fd: number;
  try {
    fd = directory.within((location) => fs.openSync(location, O_RDONLY | O_DIRECTORY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return; // Writable but not readable: nothing to sync by.
    throw error;
  }
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error; // File systems that sync no directories.
  } finally {
    fs.closeSync(fd);
  }
}
