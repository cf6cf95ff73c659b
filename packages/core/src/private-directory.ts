import fs from 'node:fs';
import path from 'node:path';

/**
 * Makes a directory that is closed to others (0700), and the missing ones above it. Throws the system's own error.
 * Node's recursive `mkdir` does not end where a parent exists but refuses new entries with ENOENT, as /proc does.
 */
export function makePrivateDirectory(directory: string): void {
  if (isDirectory(directory) || tryMake(directory)) return;
  makePrivateDirectory(path.dirname(directory));
  if (!isDirectory(directory)) makeOne(directory);
}

function isDirectory(directory: string): boolean {
  return fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** False if the parent is missing, or seems to be. */
function tryMake(directory: string): boolean {
  try {
    makeOne(directory);
    return true;
  } catch (error) {
    const isRoot = path.dirname(directory) === directory;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !isRoot) return false;
    throw error;
  }
}

function makeOne(directory: string): void {
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isDirectory(directory)) throw error;
  }
}
