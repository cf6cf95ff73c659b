import fs from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { fromSystemError, notADirectory, ToolError } from '@jinn/core/errors';
import { hasSensitiveSegment } from '../secrets/secret-names.ts';
import { closedPaths, type FoundTarget, hasClosed, isClosed, type Root, walkTo, walkToTarget } from './guard.ts';
import { foldPath, hasProcDescriptors, holdDirectory, type Inode, type Kind, OpenFile, openRoot } from './inode.ts';
import { OpenDirectory } from './open-directory.ts';
import type { Spill } from './private-files.ts';
import { createStateFiles, type StateFiles } from './private-files.ts';

export interface PathStatus {
  /** The path below the workspace root, links resolved. Absolute for a spilled file. */
  readonly path: string;
  readonly kind: Exclude<Kind, 'link'>;
  readonly size: number;
  readonly modified: Date;
}

/**
 * The only way to a file: it takes a path as the caller wrote it and returns an open handle, or throws a ToolError.
 * Each handle is closed when `use` returns. `withFile` and `status` also take the path of a spilled file of this
 * workspace, which nothing changes.
 */
export interface Workspace {
  /** Its real path. No message may hold it. */
  readonly root: string;
  /** The directory that may hold the names in directories for the next process. */
  readonly cacheDirectory: string | undefined;
  /** By them, the user's git configuration is found. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  withFile<T>(path: string, use: (file: OpenFile) => T): T;
  withDirectory<T>(path: string, use: (directory: OpenDirectory) => Promise<T>): Promise<T>;
  openDirectory(path: string): OpenDirectory;
  status(path: string): PathStatus;
  /** Finds where a file is to be created, changed or removed, for a Target. An exact path was written by jinn. */
  findTarget(path: string, how?: { readonly isExact?: boolean | undefined }): FoundTarget;
  /** Opens the root again if another directory has its name by now. Throws `unavailable` if none has. */
  checkRoot(): void;
  /** The folders in which no tool may change a file now: those of custom tools that run. */
  readonly heldFolders: HeldFolders;
  /** Returns the same workspace with other spilled files. It ends with this one. */
  withSpill(spill: Spill): Workspace;
  close(): void;
}

export interface WorkspaceOptions {
  readonly root: string;
  readonly called?: string;
  readonly home?: string | undefined;
  /** Absolute paths of jinn's own directories. No tool enters them if they are in the workspace. */
  readonly closed?: readonly string[];
  /** As in Root. */
  readonly isSecret?: ((path: string) => boolean) | undefined;
  readonly cacheDirectory?: string | undefined;
  readonly variables?: Workspace['variables'];
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
  isSecret,
  cacheDirectory,
  variables = {},
  spill,
  useProc = hasProcDescriptors(),
}: WorkspaceOptions): Workspace {
  const path = fs.realpathSync.native(root);
  const held = openRoot(path, useProc);
  const guard: Root = { path, called, home, inode: held.inode, closed: closedPaths(path, closed), isSecret };
  const heldFolders = new HeldFolders();
  const withSpill = (spill: Spill | undefined): Workspace => ({
    root: path,
    cacheDirectory,
    variables,
    heldFolders,
    withSpill,
    withFile: (asked, use) => {
      const file = openSpilled(spill, asked) ?? openFile(guard, asked);
      try {
        return use(file);
      } finally {
        file.close();
      }
    },
    withDirectory: async (asked, use) => {
      if (readSpillStatus(spill, asked)?.kind === 'file') throw notADirectory(asked);
      const directory = openSpillDirectory(spill, asked, useProc) ?? openDirectory(guard, asked);
      try {
        return await use(directory);
      } finally {
        directory.close();
      }
    },
    openDirectory: (asked) => openDirectory(guard, asked),
    status: (asked) => readSpillStatus(spill, asked) ?? readStatus(guard, asked),
    findTarget: (asked, how) => walkToTarget(guard, asked, how),
    checkRoot: () => void held.inode(),
    close: () => held.close(),
  });
  return withSpill(spill);
}

/** Tools put `./` before a path that they got from here. */
function toSpillPath(asked: string): string {
  return asked.startsWith('.//') ? asked.slice(2) : asked;
}

/** Returns undefined for any other path. Throws `not_found` for a file that is gone, or that another server has. */
function openSpilled(spill: Spill | undefined, asked: string): OpenFile | undefined {
  const path = toSpillPath(asked);
  const file = spill?.open(path);
  if (file !== undefined || !spill?.isName(path)) return file;
  throw new ToolError(
    'not_found',
    `what was kept of a long answer is not here: ${path.slice(path.lastIndexOf('/') + 1)}`,
    { suggestion: 'it is kept for a day at most, by the server that gave the answer: make that call again' },
  );
}

function spillDirectory(spill: Spill | undefined, asked: string): string | undefined {
  const path = toSpillPath(asked).replace(/\/$/, '');
  return path === spill?.directory && fs.existsSync(path) ? path : undefined;
}

function openSpillDirectory(spill: Spill | undefined, asked: string, useProc: boolean): OpenDirectory | undefined {
  const path = spillDirectory(spill, asked);
  if (spill === undefined || path === undefined) return undefined;
  const isClosed = (inside: string) => !spill.isName(inside);
  return new OpenDirectory(holdDirectory(path, useProc), path, { heldRoot: undefined, isClosed });
}

function readSpillStatus(spill: Spill | undefined, asked: string): PathStatus | undefined {
  const directory = spillDirectory(spill, asked);
  if (directory !== undefined) {
    const { size, mtime } = fs.lstatSync(directory);
    return { path: directory, kind: 'directory', size, modified: mtime };
  }
  const file = openSpilled(spill, asked);
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
    isClosed: hasClosed(root) ? (inside: string) => isClosed(root, inside) : undefined,
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

  has(path: string): boolean {
    if (this.#held.size === 0) return false;
    const folded = foldPath(path);
    return [...this.#held.keys()].some((folder) => folded === folder || folded.startsWith(`${folder}/`));
  }
}

/** The files outside of the workspace that tools may read: directories that the user set up, and jinn's own files. */
export interface UserFiles {
  readonly home: string | undefined;
  readonly state: StateFiles;
  /**
   * Opens a directory by its absolute path, to read below it. Links in the path are resolved once, here. Returns
   * undefined if it is missing. Throws ToolError if it is not a directory, or has a secret segment, as asked or as
   * resolved. The caller closes it.
   */
  openRoot(path: string): Workspace | undefined;
}

export interface UserFilesOptions {
  readonly home: string | undefined;
  readonly state: string | undefined;
  /** Directories that cannot be entered from a root above them, as in WorkspaceOptions. */
  readonly closed: readonly string[];
}

/** Opens nothing yet: a call that needs no such file pays nothing. */
export function createUserFiles({ home, state, closed }: UserFilesOptions): UserFiles {
  return { home, state: createStateFiles(state), openRoot: (path) => openUserRoot(path, closed) };
}

function openUserRoot(path: string, closed: readonly string[]): Workspace | undefined {
  if (!path.startsWith('/') || path.includes('\0')) throw new ToolError('invalid_args', 'not an absolute path');
  if (hasSensitiveSegment(path)) throw secret();
  if (!isThere(path)) return undefined;
  const root = open(path, closed);
  if (!hasSensitiveSegment(root.root)) return root;
  root.close();
  throw secret();
}

/** To open it and catch the error would take longer. */
function isThere(path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw fromSystemError(error, 'the way to it');
  }
}

function open(path: string, closed: readonly string[]): Workspace {
  try {
    return openWorkspace({ root: path, called: 'its directory', closed });
  } catch (error) {
    if (error instanceof ToolError) throw new ToolError('not_a_directory', 'not a directory', { cause: error });
    throw fromSystemError(error, 'the directory');
  }
}

function secret(): ToolError {
  return new ToolError('path_outside_sandbox', 'blocked: sensitive path');
}

/** An empty PATH would mean the working directory. */
const PLAIN = '/usr/local/bin:/usr/bin:/bin';

/**
 * Returns variables for programs that jinn runs by itself: their PATH has no relative directory, and none in the
 * workspace. Security: `npx`, `direnv` and others put directories of the workspace first, where anything may be called
 * `git`.
 */
export function withOwnPath<T extends { readonly PATH?: string | undefined }>(environment: T, root: string): T {
  const entries = (environment.PATH ?? '').split(delimiter);
  const outside = entries.filter((entry) => isAbsolute(entry) && !isIn(root, entry));
  return { ...environment, PATH: outside.join(delimiter) || PLAIN };
}

function isIn(root: string, entry: string): boolean {
  return [resolve(entry), resolveExisting(resolve(entry))].some(
    (directory) => directory === root || directory.startsWith(root === '/' ? root : `${root}/`),
  );
}

/** The missing part of a path may be made later. */
function resolveExisting(entry: string): string {
  try {
    return fs.realpathSync.native(entry);
  } catch {
    const above = dirname(entry);
    return above === entry ? entry : join(resolveExisting(above), basename(entry));
  }
}
