import fs from 'node:fs';
import { isSettled } from '../is-settled.ts';

/** No list of the system has the FIFOs, and all of a home would take seconds: the upper directories are looked at. */
const MAX_DIRECTORIES = 100;
const LEFT_OUT = new Set(['.cache', '.git', 'node_modules']);

interface Listing {
  /** Of the directory. What is mounted over it has another device, and may have the same inode. */
  readonly dev: number;
  readonly ino: number;
  readonly ctimeMs: number;
  readonly directories: readonly string[];
  readonly fifos: readonly string[];
}

/** Listings hold for as long as the inode and the change time of the directory stay the same. */
const listings = new Map<string, Listing>();

/**
 * Returns the FIFOs in the upper directories below a home: a mount that is read-only does not keep anybody from writing to
 * one. `leftOut` are the directories that need no look, with all that is below them.
 */
export function fifosBelow(home: string, leftOut: ReadonlySet<string>): string[] {
  const fifos: string[] = [];
  const todo = [home];
  let looked = 0;
  for (const directory of todo) {
    if (leftOut.has(directory)) continue;
    if (looked++ === MAX_DIRECTORIES) break;
    const listing = look(directory);
    fifos.push(...(listing?.fifos ?? []));
    for (const below of listing?.directories ?? []) todo.push(below);
  }
  return fifos;
}

function look(directory: string): Listing | undefined {
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
