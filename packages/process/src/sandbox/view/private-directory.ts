import fs from 'node:fs';
import { realPath } from '../../index.ts';
import { PRIVATE_DIRECTORIES } from './sandbox-caches.ts';

const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_COPY_AGE_MS = 24 * 60 * 60 * 1000;

const used = new Set<string>();

/**
 * Returns the directory below `keep` for one workspace: its `/tmp`, its own caches, its record. Makes it if it is
 * missing, and removes those of workspaces that were not used for a week.
 */
export function privateDirectory(keep: string, root: string): string {
  const { dev, ino } = fs.statSync(root, { bigint: true });
  const directory = `${keep}/${dev.toString(36)}-${ino.toString(36)}`;
  if (used.has(directory) && fs.existsSync(directory)) return directory;
  used.add(directory);
  fs.mkdirSync(`${directory}/tmp`, { recursive: true, mode: 0o700 });
  fs.utimesSync(directory, new Date(), new Date());
  prune(keep, MAX_AGE_MS);
  prune(directory, MAX_COPY_AGE_MS, /^git-/);
  return directory;
}

function prune(directory: string, maxAgeMs: number, names = /^/): void {
  for (const name of fs.readdirSync(directory).filter((entry) => names.test(entry))) {
    const path = `${directory}/${name}`;
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (!stat?.isDirectory() || Date.now() - stat.mtimeMs < maxAgeMs) continue;
    fs.rmSync(path, { recursive: true, force: true, maxRetries: 0 });
  }
}

/** Returns private directories, made if missing, to mount over those in the home that also hold programs. */
export function privateReplacements(home: string | undefined, own: string): { from: string; to: string }[] {
  if (home === undefined) return [];
  const present = PRIVATE_DIRECTORIES.map((entry) => ({ ...entry, to: realPath(`${home}/${entry.path}`) }));
  return present.flatMap(({ path, shared, to }) => {
    if (to === undefined) return [];
    const from = `${own}/home/${path}`;
    if (!fs.existsSync(from)) fs.mkdirSync(from, { recursive: true, mode: 0o700 });
    const parts = shared.map((name) => `${to}/${name}`).filter((part) => fs.existsSync(part));
    return [{ from, to }, ...parts.map((part) => ({ from: part, to: part }))];
  });
}
