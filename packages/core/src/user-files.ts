import fs from 'node:fs';
import { ToolError } from './errors.ts';
import { hasSensitiveSegment } from './sensitive.ts';
import { createStateFiles, type StateFiles } from './state-files.ts';
import { fromSystemError } from './system-error.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

/** What may be reached outside the workspace, for reading: directories that the user set up for it, and jinn's own files. */
export interface UserFiles {
  /** The user's home; undefined when there is none. */
  readonly home: string | undefined;
  readonly state: StateFiles;
  /**
   * Opens a directory, by its absolute path, to read below it: what leads out of it is refused like what leads out of
   * the workspace. Its own links are resolved once, here. Gives undefined when it is missing. Throws ToolError for one
   * that is no directory, or that has a secret segment, as asked or as resolved. The caller closes it.
   */
  openRoot(path: string): Workspace | undefined;
}

export interface UserFilesOptions {
  readonly home: string | undefined;
  /** The directory of jinn's own files; undefined when there is no home. */
  readonly state: string | undefined;
  /** Directories that no root may lead into from above, as in WorkspaceOptions. */
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

/** To throw and catch is dearer than to ask. */
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
