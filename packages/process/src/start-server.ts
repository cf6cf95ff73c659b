import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { endGroup, forgetGroup, keepGroup } from './start-alone.ts';

/** How much of standard error is kept: its end, where programs say why they stop. */
const KEPT_STDERR = 64 * 1024;
/** How long output may take to come when the server has ended: something else may hold the pipes open. */
const DRAIN_MS = 100;

/** A program that is spoken to over its standard input and output. */
export interface ServerCommand {
  /** The program by its absolute path, and its arguments. No shell comes between. */
  readonly argv: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** All variables that it gets. */
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
  /** The last 64 KiB that it wrote to standard error. */
  stderr(): string;
  /** Fulfilled when it has ended, whatever the reason. Never rejects. */
  readonly ended: Promise<ServerEnd>;
  /**
   * Ends the program and all that it started: closes its input, waits `graceMs`, asks with SIGTERM where it is not confined,
   * waits as long again, kills. Fulfilled when nothing of it runs.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts a server in a process group of its own. The group is killed when the server ends, when it is stopped, and when
 * this process exits. If this process is killed, the server sees the end of its input.
 */
export function startServer({ argv, cwd, environment }: ServerCommand): ServerProcess {
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
    signalGroup(group, 'SIGTERM');
    if (!(await endsWithin(exited, graceMs))) endGroup(group);
  });
}

type Pipes = Pick<ChildProcessWithoutNullStreams, 'stdin' | 'stdout' | 'stderr'>;

/** Makes a server of its pipes. `end` ends it when it does not end by itself once its input is closed. */
export function toServerProcess(
  { stdin, stdout, stderr }: Pipes,
  exited: Promise<ServerEnd>,
  end: (graceMs: number) => unknown,
): ServerProcess {
  const tail = keepTail(stderr);
  stdin.on('error', () => {}); // The server closed its input; `ended` tells why.
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

/** Waits for the end of an output, and closes it when that does not come. */
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

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    if (group > 0) process.kill(-group, signal);
  } catch {
    // Nothing is left of it.
  }
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
