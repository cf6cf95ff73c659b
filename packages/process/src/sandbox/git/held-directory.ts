import fs from 'node:fs';
import { posix } from 'node:path';
import { readRegular } from '@jinn/workspace';

/** A path with one character per byte: a name that is not UTF-8 must not be lost, nor hide entries below it. */
export type BytePath = string;

const ASCII = /^[\0-\x7f]*$/;

export function toBytePath(path: string): BytePath {
  return ASCII.test(path) ? path : Buffer.from(path).toString('latin1');
}

/** Returns a path in the form that the functions of node:fs take. */
export function toSystemPath(path: BytePath): string | Buffer {
  return ASCII.test(path) ? path : Buffer.from(path, 'latin1');
}

/** Returns a path as text for users. Bytes that are not UTF-8 are replaced. */
export function byteText(path: BytePath): string {
  return toSystemPath(path).toString();
}

const { O_NOFOLLOW, O_DIRECTORY, O_WRONLY, O_CREAT, O_EXCL } = fs.constants;
const O_PATH = 0o10000000;
const MAX_BYTES = 4 * 1024 * 1024;
/** No system accepts a path of 4,096 bytes or more. A deeper entry is reached step by step. */
const MAX_REACH = 4_000;
/** The bytes of a name that are kept when it gets longer: systems allow 255. */
const MAX_KEPT_NAME = 200;

/**
 * Runs work on the names in a directory that is reached without following a link and held: anyone who moves it, or puts a
 * link there, cannot make the work touch anything else. Linux only. Returns undefined if it is missing.
 */
export function withDirectory<T>(path: BytePath, work: (directory: HeldDirectory) => T): T | undefined {
  const fd = hold(path);
  if (fd === undefined) return undefined;
  try {
    return work(new HeldDirectory(fd));
  } finally {
    fs.closeSync(fd);
  }
}

function hold(path: BytePath): number | undefined {
  let fd = fs.openSync('/', O_PATH | O_DIRECTORY);
  for (const name of path.split('/').filter(Boolean)) {
    const parent = fd;
    try {
      fd = fs.openSync(toSystemPath(`/proc/self/fd/${parent}/${name}`), O_PATH | O_NOFOLLOW | O_DIRECTORY);
    } catch {
      return undefined;
    } finally {
      fs.closeSync(parent);
    }
  }
  return fd;
}

export class HeldDirectory {
  readonly #prefix: string;

  constructor(fd: number) {
    this.#prefix = `/proc/self/fd/${fd}/`;
  }

  /** Identifies the directory itself: `device:inode`. */
  get id(): string {
    const { dev, ino } = fs.statSync(this.#prefix, { bigint: true });
    return `${dev}:${ino}`;
  }

  get systemPath(): string {
    return this.#prefix;
  }

  stat(name: BytePath): fs.BigIntStats | undefined {
    return this.#orOpened(() => fs.lstatSync(this.#at(name), { bigint: true, throwIfNoEntry: false }));
  }

  /** Returns the names in this directory. */
  list(): BytePath[] {
    return this.#orOpened(() => fs.readdirSync(this.#prefix, { encoding: 'latin1' }));
  }

  read(name: BytePath): string | undefined {
    return readRegular(this.#at(name), MAX_BYTES)?.toString('latin1');
  }

  /** Replaces a file through a lock file, as git does. Returns false if the lock is taken. */
  replace(name: BytePath, text: string, mode: number): boolean {
    const lock = this.#at(`${name}.lock`);
    let fd: number;
    try {
      fd = this.#orOpened(() => fs.openSync(lock, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode));
    } catch {
      return false;
    }
    try {
      fs.writeFileSync(fd, text, 'latin1');
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(lock, this.#at(name));
    return true;
  }

  /** Renames an entry to a free name that no program looks for. */
  putAside(name: BytePath): void {
    const aside = `${name.slice(0, MAX_KEPT_NAME)}.undone-${Date.now().toString(36)}`;
    const isTaken = this.stat(aside) !== undefined;
    const to = isTaken ? `${aside}-${Math.random().toString(36).slice(2)}` : aside;
    this.#orOpened(() => fs.renameSync(this.#at(name), this.#at(to)));
  }

  /** Returns the target of a link, or undefined for anything else. */
  readLink(name: BytePath): BytePath | undefined {
    return this.stat(name)?.isSymbolicLink() ? fs.readlinkSync(this.#at(name), 'latin1') : undefined;
  }

  remove(name: BytePath): void {
    this.#orOpened(() => fs.unlinkSync(this.#at(name)));
  }

  get mode(): number {
    return fs.statSync(this.#prefix).mode & 0o7777;
  }

  set mode(mode: number) {
    fs.chmodSync(this.#prefix, mode);
  }

  /** A command may have closed the directory, to keep what is in it from being undone. */
  #orOpened<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
      this.mode |= 0o700;
      return work();
    }
  }

  #at(name: BytePath): string | Buffer {
    return toSystemPath(this.#prefix + name);
  }
}

/** Returns the stat of the entry at a path of any length, or undefined if there is nothing. Links are not followed. */
export function statOf(path: BytePath): fs.BigIntStats | undefined {
  if (path.length > MAX_REACH) return withDirectory(posix.dirname(path), (above) => above.stat(posix.basename(path)));
  try {
    return fs.lstatSync(toSystemPath(path), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // A directory above is closed to us, and so to commands.
  }
}

/** Sets the mode of a directory, or adds to it what its owner needs to look into it. Returns the mode it had. */
export function setMode(path: BytePath, mode?: number): number | undefined {
  try {
    return withDirectory(path, (directory) => {
      const old = directory.mode;
      directory.mode = mode ?? old | 0o500;
      return old;
    });
  } catch {
    return undefined; // It is not ours.
  }
}

export function entriesAt(path: BytePath): fs.Dirent[] | undefined {
  if (path.length > MAX_REACH) return withDirectory(path, (directory) => entriesOf(directory.systemPath));
  return entriesOf(toSystemPath(path));
}

/** Identifies the object at a path, such as `device:inode`. Undefined if there is none. Links are not followed. */
export function identityAt(path: BytePath): string | undefined {
  const stat = statOf(path);
  return stat && `${stat.dev}:${stat.ino}`;
}

/** Returns the entries of a directory whose path the system accepts, or undefined if it cannot be listed. */
export function entriesOf(path: string | Buffer): fs.Dirent[] | undefined {
  try {
    return fs.readdirSync(path as string, { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return undefined;
  }
}

/** Within this time a file system may give two changes the same time stamp: some count in seconds. */
const STAMP_MS = 2_000;

/** Reports whether the next change of a directory surely changes its time stamp. Must be called before reading it. */
export function isSettled({ ctimeMs }: { readonly ctimeMs: number }): boolean {
  return Date.now() - ctimeMs > STAMP_MS;
}
