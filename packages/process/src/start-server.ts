import { type ChildProcess, spawn } from 'node:child_process';
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
   * Ends the program and all processes of its group: closes its input, waits `graceMs`, asks with SIGTERM, waits as long
   * again, kills. Fulfilled when nothing of the group runs.
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
  const stderr = keepTail(child.stderr);
  child.stdin.on('error', () => {}); // The server closed its input; `ended` tells why.
  child.stdout.on('error', () => {});
  const ended = new Promise<ServerEnd>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('exit', (code, signal) => {
      endGroup(group); // Its children may outlive it.
      forgetGroup(group);
      const timer = setTimeout(() => [child.stdout, child.stderr].map((pipe) => pipe.destroy()), DRAIN_MS);
      child.once('close', () => {
        clearTimeout(timer);
        resolve({ code, signal });
      });
    });
  });
  return { input: child.stdin, output: child.stdout, stderr, ended, stop: (graceMs) => stop(child, ended, graceMs) };
}

async function stop(child: ChildProcess, ended: Promise<ServerEnd>, graceMs: number): Promise<void> {
  const group = child.pid ?? 0;
  child.stdin?.end();
  child.stdout?.resume(); // A server that cannot write does not end.
  if (await endsWithin(ended, graceMs)) return;
  signalGroup(group, 'SIGTERM');
  if (await endsWithin(ended, graceMs)) return;
  endGroup(group);
  await ended;
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
