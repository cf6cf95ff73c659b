import fs from 'node:fs';

/** No list of the system has the FIFOs, and all of a home would take seconds: the upper directories are looked at. */
const MAX_DIRECTORIES = 100;
const LEFT_OUT = new Set(['.cache', '.git', 'node_modules']);

interface Listing {
  readonly ino: number;
  readonly ctimeMs: number;
  readonly directories: readonly string[];
  readonly fifos: readonly string[];
}

/** Listings hold for as long as the inode and the change time of the directory stay the same. */
const listings = new Map<string, Listing>();

/**
 * Returns the FIFOs in the upper directories below a home: a mount that is read-only does not keep anybody from writing to
 * one. `isLeftOut` names the directories that need no look.
 */
export function fifosBelow(home: string, isLeftOut: (directory: string) => boolean): string[] {
  const fifos: string[] = [];
  const todo = [home];
  for (let i = 0; i < todo.length && i < MAX_DIRECTORIES; i++) {
    const listing = look(todo[i] as string);
    fifos.push(...(listing?.fifos ?? []));
    for (const directory of listing?.directories ?? []) if (!isLeftOut(directory)) todo.push(directory);
  }
  return fifos;
}

function look(directory: string): Listing | undefined {
  try {
    const { ino, ctimeMs } = fs.lstatSync(directory);
    const known = listings.get(directory);
    if (known?.ino === ino && known.ctimeMs === ctimeMs) return known;
    const entries = fs.readdirSync(directory, { withFileTypes: true });
    const pathsOf = (chosen: fs.Dirent[]) => chosen.map(({ name }) => `${directory}/${name}`);
    const listing = {
      ino,
      ctimeMs,
      directories: pathsOf(entries.filter((entry) => entry.isDirectory() && !LEFT_OUT.has(entry.name))),
      fifos: pathsOf(entries.filter((entry) => entry.isFIFO())),
    };
    listings.set(directory, listing);
    return listing;
  } catch {
    return undefined; // It is gone, or closed to us and so to commands.
  }
}
