import fs from 'node:fs';
import type { SandboxPolicy } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type Command, type CommandEnd, type RunningCommand, type Stream, startCommand, ViewError } from '../index.ts';
import type { ConfinedCommandLine, Confinement, Sandbox, SandboxName } from './confinement.ts';
import { type BytePath, toSystemPath, type UndoneTrap } from './git/index.ts';
import { type Denial, findDenials } from './sandbox-denials.ts';

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
  async function toEnd(): Promise<ConfinedEnd> {
    for (let attempt = 1; ; attempt++) {
      try {
        return { ...(await running.ended), undone: await confined.check() };
      } catch (error) {
        await confined.check();
        await throwUnlessChanged(error, confinement, attempt === ATTEMPTS || stopping.signal.aborted);
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
    { suggestion: 'send it again; if it fails again, ask the user: jinn --doctor says what is missing' },
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
      policy.mode === 'off' ? undefined : `no sandbox confines commands: ${why}; jinn --doctor says how to get it`;
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
