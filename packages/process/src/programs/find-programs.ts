import fs from 'node:fs';
import path from 'node:path';

/**
 * Finds the programs of this name on a search path, in its order. Security: a relative directory is skipped, since it
 * may lead to a program that somebody put into a workspace.
 */
export function findPrograms(name: string, searchPath: string): string[] {
  return searchPath
    .split(path.delimiter)
    .filter(path.isAbsolute)
    .map((directory) => path.join(directory, name))
    .filter(isExecutable);
}

function isExecutable(file: string): boolean {
  // This is checked first, because the error for a missing file takes ten times as long.
  if (!fs.existsSync(file)) return false;
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
