import fs from 'node:fs';
import { posix } from 'node:path';
import { isWithin } from '@jinn/workspace';
import { runFiles } from '@jinn/workspace/secrets/run-files';
import type { ProtectedPlace } from './confinement.ts';
import { CACHES, mayAccess, OTHER_CACHES } from './view/sandbox-places.ts';
import { OPENING } from './workspace/run-files-guard.ts';

/** Something that, by the output, failed because the sandbox did not allow it. */
export interface Denial {
  /** A path, `network`, or a socket. */
  readonly place: string;
  readonly setting?: string;
  readonly why: string;
}

export interface DenialContext {
  readonly cwd: string;
  readonly network: boolean;
  /** False if the settings, and not the call, block the network. */
  readonly isNetworkAllowed: boolean;
  readonly protectedPlaces: readonly ProtectedPlace[];
  readonly root: string;
  readonly home: string | undefined;
}

const MAX_OUTPUT = 64 * 1024;
const MAX_DENIALS = 5;
const FAILED =
  /read-only file system|EROFS|permission denied|EACCES|EPERM|operation not permitted|device or resource busy|EBUSY|invalid cross-device link|EXDEV/i;
const READ_ONLY = /read-only file system|EROFS/i;
/** What programs say that do not tell a file that they may not read from one that is missing. */
const UNREAD =
  /not found|no such file|ENOENT|not exist|(?:could not|cannot|can't|failed to|unable to) (?:open|read|load|find)/i;
const NETWORK =
  /could not resolve host|temporary failure in name resolution|name or service not known|network is unreachable|ENETUNREACH|EAI_AGAIN|ENOTFOUND|getaddrinfo|no route to host|failed to lookup address|dial tcp/i;
const SOCKET =
  /(?:docker daemon at |unix:\/\/|unix:|error connecting to |connect(?:ion)? .{0,40}?)(\/[\w.@/-]+(?:sock(?:et)?|tmux-\d+\/[\w-]+|S\.[\w.-]+|\.s\.PGSQL\.\d+))/i;
const MODE =
  /(?:changing permissions of|setting permissions|Cannot change mode|chmod|fchmod)\b.{0,200}operation not permitted/i;
const AGENT =
  /could not open a connection to your authentication agent|no ssh-agent|can't connect to the (?:gpg-)?agent|failed to connect to (?:the )?bus|cannot autolaunch d-bus/i;
/** The messages of git and Chromium that do not name the place that they could not write. */
const UNPACKED = /unable to create temporary object directory[\s\S]{0,2000}?^To (?:file:\/\/)?([.\w/~-][^\n:]*)$/m;
const PROFILE = /failed to create (?:a unique |headless )*user data directory/i;
const NAMELESS: Denial = {
  place: 'the profile of the browser',
  setting: '--user-data-dir=/tmp/profile in the command',
  why: 'commands cannot write where it usually is',
};
const PATHS = /['"‘`]([^'"’`\n]{1,400})['"’`]|(?:^|[\s:(])((?:\.{0,2}\/)?[\w.@%+~-][\w.@%+~/-]*)(?=:|\s*$|[\s,)])/g;

/** Finds, at the end of an output, what the sandbox refused. The messages of programs are the only sign of it. */
export function findDenials(output: string, denying: DenialContext): Denial[] {
  const denials = new Map<string, Denial>();
  for (const line of output.slice(-MAX_OUTPUT).split('\n')) {
    const denial = line.length < 2_000 ? parseDenial(line, denying) : undefined;
    if (denial && !denials.has(denial.place)) denials.set(denial.place, denial);
    if (denials.size === MAX_DENIALS) break;
  }
  const [, repository] = UNPACKED.exec(output.slice(-MAX_OUTPUT)) ?? [];
  const pushed = repository === undefined ? undefined : ofUnwritable(posix.resolve(denying.cwd, repository), denying);
  return [...denials.values(), ...(pushed ? [pushed] : [])];
}

function parseDenial(line: string, denying: DenialContext): Denial | undefined {
  if (!denying.network && NETWORK.test(line)) {
    const setting = denying.isNetworkAllowed ? 'network: true in the call' : '"network": true in config.json';
    return { place: 'network', setting, why: 'the command runs without the network' };
  }
  const socket = SOCKET.exec(line)?.[1];
  // A socket that does not exist outside either is not missing because of the sandbox.
  if (socket !== undefined && fs.existsSync(socket)) return ofSocket(posix.normalize(socket));
  if (AGENT.test(line)) return ofSocket('the socket of an agent');
  if (PROFILE.test(line)) return NAMELESS;
  const denied = FAILED.test(line) || UNREAD.test(line) ? ofPath(line, denying) : undefined;
  return denied ?? (MODE.test(line) ? SET_ID : undefined);
}

const SET_ID: Denial = {
  place: 'the mode of a file',
  why: 'commands cannot make a file that runs as its owner or group (set-user-ID, set-group-ID)',
};

function ofSocket(place: string): Denial {
  return {
    place,
    setting: '"sandbox": {"sockets": […]} in config.json',
    why: 'sockets outside the workspace are not reachable',
  };
}

function ofPath(line: string, denying: DenialContext): Denial | undefined {
  const { cwd, protectedPlaces } = denying;
  const places = FAILED.test(line) ? protectedPlaces : protectedPlaces.filter(({ kind }) => kind === 'h');
  for (const name of pathsIn(line)) {
    const path = posix.resolve(cwd, name);
    const isIn = (known: ProtectedPlace) => known.kind !== 'p' && path.startsWith(`${known.path}/`);
    const place = places.find((known) => path === known.path || isIn(known) || isAbove(path, known.path, line));
    if (place !== undefined) return ofProtected(place);
    const denial = READ_ONLY.test(line) ? ofUnwritable(path, denying) : undefined;
    if (denial) return denial;
  }
  return undefined;
}

function ofUnwritable(place: string, { root, home = '' }: DenialContext): Denial | undefined {
  if (isWithin(place, root) || !isWritableOutside(place)) return undefined;
  const cache = [...CACHES, ...OTHER_CACHES].map((name) => `${home}/${name}`).find((path) => isWithin(place, path));
  if (cache !== undefined && !fs.existsSync(cache))
    return { place, setting: `mkdir -p ${cache}, outside of the sandbox`, why: 'a cache is writable once it exists' };
  return { place, setting: OPENING, why: 'it lies outside of the places where commands may write' };
}

/** Returns the parts of a line that may be a path. A program that names itself at the start of the line comes last. */
function pathsIn(line: string): string[] {
  const found = [...line.matchAll(PATHS)].map(([, quoted, plain = '']) => ({ name: quoted ?? plain, quoted }));
  const paths = found.filter(({ name, quoted }) => quoted !== undefined || /[/.]/.test(name)).map(({ name }) => name);
  const [first, ...rest] = paths;
  return first !== undefined && line.startsWith(`${first}: `) ? [...rest, first] : paths;
}

/** A directory that holds a protected place cannot be removed, nor can a lock replace the place. */
function isAbove(path: string, known: string, line: string): boolean {
  return /busy|EBUSY|cross-device|EXDEV/i.test(line) && known.startsWith(`${path}/`);
}

function ofProtected({ path: place, kind }: ProtectedPlace): Denial {
  if (/\/\.git(\/|$)/.test(place)) return { place, why: 'git obeys it, so commands cannot change it; the person can' };
  if (kind === 'h') {
    const setting = '"sandbox": {"shown": […]} in config.json';
    return { place, setting, why: 'it is a secret, which is hidden and cannot be changed' };
  }
  const runner = runFiles('projects').runnerOf(place) ?? runFiles('home').runnerOf(place);
  if (runner === undefined) return { place, why: 'something is protected in it, so commands cannot move or remove it' };
  return { place, setting: OPENING, why: `${runner} runs it or takes commands from it, so commands cannot change it` };
}

function isWritableOutside(path: string): boolean {
  for (let at = path; ; at = posix.dirname(at)) {
    if (fs.existsSync(at) || at === '/') return mayAccess(at, fs.constants.W_OK);
  }
}
