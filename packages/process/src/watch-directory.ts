import fs from 'node:fs';

/**
 * Calls back soon after something directly in a directory was made, changed or removed, and once more if it cannot be
 * watched any longer. Does not keep the process alive. Returns what ends it; undefined if the system watches no more.
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
