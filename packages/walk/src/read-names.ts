import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import type { OpenDirectory } from '@jinn/core';

/** A name in a directory, with the tests of its kind that need no further look. */
export type NamedEntry = Pick<fs.Dirent, 'name' | 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

export interface Names {
  readonly entries: readonly NamedEntry[];
  /** All names in one string, between slashes: one search in it is faster than one in each. */
  readonly joined: string;
  /** How many were left out, because their names are not UTF-8 and could not be given back to the system. */
  readonly unreadable: number;
}

interface ReadOptions {
  /** Without the threads of Node, which pay off only in a process that has run for a while. */
  readonly onThisThread?: boolean | undefined;
}

/** What a directory holds, in the order of the disk. Rejects with the system's error when it cannot be read. */
export async function readNames(directory: OpenDirectory, options: ReadOptions = {}): Promise<Names> {
  const entries = await readEntries(directory, options);
  const joined = join(entries);
  // Node puts U+FFFD for what is not UTF-8, but a name may also really hold that character.
  return joined.includes('\ufffd') ? readBytes(directory) : { entries, joined, unreadable: 0 };
}

function join(entries: readonly NamedEntry[]): string {
  // One by one, each would make a string that is garbage at once.
  return `/${entries.map(({ name }) => name).join('/')}/`;
}

function readEntries(directory: OpenDirectory, { onThisThread }: ReadOptions): Promise<fs.Dirent[]> {
  const location = onThisThread ? undefined : directory.location;
  // Security: a link may be swapped in at any other name of it, and be gone again when one looks for it.
  if (location === undefined) {
    return Promise.resolve(directory.within((prefix) => fs.readdirSync(prefix, { withFileTypes: true })));
  }
  return new Promise((resolve, reject) => {
    fs.readdir(location, { withFileTypes: true }, (error, entries) => (error ? reject(error) : resolve(entries)));
  });
}

/** The same with names as bytes; rare, so it need not be quick. */
function readBytes(directory: OpenDirectory): Names {
  const found = directory.within((prefix) => fs.readdirSync(prefix, { withFileTypes: true, encoding: 'buffer' }));
  const readable = found.filter(({ name }) => isUtf8(name));
  const entries = readable.map((entry) => Object.assign(entry, { name: entry.name.toString() }));
  return { entries, joined: join(entries), unreadable: found.length - entries.length };
}
