import type { SandboxPolicy } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { chooseSandbox } from './choose-sandbox.ts';
import type { BytePath, Mount, UndoneTrap } from './git/index.ts';

export type SandboxName = 'none' | 'bubblewrap' | 'sandbox-exec';

export interface Confinement {
  /** The workspace and the directory to start in, by their real paths. */
  readonly root: string;
  readonly cwd: string;
  readonly policy: SandboxPolicy;
  readonly network: boolean;
  /** A directory that the command can read, wherever it lies; a real path. `argv` has its files by their paths outside. */
  readonly folder?: string;
  /** A file or directory that a server consists of and could not read otherwise; a real path, that `argv` has too. */
  readonly program?: string | undefined;
  /** A directory that the command can read although it lies in a hidden one; absolute. */
  readonly readable?: string | undefined;
  /** True for a command that may run on after the answer: repositories are read-only for it. */
  readonly lasting: boolean;
  /** Ends the scan of the workspace, which may take seconds; then the command does not run. */
  readonly signal?: AbortSignal | undefined;
}

/** A place that something is mounted over, by its real path. */
export interface ProtectedPlace {
  readonly path: string;
  readonly kind: Mount['kind'];
}

/** A command line with the sandbox in front. */
export interface ConfinedCommandLine {
  readonly sandbox: SandboxName;
  /** The reason if there is none. */
  readonly why?: string;
  readonly argv: readonly string[];
  /** The description of bubblewrap's view, for startCommand. */
  readonly view: readonly string[];
  readonly protectedPlaces: readonly ProtectedPlace[];
  /** Repositories in which no `commondir` may appear. */
  readonly watched: readonly BytePath[];
  /** A sentence for the person about this workspace, if there is one. */
  readonly warning?: string | undefined;
  /** Undoes, after the command has ended, the changes that would turn git against the person. */
  readonly check: () => Promise<UndoneTrap[]>;
}

/**
 * Puts the sandbox of the system in front of a command, as the policy says (docs/shell.md, "Sandbox"). Throws
 * `command_blocked` if a sandbox is required, or needed to block the network, and none works.
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
