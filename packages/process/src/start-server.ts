import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { endSupervisor } from './end-supervisor.ts';
import { endGroup, forgetGroup, keepGroup } from './start-alone.ts';
import { type Supervisor, signalName, startSupervisor, toEnded, toMessage, ViewError } from './start-command.ts';

/** How much of standard error is kept: its end, where programs explain why they stop. */
const KEPT_STDERR = 64 * 1024;
/** How long output may take to arrive when the server has ended: another process may hold the pipes open. */
const DRAIN_MS = 100;

/** A program that is spoken to over its standard input and output. */
export interface ServerCommand {
  /** The program by its absolute path, and its arguments. No shell comes between. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** How a server ended. `error` is set if it could not be started. */
export interface ServerEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly error?: Error;
}

export interface ServerProcess {
  readonly input: Writable;
  readonly output: Readable;
  /** Returns the last 64 KiB that it wrote to standard error. */
  stderr(): string;
  /** Fulfilled when it has ended, regardless of the reason. Never rejects. */
  readonly ended: Promise<ServerEnd>;
  /** Ends the program and all that it started: closes its input, waits `graceMs`, sends SIGTERM, waits again, kills. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts a server below a supervisor, which ends it and all that it started, however jinn ends. Without perl, alone.
 */
export function startServer(command: ServerCommand): ServerProcess {
  return startSupervised(command)?.server ?? startServerAlone(command);
}

/**
 * Starts a server below a supervisor, in a view if one is given. `built` is fulfilled when the server may run, and
 * rejected with ViewError if the view could not be built. Returns undefined without perl.
 */
export function startSupervised(
  command: ServerCommand,
  view: readonly string[] = [],
): { readonly server: ServerProcess; readonly built: Promise<void> } | undefined {
  const supervisor = startSupervisor(undefined, 'pipe');
  const { stdin, stdout, stderr } = supervisor?.process ?? {};
  if (!supervisor || !stdin || !stdout || !stderr) return undefined;
  supervisor.hold(true);
  supervisor.socket.write(toMessage({ ...command, view }, ''));
  const { exited, built } = follow(supervisor);
  const server = toServerProcess({ stdin, stdout, stderr }, exited, async (graceMs) => {
    supervisor.socket.write('t');
    if (!(await endsWithin(exited, graceMs))) endSupervisor(supervisor);
  });
  if (view.length === 0) return { server, built };
  const failed = server.ended.then(() => {
    throw new ViewError(server.stderr().trim() || 'the sandbox ended');
  });
  return { server, built: Promise.race([built, failed]) };
}

function follow(supervisor: Supervisor): { exited: Promise<ServerEnd>; built: Promise<void> } {
  let group = 0;
  let onBuilt = () => {};
  let onFailed = (_: ViewError) => {};
  const built = new Promise<void>((resolve, reject) => {
    onBuilt = resolve;
    onFailed = reject;
  });
  const exited = new Promise<ServerEnd>((resolve) => {
    supervisor.onFrame = (letter, body) => {
      if (letter === 'p') group = Number(body);
      else if (letter === 'v') onBuilt();
      else if (letter === 'f') onFailed(new ViewError(body.toString().trim()));
      else if (letter === 'x') {
        supervisor.onEnd = () => {};
        supervisor.socket.end(); // It has nothing more to supervise.
        const { exitCode, signal } = toEnded(body.toString());
        resolve(signal === undefined ? { code: exitCode, signal: null } : { code: null, signal: signalName(signal) });
      }
    };
    supervisor.onEnd = (error) => {
      endGroup(group); // The server has ended its supervisor: nothing else is left to do.
      resolve({ code: null, signal: 'SIGKILL', ...(error && { error }) });
    };
  });
  return { exited, built };
}

/**
 * Starts a server without perl, in a process group that is killed when it ends, is stopped, or this process exits. If
 * this process is killed, the server sees the end of its input.
 */
export function startServerAlone({ argv, cwd, environment }: ServerCommand): ServerProcess {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { cwd, env: environment, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const group = child.pid ?? 0;
  keepGroup(group);
  const exited = new Promise<ServerEnd>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('exit', (code, signal) => {
      endGroup(group); // Its children may outlive it.
      forgetGroup(group);
      resolve({ code, signal });
    });
  });
  return toServerProcess(child, exited, async (graceMs) => {
    endGroup(group, 'SIGTERM');
    if (!(await endsWithin(exited, graceMs))) endGroup(group);
  });
}

/** `end` ends a server that does not end by itself once its input is closed. */
function toServerProcess(
  { stdin, stdout, stderr }: Pick<ChildProcessWithoutNullStreams, 'stdin' | 'stdout' | 'stderr'>,
  exited: Promise<ServerEnd>,
  end: (graceMs: number) => unknown,
): ServerProcess {
  const tail = keepTail(stderr);
  stdin.on('error', () => {}); // The server closed its input. `ended` shows why.
  stdout.on('error', () => {});
  const ended = exited.then(async (how) => {
    await Promise.all([drain(stdout), drain(stderr)]);
    return how;
  });
  return {
    input: stdin,
    output: stdout,
    stderr: tail,
    ended,
    stop: async (graceMs) => {
      stdin.end();
      stdout.resume(); // A server that cannot write does not end.
      if (!(await endsWithin(ended, graceMs))) await end(graceMs);
      await ended;
    },
  };
}

function drain(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => stream.destroy(), DRAIN_MS);
    const finish = () => {
      clearTimeout(timer);
      resolve();
    };
    if (stream.closed) finish();
    else stream.once('close', finish);
  });
}

function endsWithin(ended: Promise<ServerEnd>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void ended.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

function keepTail(stream: Readable): () => string {
  let chunks: Buffer[] = [];
  let size = 0;
  stream.on('error', () => {});
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size < 2 * KEPT_STDERR) return;
    chunks = [Buffer.concat(chunks).subarray(-KEPT_STDERR)];
    size = KEPT_STDERR;
  });
  return () => Buffer.concat(chunks).subarray(-KEPT_STDERR).toString();
}
