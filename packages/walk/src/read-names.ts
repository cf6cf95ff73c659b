import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import type { OpenDirectory } from '@jinn/core';
import { type EntryKind, kindOf } from './walk-entry.ts';

/** A name in a directory. Links are never followed; FIFOs, sockets and devices are special. */
export interface NamedEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

export interface Names {
  readonly entries: NamedEntry[];
  /** True when the entries stand in the order of a walk; else in that of the disk. */
  sorted: boolean;
  /** All names in one string, between slashes: one search in it is faster than one in each. */
  readonly joined: string;
  /** How many were left out, because their names are not UTF-8 and could not be given back to the system. */
  readonly unreadable: number;
}

/** What a directory holds, read now. Throws the system's error when it cannot be read. */
export function readNames(directory: OpenDirectory): Names {
  const found = directory.within((prefix) => fs.readdirSync(prefix, { withFileTypes: true }));
  const entries = found.map((dirent) => ({ name: dirent.name, kind: kindOf(dirent) }));
  const names = toNames(entries, 0);
  // Node puts U+FFFD for what is not UTF-8, but a name may also really hold that character.
  return names.joined.includes('\ufffd') ? readBytes(directory) : names;
}

/** The same with names as bytes; rare, so it need not be quick. */
function readBytes(directory: OpenDirectory): Names {
  const found = directory.within((prefix) => fs.readdirSync(prefix, { withFileTypes: true, encoding: 'buffer' }));
  const readable = found.filter(({ name }) => isUtf8(name));
  const entries = readable.map((entry) => ({ name: entry.name.toString(), kind: kindOf(entry) }));
  return toNames(entries, found.length - entries.length);
}

function toNames(entries: NamedEntry[], unreadable: number): Names {
  return { entries, joined: `/${entries.map(({ name }) => name).join('/')}/`, sorted: false, unreadable };
}
