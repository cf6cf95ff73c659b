import fs from 'node:fs';
import { ToolError } from '@jinn/core/errors';
import { isSensitiveSegment } from '../secrets/secret-names.ts';
import { type Inode, OpenFile } from './inode.ts';
import { openToRead } from './regular-file.ts';

/** Identifies a directory, and says when it last changed (Unix time in milliseconds). */
export interface DirectoryStat {
  readonly dev: number;
  readonly ino: number;
  readonly ctimeMs: number;
}

const NONE_IS_FINE = { throwIfNoEntry: false } as const;

/** The facts that the directories of one workspace share. */
export interface Tree {
  /** The real path of the root; undefined on systems where directories cannot be held by descriptors. */
  readonly heldRoot: string | undefined;
  /** Reports whether no tool may enter a path below the root; undefined if there is no such path. */
  readonly isClosed: ((path: string) => boolean) | undefined;
}

/** A directory inside the workspace, held open. Its children are reached from it, never by a path from the root. */
export class OpenDirectory {
  /** The path below the workspace root, links resolved; '.' for the root. */
  readonly path: string;
  readonly #open: () => Inode;
  readonly #tree: Tree;
  #held: Inode | undefined;

  /** Takes an inode, or a function that opens it when it is first needed. */
  constructor(inode: Inode | (() => Inode), path: string, tree: Tree) {
    this.#held = typeof inode === 'function' ? undefined : inode;
    this.#open = typeof inode === 'function' ? inode : () => inode;
    this.path = path;
    this.#tree = tree;
  }

  get #inode(): Inode {
    this.#held ??= this.#open();
    return this.#held;
  }

  /**
   * A path that leads into this very directory for as long as it is open; undefined on systems that have none, where
   * `within` must be used.
   */
  get location(): string | undefined {
    return this.#inode.isHeld ? this.#inode.location : undefined;
  }

  /**
   * Shows whether the list of names is still what it was. It is taken before the first look into the directory;
   * undefined on systems where it proves nothing.
   */
  get stat(): DirectoryStat | undefined {
    return this.#inode.isHeld ? this.#inode.stat : undefined;
  }

  /** Runs work on names in this directory: the given prefix leads into it. The work must be synchronous. */
  within<T>(work: (prefix: string) => T): T {
    return this.#inode.within(work);
  }

  /** Reports whether no tool may see this name: a secret, or a directory where jinn keeps its own state. */
  isSecret(name: string): boolean {
    return isSensitiveSegment(name) || (this.#tree.isClosed?.(this.pathOf(name)) ?? false);
  }

  /**
   * True if jinn keeps state of its own in the workspace, which no tool may see. Without it, names that are printable
   * ASCII and not hidden are no secrets.
   */
  get hasClosedPaths(): boolean {
    return this.#tree.isClosed !== undefined;
  }

  /**
   * Opens a child directory. Throws the system's error if it cannot be opened, or is a link or no directory; throws
   * ToolError for a secret.
   */
  child(name: string): OpenDirectory {
    this.#refuseSecret(name);
    const inode = this.#inode.childDirectory(name);
    return new OpenDirectory(inode, this.pathOf(name), this.#tree);
  }

  /**
   * Returns the stat of a child directory without opening it or this one; undefined if there is none. It is taken by the
   * full path, in a third of the time that a path through a descriptor takes. Security: links may be swapped in on the
   * way, so it serves only to recognize a directory that was in the tree before.
   */
  statOf(name: string): DirectoryStat | undefined {
    const { heldRoot } = this.#tree;
    if (heldRoot === undefined) return undefined;
    try {
      const stat = fs.lstatSync(`${heldRoot}/${this.pathOf(name)}`, NONE_IS_FINE);
      return stat?.isDirectory() ? stat : undefined;
    } catch {
      return undefined; // The full path may be too long, or we may not look at a directory on the way.
    }
  }

  /**
   * Returns a child directory as `child` does, but by a stat that was just taken. It is opened when it is first needed;
   * this directory must be open then. Throws `conflict` if another one is there by then.
   */
  childWhenNeeded(name: string, { dev, ino }: DirectoryStat): OpenDirectory {
    this.#refuseSecret(name);
    const open = () => {
      const inode = this.#inode.childDirectory(name);
      if (inode.stat.dev === dev && inode.stat.ino === ino) return inode;
      inode.close();
      throw new ToolError('conflict', `${this.pathOf(name)} changed while it was walked`, { suggestion: 'try again' });
    };
    return new OpenDirectory(open, this.pathOf(name), this.#tree);
  }

  /** Opens a regular file in this directory. Anything else is refused, links too. */
  openFile(name: string): OpenFile {
    this.#refuseSecret(name);
    const inode = this.#inode.child(name);
    try {
      return OpenFile.open(inode, this.pathOf(name), this.pathOf(name));
    } finally {
      inode.close();
    }
  }

  /**
   * Opens a file as `openFile` does, in half the time, by a name that was just listed as a regular file. If something
   * else has taken the name since, it is opened before it is refused, but never followed, waited for or read. The file
   * has no stat yet.
   */
  openListedFile(name: string): OpenFile {
    this.#refuseSecret(name);
    const path = this.pathOf(name);
    return OpenFile.adoptWithoutStat(
      this.#inode.within((prefix) => openPlain(prefix, name)),
      path,
    );
  }

  /**
   * Reads the beginning of a file that was just listed as a regular file into `target`. Returns the number of bytes; the
   * file may hold more. It makes no other system call on the file, for many small files.
   */
  readListedFile(name: string, target: Uint8Array): number {
    this.#refuseSecret(name);
    const { location } = this;
    const fd =
      location === undefined ? this.#inode.within((prefix) => openPlain(prefix, name)) : openPlain(location, name);
    try {
      let filled = 0;
      for (let count = -1; count !== 0 && filled < target.length; filled += count) {
        count = fs.readSync(fd, target, filled, target.length - filled, null);
      }
      return filled;
    } finally {
      fs.closeSync(fd);
    }
  }

  /** Returns when an entry was last modified (Unix time in milliseconds); for a link, the link itself. */
  modifiedOf(name: string): number {
    const inode = this.#inode.child(name);
    inode.close();
    return inode.stat.mtimeMs;
  }

  pathOf(name: string): string {
    return this.path === '.' ? name : `${this.path}/${name}`;
  }

  close(): void {
    this.#held?.close();
  }

  #refuseSecret(name: string): void {
    if (!this.isSecret(name)) return;
    throw new ToolError('path_outside_sandbox', `blocked: sensitive path: ${this.pathOf(name)}`);
  }
}

/** Opens a file for reading. It follows no link at the end of the path and never blocks on a FIFO. */
function openPlain(prefix: string, name: string): number {
  return openToRead(`${prefix}/${name}`);
}
