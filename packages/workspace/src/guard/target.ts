import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { posix } from 'node:path';
import { closedToWriting, fromSystemError, ToolError } from '@jinn/core/errors';
import type { FoundTarget } from './guard.ts';
import { type FileStat, type Inode, isSameStat, notAFile, OpenFile, toFileStat } from './inode.ts';
import type { ChangedFile, MutationContext } from './mutate/mutation.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY } = fs.constants;
/** Every bit of a mode that chmod sets. */
const MODE_BITS = 0o7777;
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_READS = 3;
const HEAD_BYTES = 8_192;
const MARKS_OF_UTF16 = [0xfffe, 0xfeff];
const BEYOND_ASCII = /[^\0-\x7f\ufffd]/gu;

export interface Current extends Attributes {
  readonly content: Buffer;
  readonly stat: FileStat;
}

/** A name in a directory that is held: the file is written there, even if the directory's own name points elsewhere by then. */
export class Target {
  readonly asked: string;
  /** The path below the workspace root, links resolved. */
  readonly path: string;
  readonly #name: string;
  readonly #inode: Inode | undefined;
  readonly #missing: string[];
  /** The directory of the file, or the deepest one on the way to it that exists. */
  #directory: Inode;
  /** The directories below the deepest one that existed, each with the directory that it is in. */
  readonly #entered: { readonly parent: Inode; readonly name: string; readonly isNew: boolean }[] = [];
  /** The empty file that shows, after a kill, below which directory others were made. */
  #marker: { readonly directory: Inode; readonly name: string } | undefined;
  /** The hidden file, and its stat once the disk has it. */
  #staged: { readonly name: string; readonly stat: FileStat | undefined } | undefined;
  /** A staged name that could not be removed after its file got the final name. */
  #leftover: string | undefined;

  /** Takes the result of `findTarget`. Refuses directories, FIFOs, sockets and devices. */
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

  /** Opens the file for as long as `use` runs. Returns undefined if there is none. */
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

  get exists(): boolean {
    return this.#inode !== undefined;
  }

  get size(): number {
    return this.#inode?.stat.size ?? 0;
  }

  get missingDirectories(): number {
    return this.#missing.length;
  }

  get directory(): string {
    return posix.dirname(this.path);
  }

  /** Refuses a file that its owner closed to writing: a rename would replace it all the same. */
  rejectReadOnly(): void {
    if (!this.#inode) return;
    if ((this.#inode.stat.mode & 0o222) === 0) throw closedToWriting(this.asked);
    try {
      fs.accessSync(this.#inode.location, fs.constants.W_OK);
    } catch (error) {
      throw closedToWriting(this.asked, error);
    }
  }

  /** Writes the content to a hidden file next to the target and syncs it. Makes missing directories. */
  async stage({ temp, ...staged }: StagedContent & { readonly temp: string }, sync: Sync): Promise<void> {
    this.#makeDirectories(temp);
    const fd = this.#directory.within((directory) => createStaged(`${directory}/${temp}`, staged));
    this.#staged = { name: temp, stat: undefined };
    try {
      this.#staged = { name: temp, stat: await fillStaged(fd, staged, sync) };
    } finally {
      fs.closeSync(fd);
    }
  }

  isUnchanged(stat: FileStat | undefined): boolean {
    if (this.#missing.length > 0) return stat === undefined;
    return this.#directory.within((directory) => standsAt(`${directory}/${this.#name}`, stat));
  }

  /**
   * Replaces the file of this stat, or none, by the staged one. Returns its stat. Throws `stale_file` for another file.
   */
  commit(stat: FileStat | undefined): FileStat {
    const { name: staged, stat: written } = this.#staged ?? {};
    if (staged === undefined || written === undefined) throw new Error('commit without stage');
    this.#directory.within((directory) => {
      const [temp, name] = [`${directory}/${staged}`, `${directory}/${this.#name}`];
      if (!standsAt(name, stat)) throw changedMeanwhile(this.asked);
      if (stat) replaceWithStaged(temp, name, written);
      else if (!this.#create(temp, name, written)) this.#leftover = staged;
    });
    this.#staged = undefined;
    return written;
  }

  remove(stat: FileStat): void {
    this.#directory.within((directory) => {
      const name = `${directory}/${this.#name}`;
      if (!standsAt(name, stat)) throw changedMeanwhile(this.asked);
      removeFile(name);
    });
  }

  /** Makes the renames in this directory survive a power loss, and the directories that were made for it. */
  async sync(sync: Sync): Promise<void> {
    // Another call may have made one of them, and not have synced it yet.
    for (const { parent } of this.#entered) await syncDirectory(parent, sync);
    await syncDirectory(this.#directory, sync);
  }

  /** Removes the hidden file, and the directories that were made for it, if they are empty. */
  discard(): void {
    if (this.#staged) this.#removeHidden(this.#staged.name);
    this.#staged = undefined;
    for (const { parent, name, isNew } of this.#entered.toReversed()) {
      if (!isNew) continue;
      try {
        parent.within((directory) => fs.rmdirSync(`${directory}/${name}`));
      } catch {
        return; // Someone put something into it: it is theirs now.
      }
    }
  }

  close(): void {
    if (this.#leftover !== undefined) this.#removeHidden(this.#leftover);
    this.#leftover = undefined;
    this.#removeMarker();
    this.#inode?.close();
    this.#directory.close();
    for (const { parent } of this.#entered) parent.close();
  }

  #removeHidden(name: string): void {
    try {
      this.#directory.within((directory) => removeQuietly(`${directory}/${name}`));
    } catch {
      // The directory is gone or closed to us, and the file with it.
    }
  }

  /** Opens each directory from the one above, so that a link swapped in points nowhere. */
  #makeDirectories(marker: string): void {
    if (this.#missing.length > 0) this.#setMarker(marker);
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
      this.#entered.push({ parent, name, isNew });
    }
  }

  #setMarker(name: string): void {
    const directory = this.#directory;
    directory.within((prefix) =>
      fs.closeSync(fs.openSync(`${prefix}/${name}`, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)),
    );
    this.#marker = { directory, name };
  }

  #removeMarker(): void {
    const marker = this.#marker;
    this.#marker = undefined;
    try {
      marker?.directory.within((prefix) => removeQuietly(`${prefix}/${marker.name}`));
    } catch {
      // It is gone or closed to us, as above.
    }
  }

  #create(temp: string, name: string, stat: FileStat): boolean {
    try {
      return createFromStaged(temp, name, stat);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? changedMeanwhile(this.asked) : error;
    }
  }
}

function makeDirectory(path: string): boolean {
  try {
    fs.mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function syncDirectory(directory: Inode, sync: Sync): Promise<void> {
  let fd: number;
  try {
    fd = directory.within((location) => fs.openSync(location, O_RDONLY | O_DIRECTORY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return; // The directory is writable but not readable, so it cannot be opened to be synced.
    throw error;
  }
  try {
    await sync(fd);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error; // Some file systems cannot sync directories.
  } finally {
    fs.closeSync(fd);
  }
}

/** Reads the whole file at a target as it was at one moment. Returns undefined if there is no file. */
export function readCurrent(target: Target): Current | undefined {
  for (let attempt = 0; attempt < MAX_READS; attempt++) {
    const current = readOnce(target);
    if (current || !target.exists) return current;
  }
  throw new ToolError('conflict', `the file keeps changing while it is read: ${target.asked}`, {
    suggestion: 'find out what writes to it, and try again',
  });
}

function readOnce(target: Target): Current | undefined {
  try {
    return target.withFile((file, attributes) => {
      rejectTooLarge(target.asked, file.size);
      const content = file.slice(0, file.size);
      return file.isUnchanged() ? { content, stat: file.stat, ...attributes } : undefined;
    });
  } catch (error) {
    throw fromSystemError(error, target.asked);
  }
}

/** Refuses content that is over 50 MB. */
export function rejectTooLarge(asked: string, size: number): void {
  if (size <= MAX_FILE_BYTES) return;
  throw new ToolError('file_too_large', `file too large: ${asked}: ${Math.ceil(size / 1024 / 1024)} MB (max 50 MB)`, {
    suggestion: 'change a file of this size with a command',
  });
}

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

interface StagedContent {
  readonly wanted: WantedContent;
  readonly keep: Attributes | undefined;
}

/** Makes an empty hidden file. The caller closes the descriptor. */
function createStaged(name: string, { wanted, keep }: StagedContent): number {
  const bits = wanted.mode ?? keep?.mode;
  // Closed to others until it has its final mode. A file without a known mode gets what the umask leaves.
  return fs.openSync(name, CREATE, bits === undefined ? 0o666 : 0o600);
}

async function fillStaged(
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

function replaceWithStaged(staged: string, name: string, stat: FileStat): void {
  try {
    fs.renameSync(staged, name);
  } catch (error) {
    if (!isInPlace(name, stat)) throw error;
  }
}

/** Throws EEXIST if the name is taken. Returns false if the staged name could not be removed afterwards. */
function createFromStaged(staged: string, name: string, stat: FileStat): boolean {
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
function removeFile(name: string): void {
  try {
    fs.unlinkSync(name);
  } catch (error) {
    if (!isGone(name)) throw error;
  }
}

/** Removes a name if it can. Returns false if it stays. */
export function removeQuietly(name: string): boolean {
  try {
    fs.rmSync(name, { force: true });
    return true;
  } catch {
    return false;
  }
}

/** Reports whether the file with this stat has the name. Undefined asks whether the name is free. */
function standsAt(name: string, expected: FileStat | undefined): boolean {
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

/** Warns if the encoding of a written file is mixed now. */
export function warnOfEncoding(ctx: MutationContext, files: readonly ChangedFile[]): void {
  for (const { changed, after, file } of files) {
    if (!changed || !after || !file.content || isUtf8(file.content) || isUtf8(after) || !isText(file.content)) continue;
    if (countBeyondAscii(after) <= countBeyondAscii(file.content)) continue;
    ctx.warn(
      `${file.path} is not UTF-8, and the new text outside ASCII was written as UTF-8: check that it is readable`,
    );
  }
}

function isText(content: Buffer): boolean {
  const hasMark = content.length > 1 && MARKS_OF_UTF16.includes(content.readUInt16BE());
  return !hasMark && !content.subarray(0, HEAD_BYTES).includes(0);
}

function countBeyondAscii(content: Buffer): number {
  let count = 0;
  // Some lines at a time: a large text takes much memory as a string.
  for (let at = 0, end = 0; at < content.length; at = end) {
    end = content.indexOf(10, at + HEAD_BYTES) + 1 || content.length;
    for (const _ of content.toString('utf8', at, end).matchAll(BEYOND_ASCII)) count++;
  }
  return count;
}

/** Returns the paths below the root that a link is on the way to, with their real paths. */
export function findLinked(root: string, paths: readonly string[]): { path: string; real: string }[] {
  return paths.flatMap((path) => {
    if (!fs.existsSync(`${root}/${path}`)) return []; // Throwing and catching an error would take longer.
    try {
      const real = fs.realpathSync.native(`${root}/${path}`);
      return real === `${root}/${path}` ? [] : [{ path, real }];
    } catch {
      return [];
    }
  });
}
