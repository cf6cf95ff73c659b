import fs from 'node:fs';
import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { isWithin, makePrivateDirectory } from '@jinn/workspace';
import { runFiles } from '@jinn/workspace/secrets/run-files';
import { realPath } from '../../index.ts';
import type { CommandView, ConfinedCommandLine, Confinement, SandboxName } from '../confinement.ts';
import { entriesAt, identityAt, isSettled, type Mount, toBytePath } from '../git/index.ts';
import { guardRunFiles } from '../workspace/run-files-guard.ts';
import { WorkspaceGuard } from '../workspace/workspace-guard.ts';
import { existing, mayAccess, outermost, PRIVATE_DIRECTORIES, secretPlaces, writablePlaces } from './sandbox-places.ts';

const FOLDER_INSIDE = '/run/tool';
const PROGRAM_INSIDE = '/run/program';
const OUTPUTS_INSIDE = '/run/outputs';
/** A variable may name `/dev/null`, which programs need. */
const DEVICES = ['/dev', '/proc'];

const HOME_WARNING =
  'the workspace contains the home directory, so commands can write nearly all files of the user. Only start files of the shell and the desktop are read-only, and known secrets are hidden. Ask the user to start jinn in the directory of a project';

/** Each workspace has one guard, which learns from command to command. */
const guards = new Map<string, WorkspaceGuard>();

function guardOf(root: string, directory: string | undefined): WorkspaceGuard {
  const key = `${root}\0${directory}`;
  const known = guards.get(key) ?? new WorkspaceGuard(root, directory);
  guards.set(key, known);
  return known;
}

/** Decides what a command sees, by the policy and by the present content of the workspace. */
export async function buildView(
  { root, cwd, policy, network, lasting, folder, program, readable, signal }: Confinement,
  name: SandboxName,
): Promise<{ view: CommandView } & Pick<ConfinedCommandLine, 'watched' | 'warning' | 'check'>> {
  if (root === '/') {
    throw new ToolError(
      'command_blocked',
      'the sandbox cannot confine commands to a workspace that is the whole system',
      { suggestion: 'ask the user to start jinn in the directory of a project' },
    );
  }
  const own = policy.keep === undefined ? undefined : privateDirectory(policy.keep, root);
  const guarded = await guardOf(root, own).guard({ cwd, lasting, signal });
  const { repositories, settings, watched } = guarded;
  const sockets = network ? (policy.sockets ?? []).map(realPath).filter((path) => path !== undefined) : [];
  const writable = [...outermost([root, ...writablePlaces(policy)]), ...repositories];
  for (const state of policy.state) makeIfReachable(state, writable);
  const places = secretPlaces(policy).filter((path) => !DEVICES.some((place) => isWithin(path, place)));
  const secrets = outermost(existing(places)).filter((place) => !isWithin(root, place));
  const hidden = secrets.flatMap((place) => leaveOut(place, sockets));
  const isSplit = (place: string) => program !== undefined && (isWithin(program, place) || isWithin(place, program));
  const path = folder ?? (hidden.some(isSplit) ? undefined : program);
  const kept = readable === undefined ? undefined : realPath(readable);
  // Files that are kept for commands to read, if their own /tmp would lie over them.
  const isCovered = kept !== undefined && isWithin(kept, '/tmp') && !writable.some((place) => isWithin(kept, place));
  const covered = isCovered && name === 'bubblewrap' ? [kept] : [];
  const shown = new Set((policy.shown ?? []).map((path) => toBytePath(realPath(path) ?? path)));
  const isShown = (path: string) => !hidden.some((place) => isWithin(path, place));
  const isHomeWritable = policy.home !== undefined && writable.some((place) => isWithin(policy.home as string, place));
  const guardedFiles = guardRunFiles(
    [
      ...[root, ...guarded.projects].map((top) => ({ top, files: runFiles('projects') })),
      ...(isHomeWritable ? [{ top: policy.home as string, files: runFiles('home') }] : []),
    ],
    policy,
  );
  const pinned = [...places, ...secrets].filter((place) => isReachable(place, writable, policy.state));
  const view: CommandView = {
    cwd,
    writable: [...new Set(writable)].filter(isShown).sort((a, b) => a.length - b.length),
    temporary: own && `${own}/tmp`,
    replaced: own === undefined ? [] : privateReplacements(policy.home, own),
    settings,
    mounts: [
      ...pinParents([...pinned, ...guardedFiles.places], writable),
      ...[...guardedFiles.mounts, ...guarded.mounts].filter(
        ({ kind, path }) => isShown(path) && !(kind === 'h' && shown.has(path)),
      ),
      ...[...hidden, ...reachableSockets(root, sockets), ...reachableFifos(policy.home, [...hidden, ...writable])].map(
        (path) => hide(path, kept, writable),
      ),
      ...systemFiles(),
      ...covered.map((path): Mount => ({ kind: 's', path: toBytePath(path), id: undefined, target: OUTPUTS_INSIDE })),
      ...onlyOwn(root, policy.apart),
    ],
    sockets,
    network,
    folders: [
      ...(path === undefined || (isWithin(path, root) && isShown(path))
        ? []
        : [{ path, inside: placeOf(path, folder, name) }]),
      ...covered.map((path) => ({ path, inside: OUTPUTS_INSIDE })),
    ],
  };
  const check = async () => [...(await guarded.check()), ...(process.platform === 'linux' ? guardedFiles.check() : [])];
  return { view, watched, warning: isHomeWritable ? HOME_WARNING : undefined, check };
}

/**
 * bubblewrap hides directories by mounts over them, so the folder of a tool, or a part of a server, is mounted
 * elsewhere. A program keeps its name, since Node looks for directories called `node_modules`.
 */
function placeOf(path: string, folder: string | undefined, name: SandboxName): string {
  if (name !== 'bubblewrap') return path;
  return path === folder ? FOLDER_INSIDE : `${PROGRAM_INSIDE}/${posix.basename(path)}`;
}

/** Makes a missing directory of jinn's own that commands could make: jinn would believe what they put there. */
function makeIfReachable(state: string, writable: readonly string[]): void {
  if (fs.existsSync(state) || !writable.some((place) => isWithin(state, place))) return;
  try {
    makePrivateDirectory(state);
  } catch {
    // Commands of the same user cannot make it either.
  }
}

/** Reports whether commands could replace a hidden place. The ways to jinn's own places always count. */
function isReachable(path: string, writable: readonly string[], state: readonly string[]): boolean {
  return state.includes(path) || writable.some((place) => isWithin(path, place));
}

/** Hides a path, but not `kept` below it. Where commands may write, the object must be the present one. */
function hide(path: string, kept: string | undefined, writable: readonly string[]): Mount {
  const target = kept?.startsWith(`${path}/`) ? { target: toBytePath(kept.slice(path.length + 1)) } : {};
  const id = writable.some((place) => isWithin(path, place)) ? identityAt(toBytePath(path)) : undefined;
  return { kind: 'h', path: toBytePath(path), id, ...target };
}

/** Hides other workspaces in a directory of workspaces, also later ones. It comes after all other mounts. */
function onlyOwn(root: string, apart: string | undefined): Mount[] {
  if (apart === undefined || !root.startsWith(`${apart}/`)) return [];
  return [{ kind: 'o', path: toBytePath(apart), id: undefined, target: toBytePath(root.slice(apart.length + 1)) }];
}

/** A hidden place is hidden itself or, if commands may reach a socket in it, everything else in it. */
function leaveOut(place: string, sockets: readonly string[]): string[] {
  const inside = sockets.filter((socket) => isWithin(socket, place));
  if (inside.length === 0) return [place];
  if (inside.includes(place)) return [];
  return fs.readdirSync(place).flatMap((name) => leaveOut(`${place}/${name}`, sockets));
}

let ofSystem: readonly Mount[] | undefined;

/** bubblewrap leaves those files of the system in /proc writable that root may write by their mode. */
function systemFiles(): readonly Mount[] {
  if (process.getuid?.() !== 0) return [];
  ofSystem ??= fs
    .readdirSync('/proc', { withFileTypes: true })
    .filter((entry) => !/^\d+$/.test(entry.name) && !entry.isSymbolicLink() && isWritable(`/proc/${entry.name}`))
    .map(({ name }) => ({ kind: 'r', path: `/proc/${name}`, id: undefined }));
  return ofSystem;
}

/** Some of the system's directories are as deep as this, and equal everywhere. */
const PROC_DEPTH = 4;

function isWritable(path: string, depth = 0): boolean {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.isFile() === true && (stat.mode & 0o222) !== 0;
  if (path === '/proc/sys') return true;
  return depth < PROC_DEPTH && (entriesAt(path) ?? []).some(({ name }) => isWritable(`${path}/${name}`, depth + 1));
}

const MAX_LINKS = 40;

/**
 * Returns mounts that keep commands from renaming the directories and links above some places. A command that moves a
 * directory above a hidden place has the place under another name, and can replace it.
 */
function pinParents(places: readonly string[], writable: readonly string[]): Mount[] {
  const links = new Map<string, string | undefined>();
  const names = new Set(places.flatMap((place) => [...ancestorsOf(place, links)].slice(0, -1)));
  const movable = [...names].filter((name) => writable.some((place) => isWithin(posix.dirname(name), place)));
  return movable
    .sort((a, b) => a.length - b.length)
    .map(toBytePath)
    .flatMap((path) => {
      const id = identityAt(path);
      return id === undefined ? [] : [{ kind: 'p', path, id }];
    });
}

/**
 * Lists the directories and links above a place, from the root on, and the place. `known` keeps the targets of links.
 */
function* ancestorsOf(place: string, known: Map<string, string | undefined>): Generator<string> {
  const todo = place.split('/').filter(isName);
  let at = '';
  for (let links = 0; todo.length > 0 && links < MAX_LINKS; ) {
    const name = todo.shift() as string;
    if (name === '..') {
      at = posix.dirname(at);
      continue;
    }
    const here = `${at === '/' ? '' : at}/${name}`;
    yield here;
    if (!known.has(here)) known.set(here, readLink(here));
    const target = known.get(here);
    if (target === undefined) {
      at = here;
      continue;
    }
    links++;
    if (target.startsWith('/')) at = '';
    todo.unshift(...target.split('/').filter(isName));
  }
}

function isName(name: string): boolean {
  return name !== '' && name !== '.';
}

function readLink(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch {
    return undefined; // It is not a link, or is missing.
  }
}

const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_COPY_AGE_MS = 24 * 60 * 60 * 1000;

const used = new Set<string>();

/**
 * Returns the directory below `keep` for one workspace: its `/tmp`, its own caches, its record. Makes it if it is
 * missing, and removes those of workspaces that were not used for a week.
 */
function privateDirectory(keep: string, root: string): string {
  const { dev, ino } = fs.statSync(root, { bigint: true });
  const directory = `${keep}/${dev.toString(36)}-${ino.toString(36)}`;
  if (used.has(directory) && fs.existsSync(directory)) return directory;
  used.add(directory);
  fs.mkdirSync(`${directory}/tmp`, { recursive: true, mode: 0o700 });
  fs.utimesSync(directory, new Date(), new Date());
  prune(keep, MAX_AGE_MS);
  prune(directory, MAX_COPY_AGE_MS, /^git-/);
  return directory;
}

function prune(directory: string, maxAgeMs: number, names = /^/): void {
  for (const name of fs.readdirSync(directory).filter((entry) => names.test(entry))) {
    const path = `${directory}/${name}`;
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (!stat?.isDirectory() || Date.now() - stat.mtimeMs < maxAgeMs) continue;
    fs.rmSync(path, { recursive: true, force: true, maxRetries: 0 });
  }
}

/** Returns private directories, made if missing, to mount over those in the home that also hold programs. */
function privateReplacements(home: string | undefined, own: string): { from: string; to: string }[] {
  if (home === undefined) return [];
  const present = PRIVATE_DIRECTORIES.map((entry) => ({ ...entry, to: realPath(`${home}/${entry.path}`) }));
  return present.flatMap(({ path, shared, to }) => {
    if (to === undefined) return [];
    const from = `${own}/home/${path}`;
    if (!fs.existsSync(from)) fs.mkdirSync(from, { recursive: true, mode: 0o700 });
    const parts = shared.map((name) => `${to}/${name}`).filter((part) => fs.existsSync(part));
    return [{ from, to }, ...parts.map((part) => ({ from: part, to: part }))];
  });
}

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
function reachableFifos(home: string | undefined, leftOut: readonly string[]): string[] {
  const real = home === undefined ? undefined : realPath(home);
  if (real === undefined || leftOut.some((place) => isWithin(real, place))) return [];
  return fifosBelow(real, new Set(leftOut));
}

/** Returns the Unix sockets of the machine that commands could connect to, except the allowed ones and those in `root`. */
function reachableSockets(root: string, allowed: readonly string[]): string[] {
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
  return mayAccess(path, fs.constants.W_OK) && fs.statSync(path, { throwIfNoEntry: false })?.isSocket() === true;
}
