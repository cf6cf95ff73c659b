import fs from 'node:fs';
import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { makePrivateDirectory } from '@jinn/workspace';
import { HOME_RUN_FILES, PROJECT_RUN_FILES } from '@jinn/workspace/secrets/run-files';
import { realPath } from '../../index.ts';
import type { CommandView, ConfinedCommandLine, Confinement, SandboxName } from '../confinement.ts';
import type { Mount } from '../git/index.ts';
import { entriesAt, identityAt, toBytePath } from '../git/index.ts';
import { guardRunFiles } from '../workspace/run-files-guard.ts';
import { WorkspaceGuard } from '../workspace/workspace-guard.ts';
import { reachableFifos, reachableSockets } from './endpoints.ts';
import { pinParents } from './pin-parents.ts';
import { privateDirectory, privateReplacements } from './private-directory.ts';
import { existing, secretPlaces, writablePlaces } from './sandbox-places.ts';
import { isWithin, outermost } from './within.ts';

const FOLDER_INSIDE = '/run/tool';
const PROGRAM_INSIDE = '/run/program';
const OUTPUTS_INSIDE = '/run/outputs';
/** A variable may name `/dev/null`, which programs need. */
const DEVICES = ['/dev', '/proc'];

const HOME_WARNING =
  'the workspace holds the home directory, so commands may write nearly everything of the person: only start files of the shell and the desktop are read-only and known secrets hidden; tell the person to start jinn in the directory of a project';

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
      { suggestion: 'ask the person to start jinn in the directory of a project' },
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
  const runFiles = guardRunFiles(
    [
      ...[root, ...guarded.projects].map((top) => ({ top, files: PROJECT_RUN_FILES })),
      ...(isHomeWritable ? [{ top: policy.home as string, files: HOME_RUN_FILES }] : []),
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
      ...pinParents([...pinned, ...runFiles.places], writable),
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
