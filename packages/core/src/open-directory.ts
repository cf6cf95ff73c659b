import { ToolError } from './errors.ts';
import type { Inode } from './inode.ts';
import { OpenFile } from './open-file.ts';

/** A directory inside the workspace, held open: its children are reached from it, never by a path from the top. */
export class OpenDirectory {
  /** The path below the workspace root, links resolved; '.' for the root. */
  readonly path: string;
  readonly #inode: Inode;
  readonly #isClosed: (path: string) => boolean;

  /** `isClosed` says which paths below the root no tool may enter. */
  constructor(inode: Inode, path: string, isClosed: (path: string) => boolean) {
    this.#inode = inode;
    this.path = path;
    this.#isClosed = isClosed;
  }

  /** A name by which the system finds this very directory, for reading its entries. */
  get location(): string {
    return this.#inode.location;
  }

  /** Opens a child directory; a link in its place is refused. Throws the system's error when it cannot be opened. */
  child(name: string): OpenDirectory {
    if (this.#isClosed(this.pathOf(name))) {
      throw new ToolError('path_outside_sandbox', `blocked: sensitive path: ${this.pathOf(name)}`);
    }
    const inode = this.#inode.child(name);
    if (inode.kind === 'directory') return new OpenDirectory(inode, this.pathOf(name), this.#isClosed);
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

  pathOf(name: string): string {
    return this.path === '.' ? name : `${this.path}/${name}`;
  }

  close(): void {
    this.#inode.close();
  }
}
