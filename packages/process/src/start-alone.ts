import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { fromWriteError, ToolError } from '@jinn/core/errors';
import { descendantsOf } from './end-supervisor.ts';
import { haveListener } from './listening.ts';
import type { Command, CommandEnd, RunningCommand, Stream } from './running-command.ts';

/** How long the output may take to arrive when the command has ended: another process may hold the pipes open. */
const DRAIN_MS = 100;

/** Process groups of commands that run. They end with jinn, unless it is killed. */
const groups = new Set<number>();
let endsWithProcess = false;

/**
 * Starts a command without perl to supervise it, in a process group that ends with it, when it is stopped, and when
 * jinn ends by itself. Processes that move to another session keep running.
 */
export function startAlone(
  { argv, cwd, environment, stdin }: Command,
  onOutput: (stream: Stream, chunk: Buffer) => void,
): RunningCommand {
  const [program = '', ...args] = argv;
  let input: number | 'ignore' = 'ignore';
  if (stdin) {
    const path = keepStdin(stdin);
    input = fs.openSync(path, 'r');
    fs.rmSync(path);
  }
  const child = spawn(program, args, { cwd, env: environment, detached: true, stdio: [input, 'pipe', 'pipe'] });
  if (typeof input === 'number') fs.closeSync(input);
  child.stdout?.on('data', (chunk: Buffer) => onOutput('stdout', chunk));
  child.stderr?.on('data', (chunk: Buffer) => onOutput('stderr', chunk));
  const group = child.pid ?? 0;
  keepGroup(group);
  const ended = new Promise<CommandEnd>((resolve, reject) => {
    child.once('error', (cause) => reject(new ToolError('internal', 'the command could not be started', { cause })));
    child.once('exit', (code, name) => {
      const signal = name === null ? undefined : constants.signals[name];
      const leftRunning = endGroup(group);
      const timer = setTimeout(() => [child.stdout, child.stderr].map((pipe) => pipe?.destroy()), DRAIN_MS);
      child.once('close', () => {
        clearTimeout(timer);
        forgetGroup(group);
        resolve({ exitCode: code ?? 128 + (signal ?? 0), signal, leftRunning, survivors: 0 });
      });
    });
  });
  return {
    pid: () => child.pid,
    ended,
    stop: () => void endGroup(group),
    terminate: () => void endGroup(group, 'SIGTERM'),
    listens: () => haveListener([group, ...descendantsOf(group)]),
  };
}

/**
 * Keeps standard input in a file, which its reader removes: a pipe of Node is a socket, which not every command
 * accepts, and for which bash reads the user's profile. Throws `write_failed` and leaves no file if it does not fit.
 */
export function keepStdin(text: string | Uint8Array): string {
  const { randomBytes } = process.getBuiltinModule('node:crypto'); // Loaded here, since most commands have no input.
  const path = `${tmpdir()}/jinn-stdin-${randomBytes(12).toString('hex')}`;
  try {
    fs.writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    fs.rmSync(path, { force: true });
    const { message } = fromWriteError(cause, 'the text of stdin to the directory for temporary files');
    throw new ToolError('write_failed', message, {
      suggestion: 'write the text to a file of the workspace and redirect that, or ask the user to free some space',
      cause,
    });
  }
  return path;
}

/** Makes a process group end when this process ends by itself. */
export function keepGroup(group: number): void {
  if (group === 0) return;
  if (!endsWithProcess) process.once('exit', () => [...groups].map((each) => endGroup(each)));
  endsWithProcess = true;
  groups.add(group);
}

export function forgetGroup(group: number): void {
  groups.delete(group);
}

/** Kills a process group, or sends it another signal. Returns false if no process of it is left. */
export function endGroup(group: number, signal: NodeJS.Signals = 'SIGKILL'): boolean {
  try {
    if (group > 0) process.kill(-group, signal);
    return group > 0;
  } catch {
    return false;
  }
}
