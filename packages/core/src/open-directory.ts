import fs from 'node:fs';
import { ToolError } from './errors.ts';
import type { Inode } from './inode.ts';
import { OpenFile } from './open-file.ts';
import { isSensitiveSegment } from './sensitive.ts';

/** Which directory, and when it last changed, in milliseconds. */
export interface DirectoryStamp {
  readonly dev: number;
  readonly ino: number;
  readonly ctimeMs: number;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

const NONE_IS_FINE = { throwIfNoEntry: false } as const;
const PRINTABLE_ASCII = /^[ -~]*$/;

/** What the directories of one workspace share. */
export interface Tree {
  /** The real path of the root, where directories are held by descriptors; undefined where they cannot be. */
  readonly heldRoot: string | undefined;
  /** Says which paths below the root no tool may enter; undefined when there are none. */
  readonly isClosed: ((path: string) => boolean) | undefined;
}

/** A directory inside the workspace, held open: its children are reached from it, never by a path from the top. */
export class OpenDirectory {
  /** The path below the workspace root, links resolved; '.' for the root. */
  readonly path: string;
  readonly #open: () => Inode;
  readonly #tree: Tree;
  #held: Inode | undefined;

  /** An inode, or what opens it when it is first needed. */
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
   * A name that leads into this very directory for as long as it is open; undefined where the system has none. Then
   * `within` does.
   */
  get location(): string | undefined {
    return this.#inode.isHeld ? this.#inode.location : undefined;
  }

  /**
   * What tells whether its list of names is still what it was, seen before the first look into it; undefined where
   * that is not certain.
   */
  get stamp(): DirectoryStamp | undefined {
    return this.#inode.isHeld ? this.#inode.stat : undefined;
  }

  /** Runs work on names in this directory: the given prefix leads into it. The work must not wait for anything. */
  within<T>(work: (prefix: string) => T): T {
    return this.#inode.within(work);
  }

  /** True for a name here that no tool may see: a secret, or a place where jinn keeps its own state. */
  isSecret(name: string): boolean {
    return isSensitiveSegment(name) || (this.#tree.isClosed?.(this.pathOf(name)) ?? false);
  }

  /** False when one of these names might be secret; they stand between slashes: `/a/b/`. */
  holdsPlainNames(names: string): boolean {
    return !this.#tree.isClosed && !names.includes('/.') && PRINTABLE_ASCII.test(names);
  }

  /**
   * Opens a child directory. Throws the system's error when it cannot be opened, is none, or is a link, and ToolError
   * for a secret.
   */
  child(name: string): OpenDirectory {
    this.#refuseSecret(name);
    const inode = this.#inode.childDirectory(name);
    return new OpenDirectory(inode, this.pathOf(name), this.#tree);
  }

  /**
   * What tells of a child directory what it is, without opening it or this one; undefined where that is not certain.
   * Seen by its name from the top, which takes a third of the time that a descriptor's name takes. Security: links may
   * be swapped in on the way, so it is good for nothing but to recognize a directory that was in the tree before.
   */
  stampOf(name: string): DirectoryStamp | undefined {
    const { heldRoot } = this.#tree;
    if (heldRoot === undefined) return undefined;
    try {
      const stat = fs.lstatSync(`${heldRoot}/${this.pathOf(name)}`, NONE_IS_FINE);
      return stat?.isDirectory() ? stat : undefined;
    } catch {
      return undefined; // The names down to here may be too long together, or closed to us from the top.
    }
  }

  /**
   * The same as `child`, for what has just been seen to be that directory, but opened only when it is first needed; this
   * one must be open then. Throws `conflict` when another is there by then.
   */
  childWhenNeeded(name: string, { dev, ino }: DirectoryStamp): OpenDirectory {
    this.#refuseSecret(name);
    const open = () => {
      const inode = this.#inode.childDirectory(name);
      if (inode.stat.dev === dev && inode.stat.ino === ino) return inode;
      inode.close();
      throw new ToolError('conflict', `${this.pathOf(name)} changed while it was walked`, { suggestion: 'try again' });
    };
    return new OpenDirectory(open, this.pathOf(name), this.#tree);
  }

  /** Opens a regular file in this directory; anything else in its place is refused, links too. */
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
   * The same for what the directory has just been seen to hold as a regular file, in half the time: what was put in its
   * place since is opened before it is refused, though never followed, waited for, or read. It has no stamp yet.
   */
  openListedFile(name: string): OpenFile {
    this.#refuseSecret(name);
    const path = this.pathOf(name);
    return OpenFile.adoptUnstamped(
      this.#inode.within((prefix) => openPlain(prefix, name)),
      path,
    );
  }

  /**
   * Fills `target` from the beginning of what the directory has just been seen to hold as a regular file; gives the
   * number of bytes, which may be all that there are or not. For many small files: it asks nothing else of the file.
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

  /** When a thing in this directory was last modified, in milliseconds; of a link, the link itself. */
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

/** Follows no link at the end, and waits for nobody at the other end of a FIFO. */
function openPlain(prefix: string, name: string): number {
  return fs.openSync(`${prefix}/${name}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
}
