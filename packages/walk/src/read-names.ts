import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import type { OpenDirectory } from '@jinn/core';
import type { EntryKind } from './walk-entry.ts';

/** A name in a directory. Links are never followed; FIFOs, sockets and devices are special. */
export interface NamedEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

export interface Names {
  readonly entries: NamedEntry[];
  /** True when the entries stand in the order of a walk; else in that of the disk. */
  sorted: boolean;
  /** How many were left out, because their names are not UTF-8 and could not be given back to the system. */
  readonly unreadable: number;
}

/** What a directory holds, read now. Rejects with the system's error when it cannot be read. */
export async function readNames(directory: OpenDirectory): Promise<Names> {
  const entries = await readEntries(directory);
  // Node puts U+FFFD for what is not UTF-8, but a name may also really hold that character.
  if (namesOf(entries).includes('\ufffd')) return readBytes(directory);
  return { entries: entries.map(toNamedEntry), sorted: false, unreadable: 0 };
}

/** All names in one string: one search in it is faster than one in each. */
function namesOf(entries: readonly fs.Dirent[]): string {
  let names = '';
  for (const { name } of entries) names += name;
  return names;
}

function readEntries(directory: OpenDirectory): Promise<fs.Dirent[]> {
  const { location } = directory;
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
  const entries = readable.map((entry) => ({ name: entry.name.toString(), kind: kindOf(entry) }));
  return { entries, sorted: false, unreadable: found.length - entries.length };
}

function toNamedEntry(dirent: fs.Dirent): NamedEntry {
  return { name: dirent.name, kind: kindOf(dirent) };
}

function kindOf(dirent: Pick<fs.Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  if (dirent.isFile()) return 'file';
  if (dirent.isDirectory()) return 'directory';
  return dirent.isSymbolicLink() ? 'link' : 'special';
}
