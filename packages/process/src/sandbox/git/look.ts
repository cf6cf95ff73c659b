import fs from 'node:fs';
import { posix } from 'node:path';
import { type BytePath, toSystemPath } from './byte-path.ts';
import { withDirectory } from './held-directory.ts';

/** No system accepts a path of 4,096 bytes or more. A deeper entry is reached step by step. */
const MAX_REACH = 4_000;

/** Returns the stat of the entry at a path of any length; undefined if there is nothing. Links are not followed. */
export function statOf(path: BytePath): fs.BigIntStats | undefined {
  if (path.length > MAX_REACH) return withDirectory(posix.dirname(path), (above) => above.stat(posix.basename(path)));
  try {
    return fs.lstatSync(toSystemPath(path), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // A directory above is closed to us, and so to commands.
  }
}

/** Returns the entries of a directory; undefined if it cannot be listed. */
export function listDirectory(path: BytePath): fs.Dirent[] | undefined {
  if (path.length > MAX_REACH) return withDirectory(path, (directory) => entriesOf(directory.systemPath));
  return entriesOf(toSystemPath(path));
}

/** Identifies the object at a path, as `device:inode`; undefined if there is none. Links are not followed. */
export function identify(path: BytePath): string | undefined {
  const stat = statOf(path);
  return stat && `${stat.dev}:${stat.ino}`;
}

function entriesOf(path: string | Buffer): fs.Dirent[] | undefined {
  try {
    return fs.readdirSync(path as string, { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return undefined;
  }
}
