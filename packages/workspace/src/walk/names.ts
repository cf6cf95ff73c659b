import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { fromSystemError } from '@jinn/core/errors';
import type { OpenDirectory, Workspace } from '../guard/index.ts';
import { kindOf } from '../guard/inode.ts';
import { byPath, type EntryKind } from './walk-entry.ts';

/** A plain name has no dot or hash at its start, and nothing but printable ASCII. */
const ODD = /(?:^|\/)[.#]|[^ -~]/;

/** A link is the link itself. FIFOs, sockets and devices are special. */
export interface NamedEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

export class DirectoryNames {
  /** Sorted by code units. */
  readonly files: readonly string[];
  readonly others: readonly NamedEntry[];
  /** Those of the files that are not plain. */
  readonly oddFiles: readonly string[];
  /** How many entries are missing because their names are not UTF-8 and could not be passed to the system. */
  readonly unreadable: number;
  #inOrder: readonly NamedEntry[] | undefined;

  constructor(entries: readonly NamedEntry[], unreadable = 0) {
    const files: string[] = [];
    const others: NamedEntry[] = [];
    for (const entry of entries) {
      if (entry.kind === 'file') files.push(entry.name);
      else others.push(entry);
    }
    this.files = files.sort();
    this.others = others.sort(byPath);
    // One test of all names is faster than one of each.
    this.oddFiles = ODD.test(files.join('/')) ? files.filter((name) => !isPlain(name)) : [];
    this.unreadable = unreadable;
  }

  get count(): number {
    return this.files.length + this.others.length;
  }

  /** In the order of a walk. */
  get inOrder(): readonly NamedEntry[] {
    this.#inOrder ??= [...this.files.map(toFile), ...this.others].sort(byPath);
    return this.#inOrder;
  }

  has(name: string): boolean {
    const files = isPlain(name) ? this.files : this.oddFiles;
    return files.includes(name) || this.others.some((other) => other.name === name);
  }
}

/** Throws the system's error. */
export function readNames(directory: OpenDirectory): DirectoryNames {
  const dirents = directory.within((prefix) => fs.readdirSync(prefix, { withFileTypes: true }));
  // Node puts U+FFFD for bytes that are not UTF-8, but a name may also hold that very character.
  if (dirents.some(({ name }) => name.includes('\ufffd'))) return readBytes(directory);
  return new DirectoryNames(dirents.map((dirent) => ({ name: dirent.name, kind: kindOf(dirent) })));
}

/** Reading names as bytes takes longer. */
function readBytes(directory: OpenDirectory): DirectoryNames {
  const dirents = directory.within((prefix) => fs.readdirSync(prefix, { withFileTypes: true, encoding: 'buffer' }));
  const readable = dirents.filter(({ name }) => isUtf8(name));
  const entries = readable.map((dirent) => ({ name: dirent.name.toString(), kind: kindOf(dirent) }));
  return new DirectoryNames(entries, dirents.length - entries.length);
}

/** Reports whether a name is printable ASCII and does not start like a hidden or secret name. */
export function isPlain(name: string): boolean {
  return !ODD.test(name);
}

export function toFile(name: string): NamedEntry {
  return { name, kind: 'file' };
}

/** Lists a directory without its secrets, sorted. Throws ToolError if the path is refused, missing, or no directory. */
export function listDirectory(workspace: Workspace, path: string): Promise<NamedEntry[]> {
  return workspace.withDirectory(path, async (directory) => listOpen(directory, path));
}

/** Lists an open directory in the same way. `shown` is its name in errors. */
export function listOpen(directory: OpenDirectory, shown: string): NamedEntry[] {
  try {
    const visible = readNames(directory).inOrder.filter(({ name }) => !directory.isSecret(name));
    return visible.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw fromSystemError(error, shown);
  }
}
