import { spawn } from 'node:child_process';
import fs from 'node:fs';
import type { Environment } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { Stream } from './running-command.ts';

const MAX_STDERR = 4_096;
const LOOK_MS = 250;
/** What the kernel calls the places where a thread waits for the other end of a FIFO, by proc_pid_wchan(5). */
const OPENS_FIFO = /^(wait_for_partner|fifo_open)$/;
const READS_PIPE = /^((anon_)?pipe_read|pipe_wait)$/;

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Environment;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly input?: Buffer | undefined;
  /** True ends a program that waits at a FIFO: one has replaced a file that it opens by name. */
  readonly refusesFifos?: boolean;
  onData(chunk: Buffer): void;
}

export interface ProgramEnd {
  readonly status: number;
  /** The first 4096 characters of standard error. */
  readonly stderr: string;
}

/**
 * Runs a program to its end, and leaves no process behind. Throws ToolError `timeout`, `canceled`, `not_a_file` for a
 * FIFO, `internal` if a signal kills it, the system's error if it cannot be started, and the errors of `onData`.
 */
export function runProgram(program: Program): Promise<ProgramEnd> {
  const { limitMs, signal } = program;
  return new Promise((resolve, reject) => {
    let stderr = '';
    let outcome: (() => void) | undefined;
    const started = startDirectly(program, (stream, chunk) => {
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
      if (started.pid !== undefined && waitsAtFifo(started.pid))
        stop(() => reject(new ToolError('not_a_file', 'stopped a program that waited at a FIFO instead of a file')));
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

function startDirectly({ command, args, cwd, env, input }: Program, onOutput: (stream: Stream, chunk: Buffer) => void) {
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
  return { pid: child.pid, stop, ended };
}

function timedOut(limitMs: number): ToolError {
  return new ToolError('timeout', `timed out after ${Math.round(limitMs / 100) / 10} seconds`, {
    suggestion: 'ask for less: a narrower path or pattern',
  });
}

function waitsAtFifo(pid: number): boolean {
  const places = list(`/proc/${pid}/task`).map((thread) => readWaiting(`/proc/${pid}/task/${thread}/wchan`));
  return (
    places.some((place) => OPENS_FIFO.test(place)) || (places.some((place) => READS_PIPE.test(place)) && holdsFifo(pid))
  );
}

function holdsFifo(pid: number): boolean {
  return list(`/proc/${pid}/fd`).some((fd) => {
    const path = `/proc/${pid}/fd/${fd}`;
    try {
      return fs.readlinkSync(path).startsWith('/') && fs.statSync(path).isFIFO(); // Pipes between processes have no name.
    } catch {
      return false; // It was closed meanwhile.
    }
  });
}

function list(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return []; // There is no /proc, or the process has ended.
  }
}

function readWaiting(path: string): string {
  try {
    return fs.readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
