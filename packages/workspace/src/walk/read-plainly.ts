import fs from 'node:fs';
import { OpenFile, openToRead } from '../guard/index.ts';

/** Opens a regular file by its path, past the guard: it follows no link at the end and does not wait on a FIFO. */
export function openPlainly(path: string, shown = path): OpenFile {
  return OpenFile.adopt(openToRead(path), shown, shown);
}

/** Follows links, since the user made them. Otherwise it is like `openPlainly`. */
export function openOfUser(path: string, shown = path): OpenFile {
  return OpenFile.adopt(openToRead(path, { followsLinks: true }), shown, shown);
}

/** Reads a whole file and closes it, or undefined if it has more bytes than the limit. */
export function readUpTo(file: OpenFile, limit: number): Buffer | undefined {
  try {
    return file.size <= limit ? file.slice(0, file.size) : undefined;
  } finally {
    file.close();
  }
}

export interface NamedPath {
  /** Absolute and without links. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'special';
}

/** Undefined if it points to nothing that the user may see. Security: never for paths that an agent sends. */
export function locateNamed(path: string): NamedPath | undefined {
  try {
    const real = fs.realpathSync.native(path);
    const stat = fs.statSync(real);
    return { path: real, kind: stat.isDirectory() ? 'directory' : stat.isFile() ? 'file' : 'special' };
  } catch {
    return undefined;
  }
}
