import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import type { OpenDirectory } from '@jinn/core';
import { DirectoryNames } from './names.ts';
import { kindOf } from './walk-entry.ts';

/** Reads the names in a directory. Throws the system's error. */
export function readNames(directory: OpenDirectory): DirectoryNames {
  const dirents = directory.within((prefix) => fs.readdirSync(prefix, { withFileTypes: true }));
  // Node puts U+FFFD for bytes that are not UTF-8, but a name may also hold that very character.
  if (dirents.some(({ name }) => name.includes('\ufffd'))) return readBytes(directory);
  return DirectoryNames.of(dirents.map((dirent) => ({ name: dirent.name, kind: kindOf(dirent) })));
}

/** Does the same with names as bytes, which takes longer. */
function readBytes(directory: OpenDirectory): DirectoryNames {
  const dirents = directory.within((prefix) => fs.readdirSync(prefix, { withFileTypes: true, encoding: 'buffer' }));
  const readable = dirents.filter(({ name }) => isUtf8(name));
  const entries = readable.map((dirent) => ({ name: dirent.name.toString(), kind: kindOf(dirent) }));
  return DirectoryNames.of(entries, dirents.length - entries.length);
}
