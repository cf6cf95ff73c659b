import { spawn } from 'node:child_process';
import fs from 'node:fs';
import type { Environment } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { Stream } from './running-command.ts';
import { findPerl, signalName, startCommand } from './start-command.ts';
import { waitsAtFifo } from './waits-at-fifo.ts';

const MAX_STDERR = 4_096;
/** How often a program that may wait at a FIFO is checked. */
const LOOK_MS = 250;
/**
 * From this size of this process on, a supervisor starts a program: the system copies the page tables of the process that starts one,
 * and each page that it changes afterwards. Bytes.
 */
const LARGE_PROCESS = 128 * 1024 * 1024;
/** The exit status of what a supervisor could not start, such as a script whose interpreter is missing. */
const CANNOT_RUN = 126;
/** How long a supervised program may take to end when it is told to. */
const PATIENCE_MS = 500;
/** How long the size of this process counts: asking for it takes a quarter of a millisecond. */
const SIZE_MS = 1_000;

/** A program to run. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of its variables; those of this process by default. */
  readonly env?: Environment;
  /** The program is killed after this many milliseconds. */
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Its standard input; nothing by default. */
  readonly input?: Buffer | undefined;
  /** True ends a program that waits at a FIFO: one has replaced a file that it opens by name. */
  readonly refusesFifos?: boolean;
  /**
   * Lets a supervisor start the program, if this process is large or always. For a program that starts no others, with an absolute
   * command, variables and no input.
   */
  readonly supervise?: 'if large' | 'always' | undefined;
  /** Gets standard output piece by piece. */
  onData(chunk: Buffer): void;
}

export interface ProgramEnd {
  readonly status: number;
  /** The first 4096 characters of standard error. */
  readonly stderr: string;
}

/**
 * Runs a program to its end, and leaves no process behind. Throws ToolError `timeout` or `canceled`, `not_a_file` for a
 * FIFO, `internal` when a signal kills the program, the system's error when it cannot be started, and the errors of
 * `onData`.
 */
export function runProgram(program: Program): Promise<ProgramEnd> {
  const { limitMs, signal, supervise } = program;
  const isSupervised = supervise === 'always' || (supervise === 'if large' && isLarge());
  const start = isSupervised && findPerl() !== undefined ? startSupervised : startDirectly;
  return new Promise((resolve, reject) => {
    let stderr = '';
    let outcome: (() => void) | undefined;
    const started = start(program, (stream, chunk) => {
      if (stream === 'stderr' && stderr.length < MAX_STDERR)
        stderr += chunk.toString().slice(0, MAX_STDERR - stderr.length);
      if (stream === 'stderr' || outcome) return;
      try {
        program.onData(chunk);
      } catch (error) {
        stop(() => reject(error));
      }
    });
    const stop = (then: () => void) => {
      outcome ??= then;
      started.stop();
    };
    const timer = setTimeout(() => stop(() => reject(timedOut(limitMs))), limitMs);
    const look = () => {
      const pid = started.pid();
      if (pid !== undefined && waitsAtFifo(pid)) stop(() => reject(fifoMet()));
    };
    const looks = program.refusesFifos ? setInterval(look, LOOK_MS) : undefined;
    const cancel = () => stop(() => reject(new ToolError('canceled', 'the request was canceled')));
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted) cancel();
    const settle = (end: () => void) => {
      clearTimeout(timer);
      clearInterval(looks);
      signal?.removeEventListener('abort', cancel);
      (outcome ?? end)();
    };
    started.ended.then(
      ({ status, killedBy }) =>
        settle(() => {
          if (status === null) reject(new ToolError('internal', `a program was killed by ${killedBy}`));
          else resolve({ status, stderr });
        }),
      (error: Error) => settle(() => reject(error)),
    );
  });
}

type OnOutput = (stream: Stream, chunk: Buffer) => void;

interface StartedProgram {
  /** Returns the process; undefined until there is one. */
  pid(): number | undefined;
  stop(): void;
  /** Rejected with the system's error if the program could not be started. */
  readonly ended: Promise<{ readonly status: number | null; readonly killedBy: string | null }>;
}

let size = { bytes: 0, at: -Infinity };

function isLarge(): boolean {
  const now = performance.now();
  if (now - size.at > SIZE_MS) size = { bytes: process.memoryUsage.rss(), at: now };
  return size.bytes > LARGE_PROCESS;
}

/** Throws the system's error if there is no such program or directory. */
function startSupervised({ command, args, cwd, env = {} }: Program, onOutput: OnOutput): StartedProgram {
  fs.accessSync(cwd, fs.constants.X_OK);
  fs.accessSync(command, fs.constants.X_OK);
  const variables = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const environment = Object.fromEntries(variables);
  const running = startCommand({ argv: [command, ...args], cwd, environment, stdin: undefined }, onOutput);
  const toEnd = ({ exitCode, signal }: { exitCode: number; signal: number | undefined }) => {
    if (exitCode === CANNOT_RUN) throw new Error(`${command} cannot be run`);
    return signal === undefined ? { status: exitCode, killedBy: null } : { status: null, killedBy: signalName(signal) };
  };
  const stop = () => {
    // Then the supervisor is there for the next program.
    running.terminate();
    setTimeout(running.stop, PATIENCE_MS).unref();
  };
  return { pid: running.pid, stop, ended: running.ended.then(toEnd) };
}

function startDirectly({ command, args, cwd, env, input }: Program, onOutput: OnOutput): StartedProgram {
  const child = spawn(command, args, { cwd, env, stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'] });
  child.stdin?.on('error', () => {}); // It may end before it has read all.
  child.stdin?.end(input);
  child.stdout?.on('data', (chunk: Buffer) => onOutput('stdout', chunk));
  child.stderr?.on('data', (chunk: Buffer) => onOutput('stderr', chunk));
  const stop = () => {
    child.kill('SIGKILL');
    // A child of its own may hold the pipes open. A program that could not be started may have none.
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const ended = new Promise<{ status: number | null; killedBy: string | null }>((resolve, reject) => {
    child.on('error', (error) => {
      stop();
      reject(error);
    });
    child.on('close', (status, killedBy) => resolve({ status, killedBy }));
  });
  return { pid: () => child.pid, stop, ended };
}

function fifoMet(): ToolError {
  return new ToolError('not_a_file', 'a program was ended that waited at a FIFO in the place of a file');
}

function timedOut(limitMs: number): ToolError {
  return new ToolError('timeout', `timed out after ${Math.round(limitMs / 100) / 10} seconds`, {
    suggestion: 'ask for less: a narrower path or pattern',
  });
}
