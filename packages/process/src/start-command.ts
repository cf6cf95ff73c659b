import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { ToolError } from '@jinn/core/errors';
import { descendantsOf, endSupervisor } from './end-supervisor.ts';
import { haveListener } from './listening.ts';
import type { Command, CommandEnd, RunningCommand, Stream } from './running-command.ts';
import { endGroup, keepStdin, startAlone } from './start-alone.ts';
import SUPERVISOR from './supervisor.pl';

/** The places of perl. It is never looked up on the PATH, which is the user's. */
const PERLS = ['/usr/bin/perl', '/bin/perl', '/usr/local/bin/perl', '/run/current-system/sw/bin/perl'];
/** A supervisor that its command has stopped (SIGSTOP) is resumed this often. */
const RESUME_MS = 500;
const HEADER_BYTES = 5;
/** How many supervisors without a control group wait for the next command, and how many in one. */
const MAX_IDLE = 4;

/** prctl, rt_sigprocmask, signalfd4, setsid and O_DIRECT by architecture (syscalls(2)). Without them orphans are not adopted. */
const LINUX_CALLS: Partial<Record<NodeJS.Architecture, readonly number[]>> = {
  x64: [157, 14, 289, 112, 0o40000],
  arm64: [167, 135, 74, 157, 0o200000],
  riscv64: [167, 135, 74, 157, 0o40000],
  loong64: [167, 135, 74, 157, 0o40000],
};

/** Reports whether a command can have a terminal, or else whether its input can be typed while it runs. */
export function canType(kind: 'pipe' | 'terminal'): boolean {
  return findPerl() !== undefined && (kind === 'pipe' || (adoptsOrphans() && fs.existsSync('/dev/ptmx')));
}

/** Reports whether run_shell's supervisor can adopt orphans, no matter what session they move to. */
export function adoptsOrphans(): boolean {
  return linuxCalls() !== undefined;
}

const BASHES = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/run/current-system/sw/bin/bash'];

/** Finds bash. It is never looked up on the PATH, which is the user's. */
export function findBash(): string | undefined {
  return BASHES.find((path) => fs.existsSync(path));
}

/** Returns the name of a signal: `SIGKILL` for 9. */
export function signalName(signal: number): string {
  const known = Object.entries(constants.signals).find(([, number]) => number === signal);
  return known?.[0] ?? `SIG${signal}`;
}

export function findPerl(): string | undefined {
  return PERLS.find((path) => fs.existsSync(path));
}

/** The view of the sandbox could not be built, so the command did not run. */
export class ViewError extends Error {}

/**
 * Starts a command below a supervisor that ends all it started: when it ends, when it is stopped, and when jinn ends,
 * however that may be. Without perl, it is started alone, and must have no view. `ended` is rejected with ViewError.
 */
export function startCommand(
  command: Command,
  onOutput: (stream: Stream, chunk: Buffer) => void,
  given?: Supervisor,
): RunningCommand {
  const supervisor = given ?? takeIdle(command.controlGroup) ?? startSupervisor();
  if (command.controlGroup !== undefined) enter(command.controlGroup, supervisor);
  if (!supervisor) return startAlone(command, onOutput);
  const stdin = command.stdin ? keepStdinFor(supervisor, command.stdin) : undefined;
  supervisor.hold(true);
  supervisor.socket.write(toMessage(command, stdin ?? command.input ?? '/dev/null'));
  let isRunning = true;
  const resuming = setInterval(() => supervisor.process.kill('SIGCONT'), RESUME_MS).unref();
  const followed = follow(supervisor, onOutput, { hasView: Boolean(command.view?.length) });
  const ended = followed.ended.finally(() => {
    isRunning = false; // By now the supervisor may have another command, which is not ours to stop.
    clearInterval(resuming);
    if (stdin) fs.rmSync(stdin, { force: true });
  });
  let sent = 0;
  return {
    pid: followed.pid,
    ended,
    ...(command.input && {
      type: (bytes: Buffer) => {
        sent += bytes.length;
        if (isRunning) supervisor.socket.write(toFrame('i', bytes));
      },
      typing: () => ({ ...followed.typing, waiting: sent - followed.typing.taken }),
    }),
    stop: () => isRunning && endSupervisor(supervisor),
    terminate: () => isRunning && supervisor.socket.write('t'),
    listens: () => isRunning && haveListener(descendantsOf(supervisor.process.pid ?? 0)),
  };
}

/**
 * Moves a supervisor into a control group before the command starts: a command with limits must not run without them.
 */
function enter(group: string, supervisor: Supervisor | undefined): void {
  try {
    if (supervisor === undefined) throw new Error('there is no perl');
    fs.writeFileSync(`${group}/cgroup.procs`, String(supervisor.process.pid));
    supervisor.controlGroup = group;
  } catch (cause) {
    if (supervisor) release(supervisor);
    throw new ToolError('command_blocked', 'the command did not run: its limits could not be set', {
      suggestion: 'tell the operator of the server',
      cause,
    });
  }
}

function keepStdinFor(supervisor: Supervisor, text: string | Uint8Array): string {
  try {
    return keepStdin(text);
  } catch (error) {
    release(supervisor);
    throw error;
  }
}

/** Starts a supervisor while there is other work to do before the command. Does nothing if it cannot. */
export function prepareCommand(): void {
  const supervisor = idle.length === 0 ? startSupervisor() : undefined;
  if (supervisor) idle.push(supervisor);
}

export interface Supervisor {
  readonly process: ChildProcess;
  readonly socket: Socket;
  controlGroup: string | undefined;
  onFrame(letter: string, body: Buffer): void;
  onEnd(error?: Error): void;
  /** Sets whether jinn stays alive for it. */
  hold(on: boolean): void;
}

/** Supervisors whose command has ended: the next one starts sooner below one of them. */
const idle: Supervisor[] = [];

/** Security: a command without a control group must not run in the group of another. */
function takeIdle(controlGroup: string | undefined): Supervisor | undefined {
  const at = idle.findLastIndex(isAlike({ controlGroup }));
  if (at < 0) return controlGroup === undefined ? undefined : idle.pop();
  return idle.splice(at, 1)[0];
}

function isAlike({ controlGroup }: Pick<Supervisor, 'controlGroup'>): (other: Supervisor) => boolean {
  return (other) => (other.controlGroup === undefined) === (controlGroup === undefined);
}

/**
 * Starts a supervisor. Undefined without perl. `calls` are zeros if the system has none. With `standard: 'pipe'`,
 * standard input, output and error are pipes to jinn, for a server.
 */
export function startSupervisor(
  calls = linuxCalls() ?? [0, 0, 0, 0, 0],
  standard: 'ignore' | 'pipe' = 'ignore',
): Supervisor | undefined {
  const perl = findPerl();
  if (perl === undefined) return undefined;
  const child = spawn(perl, ['-f', '-e', SUPERVISOR, ...calls.map(String)], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: [standard, standard, standard, 'pipe'],
  });
  const socket = child.stdio[3] as Socket;
  const supervisor: Supervisor = {
    process: child,
    socket,
    controlGroup: undefined,
    onFrame: () => {},
    onEnd: () => {},
    hold: (on) => {
      if (on) socket.ref();
      else socket.unref();
    },
  };
  child.unref();
  socket.unref();
  child.once('error', (error) => supervisor.onEnd(error));
  socket.on('error', () => {}); // It has ended. The end of the socket shows that.
  socket.on(
    'data',
    frameReader((letter, body) => supervisor.onFrame(letter, body)),
  );
  socket.once('close', () => {
    const at = idle.indexOf(supervisor);
    if (at >= 0) idle.splice(at, 1);
    supervisor.onEnd();
  });
  return supervisor;
}

function follow(
  supervisor: Supervisor,
  onOutput: (stream: Stream, chunk: Buffer) => void,
  { hasView }: { hasView: boolean },
) {
  const typing = { isBuilt: !hasView, taken: 0, isHidden: false };
  let pid: number | undefined;
  let failure: string | undefined;
  let early = ''; // The output of the sandbox itself: the command starts when the view is built.
  const take = (stream: Stream, bytes: Buffer) => {
    if (typing.isBuilt) onOutput(stream, bytes);
    else early += bytes.toString();
  };
  const ended = new Promise<CommandEnd>((resolve, reject) => {
    const frames: Readonly<Record<string, (body: Buffer) => void>> = {
      p: (body) => (pid = Number(body)),
      v: () => (typing.isBuilt = true),
      f: (body) => (failure = body.toString().trim()),
      w: (body) => (typing.taken = Number(body)),
      h: (body) => (typing.isHidden = body.toString() === '1'),
      o: (body) => take('stdout', body),
      e: (body) => take('stderr', body),
      x: (body) => {
        release(supervisor);
        const end = toEnded(body.toString());
        if (!typing.isBuilt && end.signal === undefined) failure ??= early.trim() || `it ended with ${end.exitCode}`;
        if (failure === undefined) resolve(end);
        else reject(new ViewError(failure));
      },
    };
    supervisor.onFrame = (letter, body) => frames[letter]?.(body);
    supervisor.onEnd = (error) => {
      if (error) return reject(new ToolError('internal', 'the command could not be started', { cause: error }));
      endGroup(pid ?? 0); // The command or the system has killed the supervisor: nothing else is left to end.
      resolve({ exitCode: 137, signal: 9, leftRunning: true, survivors: 0 });
    };
  });
  return { pid: () => pid, ended, typing };
}

function release(supervisor: Supervisor): void {
  supervisor.onEnd = () => {};
  supervisor.hold(false);
  const { length } = idle.filter(isAlike(supervisor));
  if (supervisor.socket.writable && length < MAX_IDLE) idle.push(supervisor);
  else supervisor.socket.end();
}

function linuxCalls(): readonly number[] | undefined {
  return process.platform === 'linux' ? LINUX_CALLS[process.arch] : undefined;
}

/** Encodes a command for the supervisor. `stdin` is a file, `pipe` or `terminal`. An empty one is for a server. */
export function toMessage({ argv, cwd, environment, view = [] }: Omit<Command, 'stdin'>, stdin: string): Buffer {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  // The fields of the view are bytes, one a character.
  const parts = [[stdin, cwd, String(view.length)], view, [String(variables.length), ...variables, ...argv]];
  const body = Buffer.concat(
    parts.map((fields, i) => Buffer.from(fields.map((field) => `${field}\0`).join(''), i === 1 ? 'latin1' : 'utf8')),
  );
  return toFrame('c', body);
}

function toFrame(letter: string, body: Buffer): Buffer {
  const head = Buffer.from(`${letter}0000`);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

export function toEnded(text: string): CommandEnd {
  const [status = 0, ended = 0, survivors = 0] = text.split(' ').map(Number);
  const signal = status & 0x7f;
  return {
    exitCode: signal ? 128 + signal : status >> 8,
    signal: signal || undefined,
    leftRunning: ended > 0,
    survivors,
  };
}

/** A frame is a letter, the length of the body in 4 bytes, and the body. */
function frameReader(onFrame: (letter: string, body: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer[] = [];
  let have = 0;
  let need = HEADER_BYTES;
  return (chunk) => {
    rest.push(chunk);
    have += chunk.length;
    if (have < need) return;
    let bytes = Buffer.concat(rest);
    for (;;) {
      need = bytes.length < HEADER_BYTES ? HEADER_BYTES : HEADER_BYTES + bytes.readUInt32BE(1);
      if (bytes.length < need) break;
      onFrame(String.fromCharCode(bytes[0] as number), bytes.subarray(HEADER_BYTES, need));
      bytes = bytes.subarray(need);
    }
    rest = [bytes];
    have = bytes.length;
  };
}
