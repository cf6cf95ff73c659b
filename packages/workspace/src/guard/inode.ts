import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { fromReadError, ToolError } from '@jinn/core/errors';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = fs.constants;
/** On Linux, a descriptor that only holds the object: it opens no FIFO, wakes no device and needs no read permission. */
const O_PATH = 0o10000000;

export type Kind = 'file' | 'directory' | 'link' | 'special';

/** One object, held open while a path is walked. `child` follows no link, and `open` opens this very object. */
export interface Inode {
  readonly kind: Kind;
  readonly stat: fs.Stats;
  /** A path by which the system finds this object, for reading a directory. */
  readonly location: string;
  child(name: string): Inode;
  /** Opens like `child`, for a known directory. Throws ENOTDIR if it is not one, or a link. */
  childDirectory(name: string): Inode;
  readLink(name: string): string;
  /** Opens a descriptor for reading. It never blocks on a FIFO. */
  open(): number;
  /** True if `location` points to this very object, even if something else has its name by then. */
  readonly isHeld: boolean;
  /** Runs synchronous work with a prefix for this very directory, or throws `conflict`. */
  within<T>(work: (prefix: string) => T): T;
  close(): void;
}

export interface HeldRoot {
  /**
   * Returns the root for one walk: what is at the path by now. Throws `unavailable` if none is, or a link leads there.
   */
  inode(): Inode;
  close(): void;
}

/** Opens the root of all walks. On systems without `/proc/self/fd`, the process changes its working directory. */
export function openRoot(path: string, useProc: boolean): HeldRoot {
  const root = useProc ? holdRootDescriptor(path) : holdRootPath(path);
  if (root.inode().kind === 'directory') return root;
  root.close();
  throw new ToolError('not_a_directory', 'the workspace root is not a directory');
}

/** Holds a directory that is not a root. Throws the system's error if it is not a directory, or a link. */
export function holdDirectory(path: string, useProc: boolean): Inode {
  if (!useProc) return asDirectory(holdPath(path, fs.lstatSync(path)));
  return new HeldDescriptor(fs.openSync(path, O_PATH | O_NOFOLLOW | O_DIRECTORY), { kind: 'directory' });
}

function holdRootDescriptor(path: string): HeldRoot {
  const open = () => new HeldDescriptor(fs.openSync(path, O_PATH | O_NOFOLLOW));
  let held = open();
  // A walk may still go through a directory that was replaced, so none is closed before the end.
  const all = [held];
  return {
    inode: () => {
      if (wasReplaced(path, held.stat)) {
        held = open();
        all.push(held);
      }
      return held.share();
    },
    close: () => {
      for (const one of all) one.close();
    },
  };
}

function holdRootPath(path: string): HeldRoot {
  let held = fs.lstatSync(path);
  return {
    inode: () => {
      wasReplaced(path, held);
      held = fs.lstatSync(path);
      return holdPath(path, held);
    },
    close: () => {},
  };
}

function wasReplaced(path: string, held: fs.Stats): boolean {
  try {
    const now = fs.lstatSync(path, { throwIfNoEntry: false });
    if (now && sameObject(now, held)) return false;
    if (now?.isDirectory() && fs.realpathSync.native(path) === path) return true;
  } catch (error) {
    // Anyone who may not look at the path any more may still use the directory that is held.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return false;
  }
  throw new ToolError('unavailable', 'the workspace directory was moved or removed, or a link took its name', {
    suggestion: 'put a directory back under its name, or start a new session where the files are now',
  });
}

/** Reports whether `/proc/self/fd/N/name` opens `name` in the directory of descriptor N. */
export function hasProcDescriptors(): boolean {
  return process.platform === 'linux' && fs.existsSync('/proc/self/fd');
}

export function kindOf(stat: Pick<fs.Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): Kind {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  return stat.isSymbolicLink() ? 'link' : 'special';
}

interface KnownInode {
  readonly kind: Kind;
  readonly isShared?: boolean;
}

/** If the kind is known, the status is taken when it is first asked for. */
class HeldDescriptor implements Inode {
  readonly kind: Kind;
  readonly location: string;
  readonly isHeld = true;
  readonly #fd: number;
  readonly #isShared: boolean;
  #stat: fs.Stats | undefined;

  constructor(fd: number, known?: KnownInode) {
    this.#fd = fd;
    this.#isShared = known?.isShared ?? false;
    this.location = `/proc/self/fd/${fd}`;
    this.#stat = known ? undefined : fs.fstatSync(fd);
    this.kind = this.#stat ? kindOf(this.#stat) : (known as KnownInode).kind;
  }

  get stat(): fs.Stats {
    this.#stat ??= fs.fstatSync(this.#fd);
    return this.#stat;
  }

  child(name: string): Inode {
    return new HeldDescriptor(this.#openChild(name, 0));
  }

  childDirectory(name: string): Inode {
    return new HeldDescriptor(this.#openChild(name, O_DIRECTORY), { kind: 'directory' });
  }

  readLink(name: string): string {
    return fs.readlinkSync(`${this.location}/${name}`);
  }

  open(): number {
    return fs.openSync(this.location, O_RDONLY | O_NONBLOCK);
  }

  within<T>(work: (prefix: string) => T): T {
    return work(this.location);
  }

  /** Returns the same object, with its later status, without a right to close it. */
  share(): HeldDescriptor {
    return new HeldDescriptor(this.#fd, { kind: this.kind, isShared: true });
  }

  close(): void {
    if (!this.#isShared) fs.closeSync(this.#fd);
  }

  #openChild(name: string, flags: number): number {
    return fs.openSync(`${this.location}/${name}`, O_PATH | O_NOFOLLOW | flags);
  }
}

/** Without /proc, the working directory of the process replaces the descriptor. */
function holdPath(path: string, stat: fs.Stats): Inode {
  const pathOf = (name: string) => (path === '/' ? `/${name}` : `${path}/${name}`);
  const within = <T>(work: () => T) => workInside(path, stat, work);
  const child = (name: string) => {
    const found = within(() => fs.lstatSync(name));
    return { ...holdPath(pathOf(name), found), open: () => within(() => openSame(name, found)) };
  };
  return {
    kind: kindOf(stat),
    stat,
    location: path,
    child,
    childDirectory: (name) => asDirectory(child(name)),
    readLink: (name) => within(() => fs.readlinkSync(name)),
    open: () => openSame(path, stat),
    isHeld: false,
    within: (work) => within(() => work('.')),
    close: () => {},
  };
}

function asDirectory(inode: Inode): Inode {
  if (inode.kind === 'directory') return inode;
  throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
}

/** Throws `conflict` if the name is no longer that of the object that was seen. */
function openSame(name: string, expected: fs.Stats): number {
  const fd = fs.openSync(name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  if (sameObject(fs.fstatSync(fd), expected)) return fd;
  fs.closeSync(fd);
  throw changedMeanwhile();
}

/**
 * Security: the system holds the working directory of a process like a descriptor. Once it has been checked to be the
 * right directory at the right path, names in it cannot lead elsewhere. A look by the full path is not enough: it may
 * go through a link that was swapped in, and so may every later look.
 */
function workInside<T>(path: string, expected: fs.Stats, work: () => T): T {
  const back = fs.realpathSync.native('.');
  process.chdir(path);
  try {
    const isInPlace = foldPath(fs.realpathSync.native('.')) === foldPath(path);
    if (!isInPlace || !sameObject(fs.statSync('.'), expected)) throw changedMeanwhile();
    return work();
  } finally {
    process.chdir(back);
  }
}

function sameObject(a: fs.Stats, b: fs.Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

function changedMeanwhile(): ToolError {
  return new ToolError('conflict', 'the path changed while it was being opened', { suggestion: 'try again' });
}

/** Any later difference means that the file changed. */
export interface FileStat {
  readonly mtimeNs: bigint;
  readonly size: bigint;
  readonly ino: bigint;
}

/** A regular file that is open for reading. It is only reached by its descriptor, never by its name. */
export class OpenFile {
  /** The path below the workspace root, links resolved. Absolute for a spilled file. */
  readonly path: string;
  readonly size: number;
  readonly #fd: number;
  #stat: FileStat | undefined;

  private constructor(path: string, fd: number, size: number, stat?: FileStat) {
    this.path = path;
    this.size = size;
    this.#fd = fd;
    this.#stat = stat;
  }

  /** When the file was opened, or when this is first read if it was adopted without one. */
  get stat(): FileStat {
    this.#stat ??= toFileStat(fs.fstatSync(this.#fd, { bigint: true }));
    return this.#stat;
  }

  /** Directories, FIFOs, sockets and devices are refused before they are opened. */
  static open(inode: Inode, path: string, asked: string): OpenFile {
    if (inode.kind !== 'file') throw notAFile(inode, asked);
    return OpenFile.adopt(inode.open(), path, asked);
  }

  /** Takes over a descriptor, and closes it if it is not of a regular file. */
  static adopt(fd: number, path: string, asked: string): OpenFile {
    const stat = fs.fstatSync(fd, { bigint: true });
    if (stat.isFile()) return new OpenFile(path, fd, Number(stat.size), toFileStat(stat));
    fs.closeSync(fd);
    throw notRegular(asked);
  }

  /** Like `adopt`, without a stat, which costs more than all other work on a small file. */
  static adoptWithoutStat(fd: number, path: string): OpenFile {
    const stat = fs.fstatSync(fd);
    if (stat.isFile()) return new OpenFile(path, fd, stat.size);
    fs.closeSync(fd);
    throw notRegular(path);
  }

  /** True for a file with a long answer that jinn saved. No tool changes it. */
  get isSpilled(): boolean {
    return this.path.startsWith('/');
  }

  /** Fills `target` from `position` on. Returns the number of bytes, which is smaller only at the end of the file. */
  read(target: Uint8Array, position: number): number {
    try {
      return this.#fill(target, position);
    } catch (error) {
      throw fromReadError(error, this.path);
    }
  }

  #fill(target: Uint8Array, position: number): number {
    let filled = 0;
    while (filled < target.length) {
      const count = fs.readSync(this.#fd, target, filled, target.length - filled, position + filled);
      filled += count;
      // A read that ends at the known size has met the end. Another read would only confirm it.
      if (count === 0 || position + filled === this.size) break;
    }
    return filled;
  }

  slice(start: number, end: number): Buffer {
    const target = Buffer.allocUnsafe(Math.max(0, end - start));
    return target.subarray(0, this.read(target, start));
  }

  isUnchanged(): boolean {
    return isSameStat(this.stat, toFileStat(fs.fstatSync(this.#fd, { bigint: true })));
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}

export function isSameStat(a: FileStat, b: FileStat): boolean {
  return a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino;
}

export function toFileStat({ mtimeNs, size, ino }: fs.BigIntStats): FileStat {
  return { mtimeNs, size, ino };
}

export function notAFile(inode: Inode, asked: string): ToolError {
  if (inode.kind === 'directory') {
    return new ToolError('not_a_file', `${asked} is a directory`, { suggestion: 'use list_dir to see what it holds' });
  }
  return notRegular(asked);
}

function notRegular(asked: string): ToolError {
  return new ToolError('not_a_file', `not a regular file: ${asked}`, { suggestion: 'use stat_file to see what it is' });
}

const PLAIN_ASCII = /^[\x20-\x7e]*$/;

/** Folds a path as case-insensitive file systems do. On others, two names may have the same folded form. */
export function foldPath(path: string): string {
  return (PLAIN_ASCII.test(path) ? path : path.normalize('NFC')).toLowerCase();
}

/** How many bytes from the start of a file decide whether it is text. */
export const SNIFF_BYTES = 512;

/** Reports whether a content is binary: its first SNIFF_BYTES, which are enough to pass, hold a NUL. */
export function isBinary(content: Uint8Array): boolean {
  return content.subarray(0, SNIFF_BYTES).includes(0);
}

/** Reports whether a content is UTF-8 without a doubt: most are, and their encoding costs no more than this. */
export function isPlainText(content: Buffer): boolean {
  return isUtf8(content) && !isBinary(content) && !content.includes('\x1b$');
}

export interface OpenOptions {
  readonly followsLinks?: boolean;
}

/** Opens an entry to read it, without waiting for the writer of a FIFO. Throws the system's error. */
export function openToRead(path: fs.PathLike, { followsLinks = false }: OpenOptions = {}): number {
  return fs.openSync(path, O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW));
}

/**
 * Reads a small file by its path, past the guard, or undefined if it is no regular file, or has more than `maxBytes`.
 * Never waits, and reads no more than the file had when it was opened.
 */
export function readRegular(path: fs.PathLike, maxBytes: number, options: OpenOptions = {}): Buffer | undefined {
  return withRegular(path, options, (fd, size) => (size <= maxBytes ? readBytes(fd, size) : undefined));
}

/** Reads the first bytes of a regular file of any size, in the same way. */
export function readStart(path: fs.PathLike, bytes: number, options: OpenOptions = {}): Buffer | undefined {
  return withRegular(path, options, (fd, size) => readBytes(fd, Math.min(size, bytes)));
}

function withRegular<T>(path: fs.PathLike, options: OpenOptions, read: (fd: number, size: number) => T): T | undefined {
  try {
    // Throwing and catching an error would take longer, and a device is never opened.
    const stat = options.followsLinks ? fs.statSync : fs.lstatSync;
    if (!stat(path, { throwIfNoEntry: false })?.isFile()) return undefined;
    const fd = openToRead(path, options);
    try {
      const now = fs.fstatSync(fd);
      return now.isFile() ? read(fd, now.size) : undefined;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function readBytes(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  for (let count = -1; count !== 0 && filled < size; filled += count) {
    count = fs.readSync(fd, bytes, filled, size - filled, null);
  }
  return bytes.subarray(0, filled);
}
