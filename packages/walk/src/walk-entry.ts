import type fs from 'node:fs';
import type { OpenDirectory, OpenFile } from '@jinn/core';
import type { DirectoryRules } from './directory-rules.ts';
import { type Fingerprint, fingerprintIn } from './fingerprint.ts';
import type { Rule } from './ignore-rules.ts';

export type EntryKind = 'file' | 'directory' | 'link' | 'special';

/** The directory that a walk reads: held open, with what its entries need to name themselves. */
export interface Place {
  readonly directory: OpenDirectory;
  /** The depth of what it holds. */
  readonly depth: number;
  /** What goes before a name to make its path from the start. */
  readonly prefix: string;
  /** The gitignore rules that hold in it. */
  readonly rules: DirectoryRules;
}

/** One thing that a walk came upon. */
export class WalkEntry {
  readonly name: string;
  /** Links are never followed: what they lead to is unknown. FIFOs, sockets and devices are special. */
  readonly kind: EntryKind;
  readonly #place: Place;

  constructor(name: string, kind: EntryKind, place: Place) {
    this.name = name;
    this.kind = kind;
    this.#place = place;
  }

  /** The path below the workspace root, the links of the start resolved. */
  get path(): string {
    return this.#place.directory.pathOf(this.name);
  }

  /** The path below the start of the walk. */
  get pathFromStart(): string {
    return this.#place.prefix + this.name;
  }

  /** 1 for what lies directly in the start. */
  get depth(): number {
    return this.#place.depth;
  }

  /** The directory that holds it. Open only until the visit, or the promise that it returned, ends. */
  get directory(): OpenDirectory {
    return this.#place.directory;
  }

  /** What it is now, for `isUnchanged` to ask later; only until its visit ends, or in `decide`. */
  fingerprint(): Fingerprint | undefined {
    return fingerprintIn(this.#place.directory, this.name);
  }

  /** Whether git's rules bring it back: the last one that matches is negated. */
  get isUnignored(): boolean {
    return this.#place.rules.unignores(this.name, this.kind === 'directory');
  }

  /** The gitignore rule that decides on it; undefined when none does, and below what is ignored itself. Slow. */
  explain(): Rule | undefined {
    return this.#place.rules.explain(this.name, this.kind === 'directory');
  }

  /** Opens a file; only until its visit ends. What is opened may be kept longer, and is the caller's to close. */
  open(): OpenFile {
    return this.#place.directory.openFile(this.name);
  }
}

type Named = Pick<WalkEntry, 'name' | 'kind'>;

/** Sorts entries as their paths sort, by code units, a directory's with a slash at its end. */
export function byPath(a: Named, b: Named): number {
  if (a.name < b.name) return a.kind === 'directory' && slashGoesAfter(a.name, b.name) ? 1 : -1;
  return b.kind === 'directory' && slashGoesAfter(b.name, a.name) ? -1 : 1;
}

/** Sorts files before directories, and each by their names, by code units. */
export function filesFirst(a: WalkEntry, b: WalkEntry): number {
  const aIsDirectory = a.kind === 'directory';
  if (aIsDirectory !== (b.kind === 'directory')) return aIsDirectory ? 1 : -1;
  return a.name < b.name ? -1 : 1;
}

function slashGoesAfter(directory: string, other: string): boolean {
  return other.charCodeAt(directory.length) < 47 && other.startsWith(directory);
}

export function kindOf(dirent: Pick<fs.Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  if (dirent.isFile()) return 'file';
  if (dirent.isDirectory()) return 'directory';
  return dirent.isSymbolicLink() ? 'link' : 'special';
}
