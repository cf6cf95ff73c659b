import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { posix } from 'node:path';
import type { SandboxPolicy } from '@jinn/core';
import { isPrivateName } from '@jinn/workspace/secrets/names';
import { branchesAt, homePlaces, type PlaceTree, toPlaceTree } from '@jinn/workspace/secrets/place-tree';
import { SYSTEM_PLACES } from '@jinn/workspace/secrets/places';
import { variablePlaces } from '@jinn/workspace/secrets/variable-places';
import { realPath } from '../../index.ts';
import { CACHES, OTHER_CACHES, pathList } from './sandbox-caches.ts';

/** Directories below the home in which services make sockets, at any time. */
const SOCKET_DIRECTORIES = pathList(`
  .docker/run .docker/desktop .colima .lima .rd .orbstack/run .config/podman .finch .crc
  .local/share/containers/podman/machine .config/containers/podman/machine .multipass .1password .tmux .screen
  .local/share/tmux .emacs.d/server .config/emacs/server .vscode-server/cli .byobu .cache/gpg-agent .cache/ssh-agent
  .local/state/ssh-agent .cache/dconf .dbus .pulse .config/pulse
`);

let socketDirectories: PlaceTree | undefined;

/**
 * Returns the real directories where commands may write, except the workspace and the temporary directory; never the
 * root.
 */
export function writablePlaces({ home, writable }: SandboxPolicy): string[] {
  // On macOS a user's temporary files are not in /tmp, and their caches lie beside them (DARWIN_USER_CACHE_DIR).
  const temporary = process.platform === 'darwin' ? ['/tmp', tmpdir(), posix.join(tmpdir(), '../C')] : [];
  const caches = home === undefined ? [] : existingBelow(home, toPlaceTree([...CACHES, ...OTHER_CACHES]));
  return existing([...temporary, ...caches, ...writable]).filter((path) => path !== '/');
}

/** Returns the places that commands may not read, by the names under which programs find them, which may be links. */
export function secretPlaces({
  home,
  environment = {},
  state,
  hidden,
  ownFiles = [],
  shown = [],
}: SandboxPolicy): string[] {
  const { whole, moved } = variablePlaces(environment);
  const visible = new Set(shown.map(realPath));
  const builtIn = [
    ...SYSTEM_PLACES.filter(isReadable),
    ...[home, ...otherHomes(home)].flatMap((one) => (one === undefined ? [] : secretsBelow(one))),
    ...moved.flatMap(({ directory, tree }) => existingBelow(directory, tree)),
    ...whole,
  ];
  const own = visible.size === 0 ? builtIn : builtIn.filter((path) => !visible.has(realPath(path)));
  return [...new Set([...own, ...state, ...hidden, ...ownFiles])];
}

function secretsBelow(home: string): string[] {
  socketDirectories ??= toPlaceTree(SOCKET_DIRECTORIES);
  return [homePlaces(), socketDirectories].flatMap((tree) => existingBelow(home, tree)).concat(secretNames(home));
}

/**
 * The homes that jinn could read besides HOME: the one that the system has for this user, and for root those of
 * everybody.
 */
function otherHomes(home: string | undefined): string[] {
  const uid = process.getuid?.();
  homes ??= readHomes().flatMap((one) => (uid === 0 || one.uid === uid ? [one.home] : []));
  return homes.filter((one) => one !== home);
}

let homes: readonly string[] | undefined;

function readHomes(): { uid: number; home: string }[] {
  if (!fs.existsSync('/etc/passwd')) return [];
  const lines = fs.readFileSync('/etc/passwd', 'utf8').split('\n');
  const found = lines.map((line) => line.split(':')).map(([, , uid, , , home = '']) => ({ uid: Number(uid), home }));
  return found.filter(({ uid, home }) => (uid === 0 || (uid >= 1000 && uid < 65_534)) && /^\/[^/]/.test(home));
}

/**
 * Finds the places of a tree that are below a directory, and adds the directories on the way to `ways`. Listing it once is
 * far faster than asking for each name.
 */
export function existingBelow(directory: string, tree: PlaceTree, ways: string[] = []): string[] {
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
    if (below.length > 0) ways.push(path);
    return below.flatMap((branch) => existingBelow(path, branch, ways));
  });
}

function isReadable(path: string): boolean {
  if (!fs.existsSync(path)) return false; // Throwing and catching an error would take longer.
  try {
    fs.accessSync(path, fs.constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function secretNames(home: string): string[] {
  try {
    const names = fs.readdirSync(home).filter(isPrivateName);
    return names.map((name) => posix.join(home, name));
  } catch {
    return [];
  }
}

export function existing(paths: readonly string[]): string[] {
  return [...new Set(paths.map(realPath))].filter((path) => path !== undefined);
}
