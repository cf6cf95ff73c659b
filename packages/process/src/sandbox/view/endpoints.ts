import fs from 'node:fs';
import { realPath } from '../../index.ts';
import { isSettled } from '../is-settled.ts';
import { isWithin } from './within.ts';

const OWN_INSIDE = ['/run', '/tmp', '/dev', '/proc'];

/** The most directories that are looked at, from the top: all of a home would take seconds. */
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

/** Returns the FIFOs in the upper directories of a home, without `leftOut`: read-only mounts do not stop writers. */
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

/** Returns the FIFOs that commands could open below a home, outside of the directories in `leftOut`. */
export function reachableFifos(home: string | undefined, leftOut: readonly string[]): string[] {
  const real = home === undefined ? undefined : realPath(home);
  if (real === undefined || leftOut.some((place) => isWithin(real, place))) return [];
  return fifosBelow(real, new Set(leftOut));
}

/** Returns the Unix sockets of the machine that commands could connect to, except the allowed ones and those in `root`. */
export function reachableSockets(root: string, allowed: readonly string[]): string[] {
  const shown = unixSockets().filter((path) => ![root, ...OWN_INSIDE].some((place) => isWithin(path, place)));
  return shown.filter((path) => !allowed.includes(path) && isSocketForUser(path));
}

/** The list of the system shows a path as the server wrote it, so that one below another root may be named too. */
function unixSockets(): string[] {
  let text: string;
  try {
    text = fs.readFileSync('/proc/net/unix', 'latin1');
  } catch {
    return [];
  }
  const paths = new Set<string>();
  for (const line of text.split('\n')) {
    const at = line.indexOf(' /');
    if (at >= 0) paths.add(line.slice(at + 1));
  }
  return [...paths];
}

function isSocketForUser(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.W_OK);
    return fs.statSync(path).isSocket();
  } catch {
    return false;
  }
}
