import fs from 'node:fs';

/**
 * Calls back soon after an entry of a directory was made, changed or removed, and once more if the directory cannot be
 * watched any longer. Does not keep the process alive. Returns a function that stops it; undefined if the system has no
 * watch left.
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
