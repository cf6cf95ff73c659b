import fs from 'node:fs';
import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { makePrivateDirectory } from '@jinn/workspace';
import { HOME_RUN_FILES, PROJECT_RUN_FILES } from '@jinn/workspace/secrets/run-files';
import { realPath } from '../../index.ts';
import type { ConfinedCommandLine, Confinement, SandboxName } from '../confine.ts';
import { identify, listDirectory, type Mount, toBytePath } from '../git/index.ts';
import { guardRunFiles } from '../workspace/run-files-guard.ts';
import { WorkspaceGuard } from '../workspace/workspace-guard.ts';
import { fifosBelow } from './fifos.ts';
import { PRIVATE_DIRECTORIES } from './sandbox-caches.ts';
import { existing, secretPlaces, writablePlaces } from './sandbox-places.ts';
import { pinWays } from './ways.ts';
import { isWithin, outermost } from './within.ts';

const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;

/** The age of copies of git settings that were left by a killed jinn. */
const MAX_COPY_AGE_MS = 24 * 60 * 60 * 1000;

/** Directories that this process has already cleaned. */
const used = new Set<string>();

const FOLDER_INSIDE = '/run/tool';
const PROGRAM_INSIDE = '/run/program';
const OUTPUTS_INSIDE = '/run/outputs';

/** The part of the machine that a command sees. All paths are absolute and real. */
export interface Box {
  readonly cwd: string;
  /** The writable directories, with the workspace; one that holds another comes before it. */
  readonly writable: readonly string[];
  /** The directory at `/tmp` inside; undefined for an empty one that is removed with the command. */
  readonly temporary: string | undefined;
  /** Directories that replace others for commands. */
  readonly replaced: readonly { readonly from: string; readonly to: string }[];
  /** The directory with copies of git settings. */
  readonly settings: string | undefined;
  /** Places in the workspace that are protected, and secrets, in the order in which they are mounted. */
  readonly mounts: readonly Mount[];
  /** Unix sockets that commands may reach. */
  readonly sockets: readonly string[];
  readonly network: boolean;
  /** Directories and files that the command can read although they are hidden, each with its place inside. */
  readonly folders: readonly { readonly path: string; readonly inside: string }[];
}

const HOME_WARNING =
  'the workspace holds the home directory, so commands may write nearly everything of the person: only start files of the shell and the desktop are read-only and known secrets hidden; tell the person to start jinn in the directory of a project';

const guards = new Map<string, WorkspaceGuard>();

function guardOf(root: string, directory: string | undefined): WorkspaceGuard {
  const key = `${root}\0${directory}`;
  const known = guards.get(key) ?? new WorkspaceGuard(root, directory);
  guards.set(key, known);
  return known;
}

/** Decides what a command sees, by the policy and by the present content of the workspace. */
export async function buildBox(
  { root, cwd, policy, network, lasting, folder, program, readable, signal }: Confinement,
  name: SandboxName,
): Promise<{ box: Box } & Pick<ConfinedCommandLine, 'watched' | 'warning' | 'check'>> {
  if (root === '/') throw wholeSystem();
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
  const runFiles = guardRunFiles(
    [
      ...[root, ...guarded.projects].map((top) => ({ top, files: PROJECT_RUN_FILES })),
      ...(isHomeWritable ? [{ top: policy.home as string, files: HOME_RUN_FILES }] : []),
    ],
    policy,
  );
  const ways = [...places, ...secrets].filter((place) => isReachable(place, writable, policy.state));
  const box: Box = {
    cwd,
    writable: [...new Set(writable)].filter(isShown).sort((a, b) => a.length - b.length),
    temporary: own && `${own}/tmp`,
    replaced: own === undefined ? [] : replacements(policy.home, own),
    settings,
    mounts: [
      ...pinWays([...ways, ...runFiles.places], writable),
      ...[...runFiles.mounts, ...guarded.mounts].filter(
        ({ kind, path }) => isShown(path) && !(kind === 'h' && shown.has(path)),
      ),
      ...[...hidden, ...reachableSockets(root, sockets), ...reachableFifos(policy.home, [...hidden, ...writable])].map(
        (path) => hide(path, kept, writable),
      ),
      ...systemFiles(),
      ...covered.map((path): Mount => ({ kind: 's', path: toBytePath(path), id: undefined, target: OUTPUTS_INSIDE })),
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
  const check = async () => [...(await guarded.check()), ...(process.platform === 'linux' ? runFiles.check() : [])];
  return { box, watched, warning: isHomeWritable ? HOME_WARNING : undefined, check };
}

function wholeSystem(): ToolError {
  return new ToolError(
    'command_blocked',
    'the sandbox cannot confine commands to a workspace that is the whole system',
    {
      suggestion: 'ask the person to start jinn in the directory of a project',
    },
  );
}

/**
 * Returns the place inside for the folder of a tool, or for a part of a server. bubblewrap hides directories by mounts
 * over them, so such a place is mounted elsewhere. A program keeps its name, since Node looks for directories called
 * `node_modules`.
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

function isReachable(path: string, writable: readonly string[], state: readonly string[]): boolean {
  return state.includes(path) || writable.some((place) => isWithin(path, place));
}

/**
 * Hides a path, except for the paths below it in `kept`. If commands may write there, the hidden object must be the
 * present one.
 */
function hide(path: string, kept: string | undefined, writable: readonly string[]): Mount {
  const target = kept?.startsWith(`${path}/`) ? { target: toBytePath(kept.slice(path.length + 1)) } : {};
  const id = writable.some((place) => isWithin(path, place)) ? identify(toBytePath(path)) : undefined;
  return { kind: 'h', path: toBytePath(path), id, ...target };
}

function leaveOut(place: string, sockets: readonly string[]): string[] {
  const inside = sockets.filter((socket) => isWithin(socket, place));
  if (inside.length === 0) return [place];
  if (inside.includes(place)) return [];
  return fs.readdirSync(place).flatMap((name) => leaveOut(`${place}/${name}`, sockets));
}

/** A variable may name `/dev/null`, which programs need. */
const DEVICES = ['/dev', '/proc'];
/** Directories inside that show nothing of the machine. */
const OWN_INSIDE = ['/run', '/tmp', '/dev', '/proc'];

function reachableSockets(root: string, allowed: readonly string[]): string[] {
  const shown = unixSockets().filter((path) => ![root, ...OWN_INSIDE].some((place) => isWithin(path, place)));
  return shown.filter((path) => !allowed.includes(path) && isSocketForUser(path));
}

function reachableFifos(home: string | undefined, leftOut: readonly string[]): string[] {
  const real = home === undefined ? undefined : realPath(home);
  if (real === undefined || leftOut.some((place) => isWithin(real, place))) return [];
  return fifosBelow(real, new Set(leftOut));
}

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
 * them writable. For other users there are none.
 */
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
  return depth < PROC_DEPTH && (listDirectory(path) ?? []).some(({ name }) => isWritable(`${path}/${name}`, depth + 1));
}

/**
 * Returns the directory that the sandbox keeps for one workspace from one command to the next: its `/tmp`, its own
 * caches, its record of the workspace. Makes it if it is missing, and removes those of workspaces that were not used
 * for a week. `keep` holds all of them.
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

/**
 * Returns the paths of the Unix sockets of this machine on which somebody listens or receives. The list of the system
 * shows a path as the server wrote it, so that one below another root may be named too.
 */
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
