import { posix } from 'node:path';
import { branchesAt, follow, isPlace, type PlaceTree, readPlaces, toPlaceTree } from './run-files.ts';
import TABLE from './secret-places.table';

type Section = 'home' | 'system' | 'distinct' | 'variables' | 'keys' | 'maybe';

/** A member, since the build copies a constant text to each place that uses it. */
const places = { table: TABLE };
const read = new Map<Section, readonly string[]>();

/** Returns the places in a section of the table. Nothing is read before: most one-shot calls need none. */
export function placesIn(section: Section): readonly string[] {
  const paths = read.get(section) ?? readPlaces(places.table, section).flatMap((row) => row.paths);
  read.set(section, paths);
  return paths;
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

/**
 * Returns what reports whether a path below a root is a secret place of the home, or undefined if none can be. The root is
 * in the home or above it. Both are real paths.
 */
export function homeSecretsBelow(root: string, home: string): ((path: string) => boolean) | undefined {
  const [first = ''] = posix.relative(home, root).split('/');
  if (first !== '' && first !== '..' && !holdsPlaces(first)) return undefined;
  return (path) => follow(homePlaces(), posix.relative(home, posix.join(root, path)).split('/')).some(isPlace);
}

/** Reports whether a name may be the first of a place. It looks at the text, since each start of a program asks. */
function holdsPlaces(first: string): boolean {
  const text = places.table.toLowerCase();
  return ['/', ',', '\n'].some((end) => text.includes(` ${first.toLowerCase()}${end}`));
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
  const moved = readPlaces(places.table, 'moved').flatMap(({ by, paths }) => {
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
