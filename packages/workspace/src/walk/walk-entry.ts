import type { OpenDirectory, OpenFile } from '../guard/index.ts';
import { type Fingerprint, fingerprintIn } from './fingerprint.ts';

export type EntryKind = 'file' | 'directory' | 'link' | 'special';

/** The directory that the walk holds open, and what its entries share. */
export interface EntryParent {
  readonly directory: OpenDirectory;
  readonly depth: number;
  readonly prefix: string;
}

export class WalkEntry {
  readonly name: string;
  /** Links are never followed. FIFOs, sockets and devices are special. */
  readonly kind: EntryKind;
  readonly #parent: EntryParent;

  constructor(name: string, kind: EntryKind, parent: EntryParent) {
    this.name = name;
    this.kind = kind;
    this.#parent = parent;
  }

  /** Below the workspace root, with the links of the start resolved. */
  get path(): string {
    return this.#parent.directory.pathOf(this.name);
  }

  get pathFromStart(): string {
    return this.#parent.prefix + this.name;
  }

  get depth(): number {
    return this.#parent.depth;
  }

  /** Open until the visit, or the promise that the visit returned, ends. */
  get directory(): OpenDirectory {
    return this.#parent.directory;
  }

  /** For a later `isUnchanged`. Works until its visit ends, and in `decide`. */
  fingerprint(): Fingerprint | undefined {
    return fingerprintIn(this.#parent.directory, this.name);
  }

  /** Works until its visit ends. The caller closes the file, and may keep it longer. */
  open(): OpenFile {
    return this.#parent.directory.openFile(this.name);
  }
}

type NameAndKind = Pick<WalkEntry, 'name' | 'kind'>;

/** Compares paths by code units, with a slash at the end of a directory's. */
export function byPath(a: NameAndKind, b: NameAndKind): number {
  if (a.name < b.name) return a.kind === 'directory' && slashGoesAfter(a.name, b.name) ? 1 : -1;
  return b.kind === 'directory' && slashGoesAfter(b.name, a.name) ? -1 : 1;
}

/** Puts files before directories, and compares names by code units. */
export function filesFirst(a: WalkEntry, b: WalkEntry): number {
  const aIsDirectory = a.kind === 'directory';
  if (aIsDirectory !== (b.kind === 'directory')) return aIsDirectory ? 1 : -1;
  return a.name < b.name ? -1 : 1;
}

function slashGoesAfter(directory: string, other: string): boolean {
  return other.charCodeAt(directory.length) < 47 && other.startsWith(directory);
}
