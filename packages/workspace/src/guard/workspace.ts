import fs from 'node:fs';
import { fromSystemError, notADirectory, ToolError } from '@jinn/core/errors';
import { closedPaths, type FoundTarget, isClosed, type Root, walkTo, walkToTarget } from './guard.ts';
import { foldPath, hasProcDescriptors, holdDirectory, type Inode, type Kind, OpenFile, openRoot } from './inode.ts';
import { OpenDirectory } from './open-directory.ts';
import type { Spill } from './spill.ts';

/** What a path names, seen without opening it. */
export interface PathStatus {
  /** The path below the workspace root, links resolved; absolute for a file that jinn keeps. */
  readonly path: string;
  readonly kind: Exclude<Kind, 'link'>;
  /** The size in bytes. */
  readonly size: number;
  readonly modified: Date;
}

/**
 * The only way to a file: it takes a path as the caller wrote it and returns an open handle, or throws a ToolError.
 * Each handle is closed when `use` returns. `withFile` and `status` also take the path of a file that jinn keeps of the
 * answers in this workspace; nothing changes these.
 */
export interface Workspace {
  /** The real path of the root. No message may hold it. */
  readonly root: string;
  /** The directory that may keep the names in directories for the next process; undefined if they may not be kept. */
  readonly cacheDirectory: string | undefined;
  /** The variables of the process, by which the user's git configuration is found. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  withFile<T>(path: string, use: (file: OpenFile) => T): T;
  /** Opens a directory for as long as the promise of `use` is pending. */
  withDirectory<T>(path: string, use: (directory: OpenDirectory) => Promise<T>): Promise<T>;
  /** Opens a directory that the caller closes. */
  openDirectory(path: string): OpenDirectory;
  status(path: string): PathStatus;
  /**
   * Finds the place of a file that is to be created, changed or removed, for a Target to hold. With `isExact` the path is
   * one that jinn wrote down, and not what a caller may have meant otherwise.
   */
  findTarget(path: string, how?: { readonly isExact?: boolean | undefined }): FoundTarget;
  /** Opens the root again if another directory has its name by now. Throws `unavailable` if none has. */
  checkRoot(): void;
  /** The folders in which no tool may change a file now: those of custom tools that run. */
  readonly heldFolders: HeldFolders;
  /** Returns the same workspace with other kept files. It ends with this one. */
  withKept(spill: Spill): Workspace;
  close(): void;
}

export interface WorkspaceOptions {
  readonly root: string;
  /** The name of the root in messages; "the working directory" if absent. */
  readonly called?: string;
  /** The directory that `~` in a path stands for. */
  readonly home?: string | undefined;
  /** Absolute paths of jinn's own directories. No tool enters them if they lie in the workspace. */
  readonly closed?: readonly string[];
  /** The directory that may keep the names in directories for the next process; an absolute path. */
  readonly cacheDirectory?: string | undefined;
  /** The variables by which the user's git configuration is found; there is none if absent. */
  readonly variables?: Workspace['variables'];
  /** The files that jinn keeps of the answers in this workspace; none if absent. */
  readonly spill?: Spill;
  /** True to walk by descriptors if the system can (Linux). False checks again by name, as on other systems. */
  readonly useProc?: boolean;
}

/** Opens the directory that all paths are confined to. Links in `root` itself are resolved once, here. */
export function openWorkspace({
  root,
  called = 'the working directory',
  home,
  closed = [],
  cacheDirectory,
  variables = {},
  spill,
  useProc = hasProcDescriptors(),
}: WorkspaceOptions): Workspace {
  const path = fs.realpathSync.native(root);
  const held = openRoot(path, useProc);
  const guard: Root = { path, called, home, inode: held.inode, closed: closedPaths(path, closed) };
  const heldFolders = new HeldFolders();
  const withKept = (spill: Spill | undefined): Workspace => ({
    root: path,
    cacheDirectory,
    variables,
    heldFolders,
    withKept,
    withFile: (asked, use) => {
      const file = openKept(spill, asked) ?? openFile(guard, asked);
      try {
        return use(file);
      } finally {
        file.close();
      }
    },
    withDirectory: async (asked, use) => {
      if (readKeptStatus(spill, asked)?.kind === 'file') throw notADirectory(asked);
      const directory = openKeptDirectory(spill, asked, useProc) ?? openDirectory(guard, asked);
      try {
        return await use(directory);
      } finally {
        directory.close();
      }
    },
    openDirectory: (asked) => openDirectory(guard, asked),
    status: (asked) => readKeptStatus(spill, asked) ?? readStatus(guard, asked),
    findTarget: (asked, how) => walkToTarget(guard, asked, how),
    checkRoot: () => void held.inode(),
    close: () => held.close(),
  });
  return withKept(spill);
}

/** Returns the path of a kept file. Tools put `./` before a path that they got from here. */
function toKeptPath(asked: string): string {
  return asked.startsWith('.//') ? asked.slice(2) : asked;
}

/**
 * Opens a kept file. Returns undefined for any other path. Throws `not_found` for a file that was kept, or that another
 * server keeps.
 */
function openKept(spill: Spill | undefined, asked: string): OpenFile | undefined {
  const path = toKeptPath(asked);
  const file = spill?.open(path);
  if (file !== undefined || !spill?.isName(path)) return file;
  throw new ToolError(
    'not_found',
    `what was kept of a long answer is not here: ${path.slice(path.lastIndexOf('/') + 1)}`,
    {
      suggestion: 'it is kept for a day at most, by the server that gave the answer: make that call again',
    },
  );
}

/** Returns the directory of the kept files of this workspace if the path is that of it, and it exists. */
function keptDirectory(spill: Spill | undefined, asked: string): string | undefined {
  const path = toKeptPath(asked).replace(/\/$/, '');
  return path === spill?.directory && fs.existsSync(path) ? path : undefined;
}

function openKeptDirectory(spill: Spill | undefined, asked: string, useProc: boolean): OpenDirectory | undefined {
  const path = keptDirectory(spill, asked);
  if (spill === undefined || path === undefined) return undefined;
  const isClosed = (inside: string) => !spill.isName(inside);
  return new OpenDirectory(holdDirectory(path, useProc), path, { heldRoot: undefined, isClosed });
}

function readKeptStatus(spill: Spill | undefined, asked: string): PathStatus | undefined {
  const directory = keptDirectory(spill, asked);
  if (directory !== undefined) {
    const { size, mtime } = fs.lstatSync(directory);
    return { path: directory, kind: 'directory', size, modified: mtime };
  }
  const file = openKept(spill, asked);
  if (!file) return undefined;
  const { path, size, stat } = file;
  file.close();
  return { path, kind: 'file', size, modified: new Date(Number(stat.mtimeNs / 1_000_000n)) };
}

function openFile(root: Root, asked: string): OpenFile {
  const { inode, path } = walkTo(root, asked);
  return using(inode, asked, () => OpenFile.open(inode, path, asked));
}

function openDirectory(root: Root, asked: string): OpenDirectory {
  const { inode, path } = walkTo(root, asked);
  const tree = {
    heldRoot: inode.isHeld ? root.path : undefined,
    isClosed: root.closed.length > 0 ? (inside: string) => isClosed(root, inside) : undefined,
  };
  if (inode.kind === 'directory') return new OpenDirectory(inode, path, tree);
  inode.close();
  throw notADirectory(asked);
}

function readStatus(root: Root, asked: string): PathStatus {
  const { inode, path } = walkTo(root, asked);
  return using(inode, asked, () => {
    const { kind, stat } = inode;
    return { path, kind: kind === 'link' ? 'special' : kind, size: stat.size, modified: stat.mtime };
  });
}

function using<T>(inode: Inode, asked: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw fromSystemError(error, asked);
  } finally {
    inode.close();
  }
}

/** Folders whose files no tool may change for a while, by their real paths. */
export class HeldFolders {
  readonly #held = new Map<string, number>();

  /** Holds a folder until the function that it returns is called. */
  hold(folder: string): () => void {
    const key = foldPath(folder);
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#held.get(key) ?? 0) - 1;
      if (left > 0) this.#held.set(key, left);
      else this.#held.delete(key);
    };
  }

  /** Reports whether a path is, or lies below, a folder that is held. */
  has(path: string): boolean {
    if (this.#held.size === 0) return false;
    const folded = foldPath(path);
    return [...this.#held.keys()].some((folder) => folded === folder || folded.startsWith(`${folder}/`));
  }
}
