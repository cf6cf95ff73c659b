import fs from 'node:fs';

const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
/** The age of copies of git settings that were left by a killed jinn. */
const MAX_COPY_AGE_MS = 24 * 60 * 60 * 1000;

/** Directories that this process has already cleaned. */
const used = new Set<string>();

/**
 * Returns the directory that the sandbox keeps for one workspace from one command to the next: its `/tmp`, its own
 * caches, its record of the workspace. Makes it if it is missing, and removes those of workspaces that were not used
 * for a week. `keep` holds all of them.
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
