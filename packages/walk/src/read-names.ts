import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import type { OpenDirectory } from '@jinn/core';
import { Names } from './names.ts';
import { kindOf } from './walk-entry.ts';

/** What a directory holds, read now. Throws the system's error when it cannot be read. */
export function readNames(directory: OpenDirectory): Names {
  const found = directory.within((prefix) => fs.readdirSync(prefix, { withFileTypes: true }));
  const entries = found.map((dirent) => ({ name: dirent.name, kind: kindOf(dirent) }));
  const names = Names.of(entries);
  // Node puts U+FFFD for what is not UTF-8, but a name may also really hold that character.
  return names.joined.includes('\ufffd') ? readBytes(directory) : names;
}

/** The same with names as bytes; rare, so it need not be quick. */
function readBytes(directory: OpenDirectory): Names {
  const found = directory.within((prefix) => fs.readdirSync(prefix, { withFileTypes: true, encoding: 'buffer' }));
  const readable = found.filter(({ name }) => isUtf8(name));
  const entries = readable.map((entry) => ({ name: entry.name.toString(), kind: kindOf(entry) }));
  return Names.of(entries, found.length - entries.length);
}
