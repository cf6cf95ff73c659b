import fs from 'node:fs';
import path from 'node:path';

/** Systems limit how much a user may watch. */
const MAX_WATCHED = 256;
/** An editor or an installer changes several files at once. */
const QUIET_MS = 80;

/**
 * Calls back some time after something changed in one of these directories or in a folder directly below. A missing
 * directory is awaited in the nearest directory above it. If the system watches nothing, nothing happens. Returns a
 * function that ends the watch. The watch does not keep the process alive.
 */
export function watchFolders(directories: readonly string[], onChange: () => void): () => void {
  let watchers: fs.FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  function notify(): void {
    if (hasEnded) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      restart();
      onChange();
    }, QUIET_MS).unref();
  }
  function stop(): void {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  }
  function restart(): void {
    stop();
    if (hasEnded) return;
    watchers = directories
      .flatMap(placesOf)
      .slice(0, MAX_WATCHED)
      .flatMap((place) => watch(place, notify));
  }
  restart();
  return () => {
    hasEnded = true;
    clearTimeout(timer);
    stop();
  };
}

function placesOf(directory: string): string[] {
  try {
    const entries = fs.readdirSync(directory, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
    return [directory, ...folders.map(({ name }) => `${directory}/${name}`)];
  } catch {
    const above = path.dirname(directory);
    return fs.existsSync(above) || above === '/' ? [above] : placesOf(above).slice(0, 1);
  }
}

function watch(place: string, onChange: () => void): fs.FSWatcher[] {
  try {
    return [fs.watch(place, { persistent: false }, onChange).on('error', () => {})];
  } catch {
    return []; // It is gone, or the system watches nothing more; the next look finds the change.
  }
}
