import fs from 'node:fs';
import path from 'node:path';
import { readStart } from '@jinn/workspace';

const MAX_SHEBANG = 256;

/** Returns a path without links, or undefined if nothing is there. */
export function realPath(path: string): string | undefined {
  if (!fs.existsSync(path)) return undefined; // Throwing and catching an error would take longer.
  try {
    return fs.realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/**
 * Finds the programs of this name on a search path. Security: relative directories are skipped, which may be in a
 * workspace.
 */
export function findPrograms(name: string, searchPath: string): string[] {
  return searchPath
    .split(path.delimiter)
    .filter(path.isAbsolute)
    .map((directory) => path.join(directory, name))
    .filter(isExecutable);
}

function isExecutable(file: string): boolean {
  if (!fs.existsSync(file)) return false; // The error for a missing file takes ten times as long.
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the interpreter that the first line of a script names, or nothing if it names none. */
export function interpreterOf(file: string): string[] {
  const [line = ''] = readStart(file, MAX_SHEBANG, { followsLinks: true })?.toString('latin1').split('\n') ?? [];
  return line.startsWith('#!') ? line.slice(2).trim().split(/\s+/).slice(0, 1) : [];
}

/**
 * Returns the paths, relative to `root`, of entries larger than `limit` bytes. It opens nothing and follows no link at
 * the end of a path: it chooses how a file is read, and never whether it may be.
 */
export function findLargeFiles(root: string, paths: readonly string[], limit: number): string[] {
  return paths.filter((path) => {
    try {
      return (fs.lstatSync(`${root}/${path}`, { throwIfNoEntry: false })?.size ?? 0) > limit;
    } catch {
      return false; // The reader of the file reports its error.
    }
  });
}

/**
 * Calls back soon after an entry of a directory was made, changed or removed, and `onEnd` if it cannot be watched any
 * longer. Returns a function that stops it. Undefined if the system has no watch left.
 */
export function watchDirectory(path: string, onChange: () => void, onEnd: () => void): (() => void) | undefined {
  try {
    const watcher = fs.watch(path, { persistent: false }, onChange);
    watcher.once('error', () => {
      watcher.close();
      onEnd();
    });
    return () => watcher.close();
  } catch {
    return undefined;
  }
}
