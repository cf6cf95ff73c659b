import fs from 'node:fs';
import { fromSystemError, fromWriteError, ToolError } from '@jinn/errors';
import { hasSensitiveSegment } from '@jinn/secrets/names';
import { makePrivateDirectory } from './directories.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const MAX_STATE_BYTES = 64 * 1024 * 1024;
const PLAIN_NAME = /^\w[\w-]*\.\w+$/;

/** What tools may read outside of the workspace: directories that the user set up for that, and jinn's own files. */
export interface UserFiles {
  /** The user's home; undefined if there is none. */
  readonly home: string | undefined;
  readonly state: StateFiles;
  /**
   * Opens a directory by its absolute path, to read below it. Paths that lead out of it are refused like those that lead
   * out of the workspace. Links in the path of the directory itself are resolved once, here. Returns undefined if it is
   * missing. Throws ToolError if it is not a directory, or has a secret segment, as asked or as resolved. The caller
   * closes it.
   */
  openRoot(path: string): Workspace | undefined;
}

export interface UserFilesOptions {
  readonly home: string | undefined;
  /** The state directory; undefined if there is no home. */
  readonly state: string | undefined;
  /** Directories that cannot be entered from a root above them, as in WorkspaceOptions. */
  readonly closed: readonly string[];
}

/** Opens nothing yet: a call that needs no file of the user pays nothing. */
export function createUserFiles({ home, state, closed }: UserFilesOptions): UserFiles {
  return { home, state: createStateFiles(state), openRoot: (path) => openRoot(path, closed) };
}

function openRoot(path: string, closed: readonly string[]): Workspace | undefined {
  if (!path.startsWith('/') || path.includes('\0')) throw new ToolError('invalid_args', 'not an absolute path');
  if (hasSensitiveSegment(path)) throw secret();
  if (!isThere(path)) return undefined;
  const root = open(path, closed);
  if (!hasSensitiveSegment(root.root)) return root;
  root.close();
  throw secret();
}

/** Asks first: throwing and catching takes longer. */
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

/** Small files in the state directory, by their plain names. */
export interface StateFiles {
  /** The absolute path; undefined if there is no home. No message contains it. */
  readonly directory: string | undefined;
  /** The content of a file; undefined if it is missing. Throws ToolError if it cannot be read or is not a regular file. */
  read(name: string): Buffer | undefined;
  /** Replaces a file as a whole, closed to others (0600). Throws `write_failed` or `permission_denied`. */
  write(name: string, content: string | Uint8Array): void;
}

/** Gives access to the files of a directory, which is made, closed to others, at the first write. */
export function createStateFiles(directory: string | undefined): StateFiles {
  return {
    directory,
    read: (name) => (directory === undefined ? undefined : read(`${directory}/${plain(name)}`, name)),
    write: (name, content) => {
      try {
        if (directory === undefined) throw new Error('neither JINN_CONFIG_DIR nor HOME is set');
        makePrivateDirectory(directory);
        write(`${directory}/${plain(name)}`, content);
      } catch (error) {
        throw directory === undefined ? noHome(name, error) : fromWriteError(error, name);
      }
    },
  };
}

/**
 * Reads a regular file; undefined if there is none. Never waits: a FIFO is opened without blocking, and refused. Links
 * are followed, since the user made them.
 */
function read(path: string, name: string): Buffer | undefined {
  let fd: number;
  try {
    fd = fs.openSync(path, O_RDONLY | O_NONBLOCK);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ToolError('permission_denied', `${name} cannot be read`, { cause });
  }
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw new ToolError('not_a_file', `${name} is not a regular file`);
    if (stat.size > MAX_STATE_BYTES) throw new ToolError('file_too_large', `${name} is larger than 64 MiB`);
    const content = Buffer.allocUnsafe(stat.size);
    return content.subarray(0, fs.readSync(fd, content));
  } finally {
    fs.closeSync(fd);
  }
}

/** Writes a file as a whole. It is not synced: readers check it, and rebuild it if a power loss damaged it. */
function write(path: string, content: string | Uint8Array): void {
  const temp = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  const fd = fs.openSync(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      fs.writeFileSync(fd, content);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temp, path);
  } catch (error) {
    fs.rmSync(temp, { force: true });
    throw error;
  }
}

/**
 * Returns the name of a state file as it is. Security: refuses a name with a path in it, since part of the name may
 * come from a request.
 */
function plain(name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  throw new ToolError('invalid_args', `not the name of a state file: ${name.slice(0, 100)}`);
}

function noHome(name: string, cause: unknown): ToolError {
  return new ToolError('write_failed', `there is no directory for ${name}`, {
    suggestion: 'set JINN_CONFIG_DIR or HOME for jinn',
    cause,
  });
}
