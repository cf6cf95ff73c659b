import fs from 'node:fs';
import { ToolError } from '@jinn/core/errors';
import { isSensitiveSegment } from '../secrets/secret-names.ts';
import { type Inode, OpenFile, openToRead } from './inode.ts';

/** Identifies a directory, with the time of its last change (Unix time in milliseconds). */
export interface DirectoryStat {
  readonly dev: number;
  readonly ino: number;
  readonly ctimeMs: number;
}

const NONE_IS_FINE = { throwIfNoEntry: false } as const;

export interface Tree {
  /** Its real path. Undefined on systems where directories cannot be held by descriptors. */
  readonly heldRoot: string | undefined;
  /** Reports whether no tool may enter a path below the root. Undefined if there is no such path. */
  readonly isClosed: ((path: string) => boolean) | undefined;
}

/** A directory inside the workspace, held open. Its children are reached from it, never by a path from the root. */
export class OpenDirectory {
  /** The path below the workspace root, links resolved. '.' for the root. */
  readonly path: string;
  readonly #open: () => Inode;
  readonly #tree: Tree;
  #held: Inode | undefined;

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

  /** A path that leads into this very directory while it is open, or undefined on systems without, which need `within`. */
  get location(): string | undefined {
    return this.#inode.isHeld ? this.#inode.location : undefined;
  }

  /** Shows later whether the names have changed. Undefined on systems where it proves nothing. */
  get stat(): DirectoryStat | undefined {
    return this.#inode.isHeld ? this.#inode.stat : undefined;
  }

  /** Runs synchronous work with a prefix that leads into this directory. */
  within<T>(work: (prefix: string) => T): T {
    return this.#inode.within(work);
  }

  /** Reports whether no tool may see this name: a secret, or jinn's own state. */
  isSecret(name: string): boolean {
    return isSensitiveSegment(name) || (this.#tree.isClosed?.(this.pathOf(name)) ?? false);
  }

  /** True if jinn's own state is in the workspace. Otherwise, plain ASCII names that are not hidden are no secrets. */
  get hasClosedPaths(): boolean {
    return this.#tree.isClosed !== undefined;
  }

  /** Opens a child directory. Throws the system's error, also for a link, and ToolError for a secret. */
  child(name: string): OpenDirectory {
    this.#refuseSecret(name);
    const inode = this.#inode.childDirectory(name);
    return new OpenDirectory(inode, this.pathOf(name), this.#tree);
  }

  /**
   * Returns the stat of a child directory by the full path, without opening it or this one, in a third of the time.
   * Security: links may be swapped in on the way, so it serves only to recognize a directory that was in the tree
   * before.
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
   * Opens a child directory when it is first needed, if it is still the one of this stat, or else throws `conflict`.
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

  /** Anything but a regular file is refused, links too. */
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
   * Opens a file that was just listed as a regular file, in half the time, without a stat. If something else has taken
   * the name since, it is opened before it is refused, but never followed, waited for or read.
   */
  openListedFile(name: string): OpenFile {
    this.#refuseSecret(name);
    const path = this.pathOf(name);
    return OpenFile.adoptWithoutStat(
      this.#inode.within((prefix) => openPlain(prefix, name)),
      path,
    );
  }

  /** Reads the start of a file that was just listed as a regular file. Returns the number of bytes. */
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

  /** In Unix time in milliseconds. For a link, of the link itself. */
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

function openPlain(prefix: string, name: string): number {
  return openToRead(`${prefix}/${name}`);
}
