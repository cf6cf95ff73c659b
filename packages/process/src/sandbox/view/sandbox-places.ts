import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { posix } from 'node:path';
import type { SandboxPolicy } from '@jinn/core';
import { isWithin } from '@jinn/workspace';
import { isPrivateName } from '@jinn/workspace/secrets/names';
import { homePlaces, placesIn, variablePlaces } from '@jinn/workspace/secrets/places';
import { branchesAt, type PlaceTree, toPlaceTree } from '@jinn/workspace/secrets/run-files';
import { realPath } from '../../index.ts';

/**
 * Caches of package managers and compilers below the home, which they check or can make again. Commands may write
 * there. A missing directory is skipped. Security: a directory is not in this list if it holds programs or start-up
 * files that someone runs outside: `.cache` as a whole (corepack, pre-commit, browsers, the prompt of zsh),
 * `.deno/bin`, `.local/share/pnpm`, `.yarn/bin`, `.pub-cache/bin`, `.gradle/init.d`, `.sbt`, `.gem`, `.stack`,
 * `.terraform.d/plugin-cache`, `.npm/_npx`, the code of `torch/hub`, and the pickles of black and pylint.
 */
export const CACHES: readonly string[] = pathList(`
  go-build pip yarn pnpm bun composer typescript vite turbo webpack esbuild ccache sccache clangd gopls golangci-lint
  staticcheck mypy ruff zig jest eslint prettier bazel-disk coursier/v1 cabal/packages fontconfig matplotlib
  huggingface/hub pypoetry/cache pypoetry/artifacts node-gyp nix rebar3
`).map((name) => `.cache/${name}`);

/** The same, outside of `.cache`. */
export const OTHER_CACHES: readonly string[] = pathList(`
  .yarn/berry/cache .cargo/registry .cargo/git go/pkg .m2/repository .ivy2/cache .nuget/packages .composer/cache
  .bundle/cache .hex/packages .pub-cache/hosted .pub-cache/git .cabal/packages .julia/compiled .ccache .conan2/p
  .mypy_cache Library/Caches/pip Library/Caches/go-build Library/Caches/Yarn Library/Caches/deno Library/Caches/pnpm
`);

/**
 * Directories that a program writes as a whole and that also hold files which run later. For commands, each is replaced
 * by a private one, kept for the workspace, that holds the parts which may be shared.
 */
export const PRIVATE_DIRECTORIES: readonly { readonly path: string; readonly shared: readonly string[] }[] = [
  { path: '.npm', shared: ['_cacache'] },
  { path: '.gradle', shared: ['caches'] },
  { path: '.pnpm-store', shared: [] },
  { path: '.local/share/pnpm/store', shared: [] },
  { path: '.cache/uv', shared: [] },
  { path: '.cache/pdm', shared: [] },
  { path: '.cache/deno', shared: [] },
  { path: '.bun/install/cache', shared: [] },
];

/** Splits a list of paths that is written as words. */
function pathList(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Directories below the home in which services make sockets, at any time. */
const SOCKET_DIRECTORIES = pathList(`
  .docker/run .docker/desktop .colima .lima .rd .orbstack/run .config/podman .finch .crc
  .local/share/containers/podman/machine .config/containers/podman/machine .multipass .1password .tmux .screen
  .local/share/tmux .emacs.d/server .config/emacs/server .vscode-server/cli .byobu .cache/gpg-agent .cache/ssh-agent
  .local/state/ssh-agent .cache/dconf .dbus .pulse .config/pulse
`);

let socketDirectories: PlaceTree | undefined;

/**
 * Returns the real directories where commands may write, except the workspace and the temporary directory. Never the
 * root.
 */
export function writablePlaces({ home, writable }: SandboxPolicy): string[] {
  // On macOS a user's temporary files are not in /tmp, and their caches lie next to them (DARWIN_USER_CACHE_DIR).
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
    ...placesIn('system').filter((path) => mayAccess(path, fs.constants.R_OK)),
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

/** Returns the names in a directory, or undefined if it cannot be listed. */
export function namesIn(directory: string): string[] | undefined {
  try {
    return fs.readdirSync(directory);
  } catch {
    return undefined;
  }
}

/**
 * Finds the places of a tree that are below a directory, and adds the directories on the way to `ways`. Listing it once is
 * far faster than asking for each name.
 */
export function existingBelow(
  directory: string,
  tree: PlaceTree,
  { ways = [], list = namesIn }: { readonly ways?: string[]; readonly list?: typeof namesIn } = {},
): string[] {
  const names = list(directory) ?? [];
  return names.flatMap((name) => {
    const path = `${directory}/${name}`;
    const below = branchesAt(tree, name);
    if (below.some(({ isPlace }) => isPlace)) return [path];
    if (below.length > 0) ways.push(path);
    return below.flatMap((branch) => existingBelow(path, branch, { ways, list }));
  });
}

/** Reports whether a path is there and may be accessed in a mode, such as R_OK. */
export function mayAccess(path: string, mode: number): boolean {
  if (!fs.existsSync(path)) return false; // Throwing and catching an error would take longer.
  try {
    fs.accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function secretNames(home: string): string[] {
  const names = namesIn(home) ?? [];
  return names.filter(isPrivateName).map((name) => posix.join(home, name));
}

export function existing(paths: readonly string[]): string[] {
  return [...new Set(paths.map(realPath))].filter((path) => path !== undefined);
}

/** Leaves out paths within another one. */
export function outermost(paths: readonly string[]): string[] {
  const kept: string[] = [];
  for (const path of [...new Set(paths)].sort()) if (!kept.some((place) => isWithin(path, place))) kept.push(path);
  return kept;
}
