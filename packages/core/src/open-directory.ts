import { ToolError } from './errors.ts';
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

  /** Opens a child directory; a link in its place is refused. Throws the system's error when it cannot be opened. */
  child(name: string): OpenDirectory {
    const inode = this.#inode.child(name);
    if (inode.kind === 'directory') return new OpenDirectory(inode, this.pathOf(name));
    inode.close();
    throw new ToolError('conflict', `${this.pathOf(name)} changed while the tree was walked`);
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
