import fs from 'node:fs';
import { posix } from 'node:path';
import { readRegular } from '@jinn/workspace';
import { type BytePath, toSystemPath } from './byte-path.ts';

const { O_NOFOLLOW, O_DIRECTORY, O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = fs.constants;
const O_PATH = 0o10000000;
const MAX_BYTES = 4 * 1024 * 1024;
/** No system accepts a path of 4,096 bytes or more. A deeper entry is reached step by step. */
const MAX_REACH = 4_000;

/**
 * Runs work on the names in a directory that is reached without following a link and held: whoever moves it, or puts a
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
    return fs.lstatSync(this.#at(name), { bigint: true, throwIfNoEntry: false });
  }

  /** Returns the names in a directory below this one, or in this one (`.`); none if it cannot be listed. */
  list(name: BytePath): BytePath[] {
    try {
      const fd = fs.openSync(this.#at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      try {
        return fs.readdirSync(`/proc/self/fd/${fd}`, { encoding: 'latin1' });
      } finally {
        fs.closeSync(fd);
      }
    } catch {
      return [];
    }
  }

  read(name: BytePath): string | undefined {
    return readRegular(this.#at(name), MAX_BYTES)?.toString('latin1');
  }

  /** Replaces a file through a lock file, as git does. Returns false if the lock is taken. */
  replace(name: BytePath, text: string, mode: number): boolean {
    const lock = this.#at(`${name}.lock`);
    let fd: number;
    try {
      fd = fs.openSync(lock, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
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

  rename(from: BytePath, to: BytePath): void {
    fs.renameSync(this.#at(from), this.#at(to));
  }

  #at(name: BytePath): string | Buffer {
    return toSystemPath(this.#prefix + name);
  }
}

/** Returns the stat of the entry at a path of any length; undefined if there is nothing. Links are not followed. */
export function statOf(path: BytePath): fs.BigIntStats | undefined {
  if (path.length > MAX_REACH) return withDirectory(posix.dirname(path), (above) => above.stat(posix.basename(path)));
  try {
    return fs.lstatSync(toSystemPath(path), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // A directory above is closed to us, and so to commands.
  }
}

export function entriesAt(path: BytePath): fs.Dirent[] | undefined {
  if (path.length > MAX_REACH) return withDirectory(path, (directory) => entriesOf(directory.systemPath));
  return entriesOf(toSystemPath(path));
}

/** Identifies the object at a path, as `device:inode`; undefined if there is none. Links are not followed. */
export function identityAt(path: BytePath): string | undefined {
  const stat = statOf(path);
  return stat && `${stat.dev}:${stat.ino}`;
}

/** Returns the entries of a directory whose path the system accepts; undefined if it cannot be listed. */
export function entriesOf(path: string | Buffer): fs.Dirent[] | undefined {
  try {
    return fs.readdirSync(path as string, { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return undefined;
  }
}
