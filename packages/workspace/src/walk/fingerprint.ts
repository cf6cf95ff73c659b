import fs from 'node:fs';
import type { OpenDirectory, Workspace } from '../guard/index.ts';

/** Clocks of file systems that are finer than a second stand still for up to 10 ms. */
const TICK_MS = 50;
const COARSE_TICK_MS = 2_100;
const QUIET = { throwIfNoEntry: false } as const;

/** Shows whether an entry changed: writes and new names move the time of change, which no program can set. */
export type Fingerprint = readonly [ino: number, size: number, mtimeMs: number, ctimeMs: number];

/** Of a link, the link itself. Undefined if it is missing, or so fresh that a later change could have the same time. */
export function fingerprintIn(directory: OpenDirectory, name: string): Fingerprint | undefined {
  return directory.within((prefix) => take(`${prefix}/${name}`));
}

/** The same for a path below the workspace root, with its links resolved. */
export function fingerprintOf(workspace: Workspace, path: string): Fingerprint | undefined {
  return take(`${workspace.root}/${path}`);
}

/**
 * Reports whether a path below the workspace root, with its links resolved, still has the fingerprint at `at` in
 * `fingerprints`. Security: it looks by path, in a third of the time of a guarded walk. A link that was swapped in
 * points to another inode, and nothing but true or false is returned.
 */
export function isUnchanged(root: string, path: string, fingerprints: ArrayLike<number>, at = 0): boolean {
  const stat = statOf(`${root}/${path}`);
  return (
    stat !== undefined &&
    stat.ctimeMs === fingerprints[at + 3] &&
    stat.mtimeMs === fingerprints[at + 2] &&
    stat.size === fingerprints[at + 1] &&
    stat.ino === fingerprints[at]
  );
}

/** Reports whether anything, even a link, is at a path below the workspace root. Never throws. */
export function isThere(workspace: Workspace, path: string): boolean {
  return statOf(`${workspace.root}/${path}`) !== undefined;
}

function take(path: string): Fingerprint | undefined {
  const stat = statOf(path);
  if (!stat) return undefined;
  const tick = Number.isInteger(stat.ctimeMs / 1000) ? COARSE_TICK_MS : TICK_MS;
  if (stat.ctimeMs > Date.now() - tick) return undefined;
  return [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs];
}

function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(path, QUIET);
  } catch {
    return undefined; // A directory on the way is none any more, or closed to us.
  }
}
