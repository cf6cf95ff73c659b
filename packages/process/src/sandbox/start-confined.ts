import fs from 'node:fs';
import { ToolError } from '@jinn/core/errors';
import type { Command, CommandEnd, RunningCommand, Stream } from '../index.ts';
import { startCommand, ViewError } from '../index.ts';
import { type ConfinedCommandLine, type Confinement, confine, type SandboxName } from './confine.ts';
import type { UndoneTrap } from './git/index.ts';
import { type BytePath, toSystemPath } from './git/index.ts';
import { type Denial, findDenials } from './sandbox-denials.ts';

/** How often a command is started again because the workspace changed below protected places meanwhile. */
export const ATTEMPTS = 8;
const MAX_WATCHED = 64;

export interface ConfinedCommand extends Omit<Command, 'view' | 'cwd'> {
  readonly confinement: Confinement;
}

export interface ConfinedEnd extends CommandEnd {
  /** The changes that were undone because they would have turned git against the person. */
  readonly undone: readonly UndoneTrap[];
}

export interface RunningConfined extends Omit<RunningCommand, 'ended' | 'pid'> {
  readonly sandbox: SandboxName;
  /** The reason if there is none. */
  readonly why: string | undefined;
  /** A sentence for the person about this workspace, if there is one. */
  readonly warning: string | undefined;
  /** Rejected with `command_blocked` when the sandbox could not be built; then the command did not run. */
  readonly ended: Promise<ConfinedEnd>;
  /** Finds what the sandbox refused, by an output. */
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
  async function toEnd(): Promise<ConfinedEnd> {
    for (let attempt = 1; ; attempt++) {
      try {
        return { ...(await running.ended), undone: await confined.check() };
      } catch (error) {
        await confined.check();
        throwUnlessChanged(error, attempt === ATTEMPTS || stopping.signal.aborted);
        confined = await confine(command.argv, confinement);
        running = start(command, confined, onOutput);
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
    findDenials: (output) => denialsIn(output, confined, confinement),
  };
}

/**
 * Watches repositories, and calls `onTrap` when a `commondir` appears in one: the command that makes it is ended, so
 * that hardly any git outside reads it. Returns a function that ends the watch.
 */
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
  { argv: _, confinement, environment, stdin }: ConfinedCommand,
  { argv, view, sandbox }: ConfinedCommandLine,
  onOutput: (stream: Stream, chunk: Buffer) => void,
): RunningCommand {
  const { cwd, policy } = confinement;
  const { controlGroup } = policy;
  const command = { argv, view, stdin, cwd, controlGroup, environment: withOwnTmp(environment, sandbox) };
  return startCommand(command, onOutput);
}

/** Returns the environment with the TMPDIR inside, where another directory is for temporary files. */
export function withOwnTmp(environment: Command['environment'], sandbox: SandboxName): Command['environment'] {
  return sandbox === 'bubblewrap' && environment['TMPDIR'] ? { ...environment, TMPDIR: '/tmp' } : environment;
}

function denialsIn(
  output: string,
  { sandbox, protectedPlaces }: ConfinedCommandLine,
  { root, cwd, network, policy }: Confinement,
): Denial[] {
  if (sandbox === 'none') return [];
  return findDenials(output, {
    cwd,
    network,
    protectedPlaces,
    isNetworkAllowed: policy.network,
    root,
    home: policy.home,
  });
}

/**
 * Throws the error that keeps a command from running, unless the view can be built again because the workspace changed
 * meanwhile.
 */
export function throwUnlessChanged(error: unknown, isLast: boolean): void {
  if (!(error instanceof ViewError)) throw error;
  if (isLast || !error.message.startsWith('changed: ')) throw notBuilt(error);
}

function notBuilt(error: ViewError): ToolError {
  const [, path] = /^changed: (.*)/s.exec(error.message) ?? [];
  if (path === undefined) {
    return new ToolError(
      'command_blocked',
      `the sandbox could not be built, so the command did not run: ${error.message}`,
      {
        suggestion: 'ask the person: jinn --doctor says what is missing',
      },
    );
  }
  return new ToolError(
    'command_blocked',
    'the command did not run: the workspace kept changing below a protected file or repository while the sandbox was built',
    { suggestion: 'wait for what renames directories, or end the background job that does, and send it again' },
  );
}
