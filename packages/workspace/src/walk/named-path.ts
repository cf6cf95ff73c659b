import fs from 'node:fs';
import type { OpenFile } from '../guard/index.ts';
import { openPlainly } from './read-plainly.ts';

/** The target of a path, with its links followed. */
export interface NamedPath {
  /** The path, absolute and without links. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'special';
}

/**
 * Follows an absolute path that the user of a program named on its command line; undefined if it leads to nothing, or
 * to nothing that the user may see. Security: never for paths that an agent sends; those go through a workspace.
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

/** Opens a file that was located. Throws the system's error, and ToolError if it is not a regular file. */
export function openNamed(path: string, shown: string): OpenFile {
  return openPlainly(path, shown);
}
