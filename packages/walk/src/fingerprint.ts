import fs from 'node:fs';
import type { OpenDirectory, Workspace } from '@jinn/core';

/** The clocks of file systems that have one finer than a second stand still for up to a hundredth of one. */
const TICK_MS = 50;
const COARSE_TICK_MS = 2_100;
const QUIET = { throwIfNoEntry: false } as const;

/**
 * What a file or directory was: inode, size, times of modification and of change in milliseconds. Whatever is written
 * to a file, or named in a directory, moves the last one, which no program can set.
 */
export type Fingerprint = readonly [ino: number, size: number, mtimeMs: number, ctimeMs: number];

/**
 * The fingerprint of what has this name in a directory; of a link, of the link itself. Undefined when it is missing,
 * or so fresh that a change after this could bear the same time.
 */
export function fingerprintIn(directory: OpenDirectory, name: string): Fingerprint | undefined {
  return directory.within((prefix) => take(`${prefix}/${name}`));
}

/** The same for a path below the root, its links resolved. */
export function fingerprintOf(workspace: Workspace, path: string): Fingerprint | undefined {
  return take(`${workspace.root}/${path}`);
}

/**
 * True while a path below the root, its links resolved, is what it was: `fingerprints` has the four numbers from `at` on.
 * Security: asked by name, in a third of the time that a guarded walk would take. A link swapped in on the way leads to
 * another inode, and nothing but that answer comes back.
 */
export function isUnchanged(root: string, path: string, fingerprints: ArrayLike<number>, at = 0): boolean {
  const stat = look(`${root}/${path}`);
  return (
    stat !== undefined &&
    stat.ctimeMs === fingerprints[at + 3] &&
    stat.mtimeMs === fingerprints[at + 2] &&
    stat.size === fingerprints[at + 1] &&
    stat.ino === fingerprints[at]
  );
}

function take(path: string): Fingerprint | undefined {
  const stat = look(path);
  if (!stat) return undefined;
  const tick = Number.isInteger(stat.ctimeMs / 1000) ? COARSE_TICK_MS : TICK_MS;
  if (stat.ctimeMs > Date.now() - tick) return undefined;
  return [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs];
}

function look(path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(path, QUIET);
  } catch {
    return undefined; // Something on the way is no directory any more, or closed to us.
  }
}
