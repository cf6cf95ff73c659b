import fs from 'node:fs';

/** Returns a path without links; undefined if nothing is there. */
export function realPath(path: string): string | undefined {
  if (!fs.existsSync(path)) return undefined; // Throwing and catching an error would take longer.
  try {
    return fs.realpathSync.native(path);
  } catch {
    return undefined;
  }
}
