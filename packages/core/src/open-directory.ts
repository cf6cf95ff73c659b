import type { Inode } from './inode.ts';
import { OpenFile } from './open-file.ts';

/** A directory inside the workspace, held open: its children are reached from it, never by a path from the top. */
export class OpenDirectory {
  /** The path below the workspace root, links resolved; '.' for the root. */
  readonly path: string;
  readonly #inode: Inode;

  constructor(inode: Inode, path: string) {
    this.#inode = inode;
    this.path = path;
  }

  /** A name by which the system finds this very directory, for reading its entries. */
  get location(): string {
    return this.#inode.location;
  }

  /**
   * True when `location` leads to this directory still; ask after reading there. Always true where directories are
   * held by descriptor.
   */
  isInPlace(): boolean {
    return this.#inode.isInPlace();
  }

  /** Opens a child directory. Throws the system's error when it cannot be opened, or is none, or is a link. */
  child(name: string): OpenDirectory {
    return new OpenDirectory(this.#inode.childDirectory(name), this.pathOf(name));
  }

  /** Opens a regular file in this directory; anything else in its place is refused, links too. */
  openFile(name: string): OpenFile {
    const inode = this.#inode.child(name);
    try {
      return OpenFile.open(inode, this.pathOf(name), this.pathOf(name));
    } finally {
      inode.close();
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
    this.#inode.close();
  }
}
