import fs from 'node:fs';
import { posix } from 'node:path';
import type { Mount } from '@jinn/git';
import { listDirectory, toBytePath } from '@jinn/git';
import { realPath } from '@jinn/process';
import type { ConfinedCommandLine, Confinement, SandboxName } from '../confine.ts';
import { WorkspaceGuard } from '../workspace/workspace-guard.ts';
import { privateDirectory } from './private-directory.ts';
import { PRIVATE_DIRECTORIES } from './sandbox-caches.ts';
import { secretPlaces, writablePlaces } from './sandbox-places.ts';
import { isSocketForUser, unixSockets } from './unix-sockets.ts';

const FOLDER_INSIDE = '/run/tool';
const PROGRAM_INSIDE = '/run/program';

/** What a command sees of the machine. All paths are absolute and real. */
export interface Box {
  readonly cwd: string;
  /** The workspace among them; what holds another comes before it. */
  readonly writable: readonly string[];
  /** What lies at `/tmp` inside; undefined for an empty directory that goes with the command. */
  readonly temporary: string | undefined;
  /** Directories that commands see in the place of others. */
  readonly replaced: readonly { readonly from: string; readonly to: string }[];
  /** The directory with copies of git settings. */
  readonly settings: string | undefined;
  /** Places in the workspace that are protected, and secrets, in the order in which they are mounted. */
  readonly mounts: readonly Mount[];
  /** Unix sockets that commands may reach. */
  readonly sockets: readonly string[];
  readonly network: boolean;
  /** A directory or file that the command can read although it is hidden, with its place inside. */
  readonly folder: { readonly path: string; readonly inside: string } | undefined;
}

const guards = new Map<string, WorkspaceGuard>();

/** Returns the guard of a workspace. Each workspace has one, which learns from command to command. */
function guardOf(root: string, directory: string | undefined): WorkspaceGuard {
  const key = `${root}\0${directory}`;
  const known = guards.get(key) ?? new WorkspaceGuard(root, directory);
  guards.set(key, known);
  return known;
}

/** Decides what a command sees, by the policy and by what the workspace holds now. */
export function buildBox(
  { root, cwd, policy, network, lasting, folder, program, readable }: Confinement,
  name: SandboxName,
): { box: Box } & Pick<ConfinedCommandLine, 'watched' | 'check'> {
  const own = policy.keep === undefined ? undefined : privateDirectory(policy.keep, root);
  const { mounts, repositories, settings, watched, check } = guardOf(root, own).guard({ cwd, lasting });
  const sockets = network ? (policy.sockets ?? []).map(realPath).filter((path) => path !== undefined) : [];
  const secrets = outermost(secretPlaces(policy)).filter((place) => !isWithin(root, place));
  const hidden = secrets.flatMap((place) => leaveOut(place, sockets));
  const isSplit = (place: string) => program !== undefined && (isWithin(program, place) || isWithin(place, program));
  const path = folder ?? (hidden.some(isSplit) ? undefined : program);
  const kept = readable === undefined ? undefined : realPath(readable);
  const shown = new Set((policy.shown ?? []).map(realPath));
  const isShown = (path: string) => !hidden.some((place) => isWithin(path, place));
  const writable = [...outermost([root, ...writablePlaces(policy)]), ...repositories];
  const box: Box = {
    cwd,
    writable: [...new Set(writable)].filter(isShown).sort((a, b) => a.length - b.length),
    temporary: own && `${own}/tmp`,
    replaced: own === undefined ? [] : replacements(policy.home, own),
    settings,
    mounts: [
      ...mounts.filter(({ kind, path }) => isShown(path) && !(kind === 'h' && shown.has(path))),
      ...[...hidden, ...reachableSockets(root, sockets)].map((path) => hide(path, kept)),
      ...systemFiles(),
    ],
    sockets,
    network,
    folder: path === undefined || isWithin(path, root) ? undefined : { path, inside: placeOf(path, folder, name) },
  };
  return { box, watched, check };
}

/**
 * Returns the place inside of the folder of a tool, or of what a server is made of. bubblewrap hides directories by mounts over
 * them, and mounts it elsewhere. A program keeps its name, since Node looks for directories called `node_modules`.
 */
function placeOf(path: string, folder: string | undefined, name: SandboxName): string {
  if (name !== 'bubblewrap') return path;
  return path === folder ? FOLDER_INSIDE : `${PROGRAM_INSIDE}/${posix.basename(path)}`;
}

/** Hides a path. What lies below `kept` stays readable. */
function hide(path: string, kept: string | undefined): Mount {
  const target = kept?.startsWith(`${path}/`) ? { target: toBytePath(kept.slice(path.length + 1)) } : {};
  return { kind: 'h', path: toBytePath(path), id: undefined, ...target };
}

/**
 * Returns what to hide of a hidden place: all of it or, if it has a socket in it that may be reached, all else in it.
 */
function leaveOut(place: string, sockets: readonly string[]): string[] {
  const inside = sockets.filter((socket) => isWithin(socket, place));
  if (inside.length === 0) return [place];
  if (inside.includes(place)) return [];
  return fs.readdirSync(place).flatMap((name) => leaveOut(`${place}/${name}`, sockets));
}

/** Directories where nothing of the machine is to be seen inside. */
const OWN_INSIDE = ['/run', '/tmp', '/dev', '/proc'];

function reachableSockets(root: string, allowed: readonly string[]): string[] {
  const shown = unixSockets().filter((path) => ![root, ...OWN_INSIDE].some((place) => isWithin(path, place)));
  return shown.filter((path) => !allowed.includes(path) && isSocketForUser(path));
}

/**
 * Returns own directories to mount in the place of those that also hold programs, as far as the home has those. Makes
 * the own ones that are missing.
 */
function replacements(home: string | undefined, own: string): { from: string; to: string }[] {
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

let ofSystem: readonly Mount[] | undefined;

/**
 * Returns read-only mounts of the files of the system in /proc that root, by their mode, may write; bubblewrap leaves
 * them so. For other users there are none.
 */
function systemFiles(): readonly Mount[] {
  if (process.getuid?.() !== 0) return [];
  ofSystem ??= fs
    .readdirSync('/proc', { withFileTypes: true })
    .filter((entry) => !/^\d+$/.test(entry.name) && !entry.isSymbolicLink() && isWritable(`/proc/${entry.name}`))
    .map(({ name }) => ({ kind: 'r', path: `/proc/${name}`, id: undefined }));
  return ofSystem;
}

/** Some of the system's directories are as deep as this, and the same all over. */
const PROC_DEPTH = 4;

function isWritable(path: string, depth = 0): boolean {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.isFile() === true && (stat.mode & 0o222) !== 0;
  if (path === '/proc/sys') return true;
  return depth < PROC_DEPTH && (listDirectory(path) ?? []).some(({ name }) => isWritable(`${path}/${name}`, depth + 1));
}

/** Leaves out what lies within another. */
function outermost(paths: readonly string[]): string[] {
  const kept: string[] = [];
  for (const path of [...new Set(paths)].sort()) if (!kept.some((place) => isWithin(path, place))) kept.push(path);
  return kept;
}

export function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(place === '/' ? '/' : `${place}/`);
}
