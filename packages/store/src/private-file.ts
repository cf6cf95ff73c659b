import fs from 'node:fs';

/**
 * Creates an empty file that is closed to others, unless the file exists. SQLite would choose the mode by the umask,
 * and would give the same mode to its log.
 */
export function makePrivateFile(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Closes a file or directory to others. It works by name, never through a descriptor: closing a descriptor would drop
 * the locks that SQLite holds on the file.
 */
export function keepPrivate(file: string, mode: number): void {
  try {
    if ((fs.statSync(file).mode & 0o077) !== 0) fs.chmodSync(file, mode);
  } catch {
    // Some file systems have no modes.
  }
}
