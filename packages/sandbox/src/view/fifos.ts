import fs from 'node:fs';

/** No list of the system has the FIFOs, and all of a home would take seconds: the upper directories are looked at. */
const MAX_DIRECTORIES = 100;
const LEFT_OUT = new Set(['.cache', '.git', 'node_modules']);

/** A file system may give two changes within this time the same time stamp. */
const STAMP_MS = 100;

interface Listing {
  readonly dev: number;
  readonly ino: number;
  readonly ctimeMs: number;
  readonly directories: readonly string[];
  readonly fifos: readonly string[];
}

/**
 * Listings hold for as long as the inode and the change time of the directory stay the same. One that was read shortly after a
 * change is not kept: a later change may leave the time as it is.
 */
const listings = new Map<string, Listing>();

/**
 * Returns the FIFOs in the upper directories below a home: a mount that is read-only does not keep anybody from writing to
 * one. `isLeftOut` names the directories that need no look.
 */
export function fifosBelow(home: string, isLeftOut: (directory: string) => boolean): string[] {
  const fifos: string[] = [];
  const todo = [home];
  let looked = 0;
  for (const directory of todo) {
    if (isLeftOut(directory)) continue;
    if (looked++ === MAX_DIRECTORIES) break;
    const listing = look(directory);
    fifos.push(...(listing?.fifos ?? []));
    for (const below of listing?.directories ?? []) todo.push(below);
  }
  return fifos;
}

function look(directory: string): Listing | undefined {
  try {
    const { dev, ino, ctimeMs } = fs.lstatSync(directory);
    const known = listings.get(directory);
    if (known?.dev === dev && known.ino === ino && known.ctimeMs === ctimeMs) return known;
    const isSettled = Date.now() - ctimeMs > STAMP_MS;
    const entries = fs.readdirSync(directory, { withFileTypes: true });
    const pathsOf = (chosen: fs.Dirent[]) => chosen.map(({ name }) => `${directory}/${name}`);
    const listing = {
      dev,
      ino,
      ctimeMs,
      directories: pathsOf(entries.filter((entry) => entry.isDirectory() && !LEFT_OUT.has(entry.name))),
      fifos: pathsOf(entries.filter((entry) => entry.isFIFO())),
    };
    if (isSettled) listings.set(directory, listing);
    return listing;
  } catch {
    return undefined; // It is gone, or closed to us and so to commands.
  }
}
