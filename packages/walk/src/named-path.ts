import fs from 'node:fs';
import { OpenFile } from '@jinn/core';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** What a path stands for, its links followed. */
export interface NamedPath {
  /** Absolute, without links. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'special';
}

/**
 * Follows an absolute path that the user of a program named on its command line; undefined when nothing is there, or
 * nothing that may be seen. Security: never for paths that an agent sends; those go through a workspace.
 */
export function locateNamed(path: string): NamedPath | undefined {
  try {
    const real = fs.realpathSync.native(path);
    const stat = fs.statSync(real);
    return { path: real, kind: stat.isDirectory() ? 'directory' : stat.isFile() ? 'file' : 'special' };
  } catch {
    return undefined;
  }
}

/** Opens a file that was located; throws the system's error, and ToolError for what is no regular file. */
export function openNamed(path: string, shown: string): OpenFile {
  return OpenFile.adopt(fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), shown, shown);
}
