import fs from 'node:fs';
import { posix } from 'node:path';
import type { SandboxPolicy } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { isWithin } from '@jinn/workspace';
import { runFiles } from '@jinn/workspace/secrets/run-files';
import { type Command, type CommandEnd, type RunningCommand, type Stream, startCommand, ViewError } from '../index.ts';
import type { ConfinedCommandLine, Confinement, ProtectedPlace, Sandbox, SandboxName } from './confinement.ts';
import { type BytePath, toSystemPath, type UndoneTrap } from './git/index.ts';
import { CACHES, mayAccess, OTHER_CACHES } from './view/sandbox-places.ts';
import { OPENING } from './workspace/run-files-guard.ts';

/** How often a command is started again because the workspace changed below protected places meanwhile. */
export const ATTEMPTS = 8;
const MAX_WATCHED = 64;

export interface ConfinedCommand extends Omit<Command, 'view' | 'cwd'> {
  readonly confinement: Confinement;
}

export interface ConfinedEnd extends CommandEnd {
  /** The changes that were undone because they would have turned git against the user. */
  readonly undone: readonly UndoneTrap[];
}

export interface RunningConfined extends Omit<RunningCommand, 'ended' | 'pid'> {
  readonly sandbox: SandboxName;
  readonly why: string | undefined;
  readonly warning: string | undefined;
  /** Rejected with `command_blocked` when the sandbox could not be built. Then the command did not run. */
  readonly ended: Promise<ConfinedEnd>;
  findDenials(output: string): Denial[];
}

/** Starts a command in the sandbox that the policy requires. Throws the errors of `confine`. */
export async function startConfined(
  command: ConfinedCommand,
  onOutput: (stream: Stream, chunk: Buffer) => void,
): Promise<RunningConfined> {
  const stopping = new AbortController();
  const { signal = stopping.signal } = command.confinement;
  const confinement = { ...command.confinement, signal: AbortSignal.any([signal, stopping.signal]) };
  let confined = await confine(command.argv, confinement);
  const unwatch = watch(confined.watched, () => running.stop()); // Before the command can do anything.
  let running = start(command, confined, onOutput);
  const early: Buffer[] = [];
  async function toEnd(): Promise<ConfinedEnd> {
    for (let attempt = 1; ; attempt++) {
      try {
        return { ...(await running.ended), undone: await confined.check() };
      } catch (error) {
        await confined.check();
        await throwUnlessChanged(error, confinement, attempt === ATTEMPTS || stopping.signal.aborted);
        confined = await confine(command.argv, confinement);
        running = start(command, confined, onOutput);
        for (const bytes of early) running.type?.(bytes);
      }
    }
  }
  return {
    sandbox: confined.sandbox,
    why: confined.why,
    warning: confined.warning,
    ended: toEnd().finally(unwatch),
    stop: () => {
      stopping.abort();
      running.stop();
    },
    terminate: () => running.terminate(),
    listens: () => running.listens(),
    ...(command.input && {
      type: (bytes) => {
        if (!running.typing?.().isBuilt) early.push(bytes);
        running.type?.(bytes);
      },
      typing: () => running.typing?.() ?? { isBuilt: true, waiting: 0, isHidden: false },
    }),
    findDenials: (output) => {
      if (confined.sandbox === 'none') return [];
      const { root, cwd, network, policy } = confinement;
      const { protectedPlaces } = confined;
      return findDenials(output, {
        ...{ root, cwd, network, protectedPlaces },
        isNetworkAllowed: policy.network,
        home: policy.home,
      });
    },
  };
}

/** A command that makes a `commondir` in a repository is ended at once, so that hardly any git outside reads it. */
function watch(repositories: readonly BytePath[], onTrap: () => void): () => void {
  const watchers = repositories.slice(0, MAX_WATCHED).flatMap((path) => {
    try {
      const onChange = (_: string, name: string | null) => name === 'commondir' && onTrap();
      return [fs.watch(toSystemPath(path), { persistent: false }, onChange).on('error', () => {})];
    } catch {
      return []; // It is gone, or the system watches nothing more.
    }
  });
  return () => {
    for (const watcher of watchers) watcher.close();
  };
}

function start(
  { argv: _, confinement, environment, stdin, input }: ConfinedCommand,
  { argv, view, sandbox }: ConfinedCommandLine,
  onOutput: (stream: Stream, chunk: Buffer) => void,
): RunningCommand {
  const { cwd, policy } = confinement;
  const { controlGroup } = policy;
  const command = { argv, view, stdin, input, cwd, controlGroup, environment: withOwnTmp(environment, sandbox) };
  return startCommand(command, onOutput);
}

/** Returns the environment with the TMPDIR inside, where another directory is for temporary files. */
export function withOwnTmp(environment: Command['environment'], sandbox: SandboxName): Command['environment'] {
  return sandbox === 'bubblewrap' && environment['TMPDIR'] ? { ...environment, TMPDIR: '/tmp' } : environment;
}

/**
 * Throws the error of a command that did not run, unless the view can be built again because the workspace changed. If
 * the sandbox failed although its trial had succeeded, the next command tries it out again.
 */
export async function throwUnlessChanged(
  error: unknown,
  { network, policy }: Confinement,
  isLast: boolean,
): Promise<void> {
  if (!(error instanceof ViewError)) throw error;
  if (error.message.startsWith('changed: ')) {
    if (!isLast) return;
    throw new ToolError(
      'command_blocked',
      'the command did not run: the workspace kept changing below a protected file or repository while the sandbox was built',
      { suggestion: 'wait for what renames directories, or end the background job that does, and send it again' },
    );
  }
  const { forgetSandbox } = await import('./find-sandbox.ts');
  forgetSandbox({ network, keep: policy.keep });
  throw new ToolError(
    'command_blocked',
    `the sandbox could not be built, so the command did not run: ${error.message}`,
    { suggestion: 'send it again. If it fails again, ask the user: jinn --doctor shows what is missing' },
  );
}

export type SandboxChoice =
  | { readonly way: 'confined'; readonly sandbox: Extract<Sandbox, { works: true }> }
  | { readonly way: 'free'; readonly why: string }
  /** `fault` is a sentence, and with `otherMode` it would run. */
  | { readonly way: 'refused'; readonly why: string; readonly fault: string; readonly otherMode: 'auto' | 'off' };

/** Chooses what becomes of a command under a policy (docs/shell.md, "Sandbox"), with the network or without. */
export async function chooseSandbox({ mode, keep }: SandboxPolicy, network: boolean): Promise<SandboxChoice> {
  if (mode === 'off') {
    if (network) return { way: 'free', why: 'off' };
    const fault = 'running without the network needs the sandbox, which is off';
    return { way: 'refused', why: 'off', fault, otherMode: 'auto' };
  }
  // The code of the sandbox takes 3 ms to load, which a command without it does not pay.
  const { findSandbox } = await import('./find-sandbox.ts');
  const sandbox = await findSandbox({ network, keep });
  if (sandbox.works) return { way: 'confined', sandbox };
  const { why } = sandbox;
  if (mode === 'auto' && network) return { way: 'free', why };
  const fault =
    mode === 'require'
      ? `no sandbox works here: ${why}`
      : `running without the network needs a sandbox, and none works here: ${why}`;
  return { way: 'refused', why, fault, otherMode: 'off' };
}

/**
 * Puts the sandbox of the system in front of a command, as the policy says. Throws `command_blocked` if a sandbox is
 * required, or needed to block the network, and none works.
 */
export async function confine(argv: readonly string[], confinement: Confinement): Promise<ConfinedCommandLine> {
  const { policy, network } = confinement;
  const choice = await chooseSandbox(policy, network);
  if (choice.way === 'free') {
    const { why } = choice;
    const warning =
      policy.mode === 'off' ? undefined : `no sandbox confines commands: ${why}; jinn --doctor shows how to get it`;
    return { sandbox: 'none', why, argv, view: [], protectedPlaces: [], watched: [], warning, check: async () => [] };
  }
  if (choice.way === 'refused') {
    throw new ToolError('command_blocked', choice.fault, {
      suggestion: `ask the user: jinn --doctor says what is missing; with --sandbox=${choice.otherMode} it runs otherwise`,
    });
  }
  const { putInFront } = await import('./find-sandbox.ts');
  return putInFront(choice.sandbox, argv, confinement);
}

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
function findDenials(output: string, denying: DenialContext): Denial[] {
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
  return { place, setting: OPENING, why: 'it is outside of the places where commands may write' };
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
  if (/\/\.git(\/|$)/.test(place)) return { place, why: 'git obeys it, so only the user can change it' };
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
