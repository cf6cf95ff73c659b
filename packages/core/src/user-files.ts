import fs from 'node:fs';
import { ToolError } from './errors.ts';
import { hasSensitiveSegment } from './sensitive.ts';
import { createStateFiles, type StateFiles } from './state-files.ts';
import { fromSystemError } from './system-error.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

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
