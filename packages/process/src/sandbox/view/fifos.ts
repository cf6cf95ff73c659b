import fs from 'node:fs';
import { isSettled } from '../is-settled.ts';

/**
 * The most directories that are looked at, from the top: no list of the system has the FIFOs, and all of a home would
 * take seconds.
 */
const MAX_DIRECTORIES = 100;
const LEFT_OUT = new Set(['.cache', '.git', 'node_modules']);

interface Listing {
  /** The device of the directory. A mount over it has another device, and may have the same inode. */
  readonly dev: number;
  readonly ino: number;
  readonly ctimeMs: number;
  readonly directories: readonly string[];
  readonly fifos: readonly string[];
}

/** Listings stay valid while the inode and the change time of the directory stay the same. */
const listings = new Map<string, Listing>();

/**
 * Returns the FIFOs in the upper directories below a home: a read-only mount does not keep anybody from writing to a
 * FIFO. `leftOut` are the directories to skip, with everything below them.
 */
export function fifosBelow(home: string, leftOut: ReadonlySet<string>): string[] {
  const fifos: string[] = [];
  const todo = [home];
  let looked = 0;
  for (const directory of todo) {
    if (leftOut.has(directory)) continue;
    if (looked++ === MAX_DIRECTORIES) break;
    const listing = listFifos(directory);
    fifos.push(...(listing?.fifos ?? []));
    for (const below of listing?.directories ?? []) todo.push(below);
  }
  return fifos;
}

function listFifos(directory: string): Listing | undefined {
  try {
    const stat = fs.lstatSync(directory);
    const { dev, ino, ctimeMs } = stat;
    const known = listings.get(directory);
    if (known?.dev === dev && known.ino === ino && known.ctimeMs === ctimeMs) return known;
    const isKept = isSettled(stat);
    const entries = fs.readdirSync(directory, { withFileTypes: true });
    const pathsOf = (chosen: fs.Dirent[]) => chosen.map(({ name }) => `${directory}/${name}`);
    const listing = {
      dev,
      ino,
      ctimeMs,
      directories: pathsOf(entries.filter((entry) => entry.isDirectory() && !LEFT_OUT.has(entry.name))),
      fifos: pathsOf(entries.filter((entry) => entry.isFIFO())),
    };
    if (isKept) listings.set(directory, listing);
    return listing;
  } catch {
    return undefined; // It is gone, or closed to us and so to commands.
  }
}
