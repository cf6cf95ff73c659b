import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { type OpenDirectory, ToolError } from '@jinn/core';

/** A name in a directory, with the tests of its kind that need no further look. */
export type NamedEntry = Pick<fs.Dirent, 'name' | 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

export interface Names {
  readonly entries: readonly NamedEntry[];
  /** How many were left out, because their names are not UTF-8 and could not be given back to the system. */
  readonly unreadable: number;
}

/** What a directory holds, in the order of the disk. Rejects with the system's error when it cannot be read. */
export async function readNames(directory: OpenDirectory): Promise<Names> {
  const entries = await readEntries(directory);
  // Node puts U+FFFD for what is not UTF-8, but a name may also really hold that character.
  const names = namesOf(entries).includes('\ufffd') ? await readBytes(directory) : { entries, unreadable: 0 };
  // Security: where a directory is found by its path, a link may have stood there while it was read.
  if (directory.isInPlace()) return names;
  throw new ToolError('conflict', `${directory.path} changed while the tree was walked`);
}

/** All names in one string: one search in it is faster than one in each. */
function namesOf(entries: readonly NamedEntry[]): string {
  let names = '';
  for (const { name } of entries) names += name;
  return names;
}

function readEntries(directory: OpenDirectory): Promise<fs.Dirent[]> {
  return new Promise((resolve, reject) => {
    fs.readdir(directory.location, { withFileTypes: true }, (error, entries) =>
      error ? reject(error) : resolve(entries),
    );
  });
}

function readBytes(directory: OpenDirectory): Promise<Names> {
  return new Promise((resolve, reject) => {
    fs.readdir(directory.location, { withFileTypes: true, encoding: 'buffer' }, (error, found) => {
      if (error) return reject(error);
      const readable = found.filter(({ name }) => isUtf8(name));
      const entries = readable.map((entry) => Object.assign(entry, { name: entry.name.toString() }));
      resolve({ entries, unreadable: found.length - entries.length });
    });
  });
}
