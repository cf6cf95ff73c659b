import fs from 'node:fs';
import { type SandboxPolicy, ToolError } from '@jinn/core';
import { bubblewrapArguments, findBubblewrap, viewNumbers } from './bubblewrap.ts';
import { type BytePath, listDirectory, toBytePath, toText } from './byte-path.ts';
import type { Undone } from './git-check.ts';
import type { Mount } from './git-units.ts';
import { privateDirectory } from './private-directory.ts';
import { realPath } from './real-path.ts';
import { PRIVATE_DIRECTORIES } from './sandbox-caches.ts';
import { secretPlaces, writablePlaces } from './sandbox-places.ts';
import { VIEW_SCRIPT } from './sandbox-view-script.ts';
import { findSeatbelt, seatbeltArguments } from './seatbelt.ts';
import { findBash, findPerl, startCommand } from './start-command.ts';
import { isSocketForUser, unixSockets } from './unix-sockets.ts';
import { WorkspaceGuard } from './workspace-guard.ts';

export type SandboxName = 'none' | 'bubblewrap' | 'sandbox-exec';

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
}

/** A program that confines another, as found on this machine; `why` says why there is none. */
export type Sandbox =
  | { readonly name: 'bubblewrap' | 'sandbox-exec'; readonly program: string; readonly works: true }
  | { readonly name: 'none'; readonly works: false; readonly why: string };

export interface Confinement {
  /** The workspace and the directory to start in, by their real paths. */
  readonly root: string;
  readonly cwd: string;
  readonly policy: SandboxPolicy;
  readonly network: boolean;
  /** True for a command that may run on after the answer: repositories are read-only for it. */
  readonly lasting: boolean;
}

/** A command line with the sandbox in front. */
export interface Confined {
  readonly sandbox: SandboxName;
  readonly argv: readonly string[];
  /** How bubblewrap's view is built; for startCommand. */
  readonly view: readonly string[];
  /** Places that the command cannot change or read, by their real paths. */
  readonly protectedPlaces: readonly string[];
  /** Repositories in which no `commondir` may appear. */
  readonly watched: readonly BytePath[];
  /** To be called when the command has ended: undoes what would turn git against the person. */
  readonly check: () => Undone[];
}

/**
 * Puts the sandbox of the system in front of a command, as the policy says (docs/shell.md, "Sandbox"). Throws
 * `command_blocked` when one is required, or the network is to be left out, and there is none that works.
 */
export async function confine(argv: readonly string[], confinement: Confinement): Promise<Confined> {
  const { policy, network } = confinement;
  const free: Confined = { sandbox: 'none', argv, view: [], protectedPlaces: [], watched: [], check: () => [] };
  if (policy.mode === 'off') {
    if (!network) throw refusal('running without the network needs the sandbox, which is off', 'auto');
    return free;
  }
  const sandbox = await findSandbox({ network });
  if (sandbox.works) return putInFront(sandbox, argv, confinement);
  if (policy.mode === 'require') throw refusal(`no sandbox works here: ${sandbox.why}`, 'off');
  if (!network)
    throw refusal(`running without the network needs a sandbox, and none works here: ${sandbox.why}`, 'off');
  return free;
}

function putInFront(
  { name, program }: Extract<Sandbox, { works: true }>,
  argv: readonly string[],
  confinement: Confinement,
): Confined {
  const { box, watched, check } = toBox(confinement);
  return {
    sandbox: name,
    argv: [...commandLine({ name, program }, box), ...argv],
    view: name === 'bubblewrap' ? toView(box.mounts) : [],
    protectedPlaces: box.mounts.map(({ path }) => toText(path)),
    watched,
    check,
  };
}

const found = new Map<boolean, Promise<Sandbox>>();

/** Finds the sandbox of this system and runs it once to see that it works; the answer is kept. */
export function findSandbox({ network }: { network: boolean }): Promise<Sandbox> {
  const known = found.get(network);
  if (known !== undefined) return known;
  const asked = tryOut(network);
  found.set(network, asked);
  return asked;
}

async function tryOut(network: boolean): Promise<Sandbox> {
  const name = process.platform === 'darwin' ? 'sandbox-exec' : 'bubblewrap';
  const program = name === 'bubblewrap' ? findBubblewrap() : findSeatbelt();
  const none = (why: string) => ({ name: 'none', works: false, why }) as const;
  if (program === undefined) return none(`${name} is not installed`);
  if (name === 'bubblewrap' && findPerl() === undefined) return none('perl is not installed');
  if (name === 'bubblewrap' && viewNumbers() === undefined) return none(`not made for ${process.arch}`);
  const sandbox = { name, program, works: true } as const;
  const mounts: Mount[] = [{ kind: 'h', path: '/etc/passwd', id: undefined }];
  const rest = { temporary: undefined, replaced: [], settings: undefined, sockets: [] };
  const box: Box = { cwd: '/', writable: [], mounts, network, ...rest };
  const argv = [...commandLine(sandbox, box), findBash() ?? '/bin/sh', '-c', TRIAL];
  const said: string[] = [];
  const view = name === 'bubblewrap' ? toView(mounts) : [];
  const { ended } = startCommand({ argv, cwd: '/', environment: {}, stdin: undefined, view }, (_, chunk) => {
    said.push(chunk.toString());
  });
  const exitCode = await ended.then(
    (end) => end.exitCode,
    (error: unknown) => said.push((error as Error).message),
  );
  return exitCode === 0 ? sandbox : none(said.join('').trim().slice(0, 300) || `${name} does not confine`);
}

/** Fails where a command could still write what it may not, read what is hidden, or see the processes outside. */
const TRIAL = `[ ! -w /usr ] && { [ ! -e /proc/self ] || { [ $$ -lt 16 ] && ! cat /etc/passwd; }; } > /dev/null 2>&1`;

function commandLine({ name, program }: { name: SandboxName; program: string }, box: Box): string[] {
  return [program, ...(name === 'bubblewrap' ? bubblewrapArguments(box) : seatbeltArguments(box))];
}

function toView(mounts: readonly Mount[]): string[] {
  const places = mounts.flatMap(({ kind, id = '-', path, target = '' }) => [kind, id, path, target]);
  return [VIEW_SCRIPT, viewNumbers() ?? '', ...places];
}

const guards = new Map<string, WorkspaceGuard>();

/** One for each workspace, which learns from command to command. */
function guardOf(root: string, directory: string | undefined): WorkspaceGuard {
  const key = `${root}\0${directory}`;
  const known = guards.get(key) ?? new WorkspaceGuard(root, directory);
  guards.set(key, known);
  return known;
}

function toBox({
  root,
  cwd,
  policy,
  network,
  lasting,
}: Confinement): { box: Box } & Pick<Confined, 'watched' | 'check'> {
  const own = policy.keep === undefined ? undefined : privateDirectory(policy.keep, root);
  const { mounts, repositories, settings, watched, check } = guardOf(root, own).guard({ cwd, lasting });
  const sockets = network ? (policy.sockets ?? []).map(realPath).filter((path) => path !== undefined) : [];
  const secrets = outermost(secretPlaces(policy)).filter((place) => !isWithin(root, place));
  const hidden = secrets.flatMap((place) => leaveOut(place, sockets));
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
      ...[...hidden, ...reachableSockets(root, sockets)].map(hide),
      ...systemFiles(),
    ],
    sockets,
    network,
  };
  return { box, watched, check };
}

function hide(path: string): Mount {
  return { kind: 'h', path: toBytePath(path), id: undefined };
}

/** A hidden directory with a socket in it that may be reached: all else in it is hidden. */
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

/** Own directories in the place of those that also hold programs, for a home that has them. */
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

/** For root, the files of the system in /proc are writable by their mode; bubblewrap leaves them so. */
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

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(place === '/' ? '/' : `${place}/`);
}

function refusal(message: string, otherMode: string): ToolError {
  return new ToolError('command_blocked', message, {
    suggestion: `ask the user: jinn --doctor says what is missing; with --sandbox=${otherMode} it runs otherwise`,
  });
}
