import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { posix } from 'node:path';
import { realPath } from '@jinn/process';
import { isHiddenName } from '@jinn/secrets/names';
import { branchesAt, homePlaces, type PlaceTree, toPlaceTree } from '@jinn/secrets/place-tree';
import { SYSTEM_PLACES } from '@jinn/secrets/places';
import type { SandboxPolicy } from '@jinn/tool';
import { CACHES, OTHER_CACHES } from './sandbox-caches.ts';

/** Directories below the home in which services make sockets, at any time. */
const SOCKET_DIRECTORIES = [
  ...['.docker/run', '.docker/desktop', '.colima', '.lima', '.rd', '.orbstack/run', '.config/podman', '.finch', '.crc'],
  ...['.local/share/containers/podman/machine', '.config/containers/podman/machine', '.multipass', '.1password'],
  ...[
    '.tmux',
    '.screen',
    '.local/share/tmux',
    '.emacs.d/server',
    '.config/emacs/server',
    '.vscode-server/cli',
    '.byobu',
  ],
  ...[
    '.cache/gpg-agent',
    '.cache/ssh-agent',
    '.local/state/ssh-agent',
    '.cache/dconf',
    '.dbus',
    '.pulse',
    '.config/pulse',
  ],
];

let socketDirectories: PlaceTree | undefined;

/**
 * Returns the real paths of the directories where commands may write, except the workspace and the temporary directory.
 * The root of the system is never among them.
 */
export function writablePlaces({ home, writable }: SandboxPolicy): string[] {
  // On macOS a user's temporary files are not in /tmp, and their caches lie beside them (DARWIN_USER_CACHE_DIR).
  const temporary = process.platform === 'darwin' ? ['/tmp', tmpdir(), posix.join(tmpdir(), '../C')] : [];
  const caches = home === undefined ? [] : existingBelow(home, toPlaceTree([...CACHES, ...OTHER_CACHES]));
  return existing([...temporary, ...caches, ...writable]).filter((path) => path !== '/');
}

/** Returns the real paths of what commands may not read outside the workspace. */
export function secretPlaces({ home, state, hidden, shown = [] }: SandboxPolicy): string[] {
  socketDirectories ??= toPlaceTree(SOCKET_DIRECTORIES);
  const trees = [homePlaces(), socketDirectories];
  const own = home === undefined ? [] : [...trees.flatMap((tree) => existingBelow(home, tree)), ...secretNames(home)];
  const visible = new Set(shown.map(realPath));
  const builtIn = [...SYSTEM_PLACES.filter(isReadable), ...own];
  return [...existing(builtIn).filter((path) => !visible.has(path)), ...existing([...state, ...hidden])];
}

/** Finds the places of a tree that are below a directory. Listing it once is far faster than asking for each name. */
function existingBelow(directory: string, tree: PlaceTree): string[] {
  let names: string[];
  try {
    names = fs.readdirSync(directory);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const path = `${directory}/${name}`;
    const below = branchesAt(tree, name);
    if (below.some(({ isPlace }) => isPlace)) return [path];
    return below.flatMap((branch) => existingBelow(path, branch));
  });
}

function isReadable(path: string): boolean {
  if (!fs.existsSync(path)) return false; // To throw and catch takes longer.
  try {
    fs.accessSync(path, fs.constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function secretNames(home: string): string[] {
  try {
    const names = fs.readdirSync(home).filter(isHiddenName);
    return names.map((name) => posix.join(home, name));
  } catch {
    return [];
  }
}

function existing(paths: readonly string[]): string[] {
  return [...new Set(paths.map(realPath))].filter((path) => path !== undefined);
}
