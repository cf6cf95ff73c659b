import { posix } from 'node:path';
import { branchesAt, follow, isPlace, type PlaceTree, readPlaces, toPlaceTree } from './run-files.ts';
import readTable from './secret-places.table?file';

type Section = 'home' | 'system' | 'distinct' | 'variables' | 'keys' | 'maybe';

let table: string | undefined;
const read = new Map<Section, readonly string[]>();

/** Returns the places in a section of the table. Nothing is read before: most one-shot calls need none. */
export function placesIn(section: Section): readonly string[] {
  const paths = read.get(section) ?? rowsOf(section).flatMap((row) => row.paths);
  read.set(section, paths);
  return paths;
}

function rowsOf(section: Section | 'moved') {
  table ??= readTable();
  return readPlaces(table, section);
}

let home: PlaceTree | undefined;
let system: PlaceTree | undefined;

export function homePlaces(): PlaceTree {
  home ??= toPlaceTree(placesIn('home'));
  return home;
}

export function systemPlaces(): PlaceTree {
  system ??= toPlaceTree(placesIn('system').map((place) => place.slice(1)));
  return system;
}

/** The names with which a path from the home to a place may begin. Each start of a program asks, and the table is read later. */
export const MAY_BE_FIRST = /^$|^[._]|^(library|mail|maildir|monero|snap)$|\.kdbx$/i;

/**
 * Returns what reports whether a path below a root is a secret place of the home, or undefined if none can be. The root is
 * in the home or above it. Both are real paths.
 */
export function homeSecretsBelow(root: string, home: string): ((path: string) => boolean) | undefined {
  const [first = ''] = posix.relative(home, root).split('/');
  if (!MAY_BE_FIRST.test(first)) return undefined;
  return (path) => follow(homePlaces(), posix.relative(home, posix.join(root, path)).split('/')).some(isPlace);
}

export interface VariablePlaces {
  readonly whole: readonly string[];
  readonly moved: readonly { readonly directory: string; readonly tree: PlaceTree }[];
}

/** Finds the secret places that the variables of an environment name. */
export function variablePlaces(environment: Readonly<Record<string, string | undefined>>): VariablePlaces {
  const whole = placesIn('variables')
    .flatMap((name) => (environment[name] ?? '').split(':'))
    .filter(isPath);
  const moved = rowsOf('moved').flatMap(({ by, paths }) => {
    const directory = environment[by] ?? '';
    return isPath(directory) ? paths.flatMap(treesAt).map((tree) => ({ directory, tree })) : [];
  });
  const claude = environment['CLAUDE_CONFIG_DIR'] ?? '';
  return { whole: isPath(claude) ? [...whole, `${claude}/.claude.json`] : whole, moved };
}

function treesAt(place: string): PlaceTree[] {
  const names = place.split('/').filter((name) => name !== '.');
  return names.reduce((at, name) => at.flatMap((tree) => branchesAt(tree, name)), [homePlaces()]);
}

function isPath(value: string): boolean {
  return /^\/+[^/]/.test(value);
}

/** Files next to keys that are there to be given away. */
export const PUBLIC_FILES = String.raw`\.ssh/(authorized_keys|known_hosts[^/]*|[^/]*\.pub)`;
/** A file next to keys that holds none, but names hosts, users and keys. */
export const SSH_SETTINGS = String.raw`\.ssh/config`;

/** Memory and environments of processes, from the root. */
export const PROCESS_FILES = '/proc/[^/]+/(task/[^/]+/)?(environ|mem)|/proc/kcore|/dev/k?mem';
