import type { Machine } from './machine.ts';
import { once, type Service, type Session } from './session.ts';

export const SANDBOX_MODES = ['off', 'auto', 'require'] as const;

/**
 * The modes: commands never run in a sandbox of the operating system, run in one if there is one, or do not run without
 * one.
 */
export type SandboxMode = (typeof SANDBOX_MODES)[number];

/** How commands are confined (docs/shell.md). All paths are absolute. */
export interface SandboxPolicy {
  readonly mode: SandboxMode;
  /** What sets the mode. */
  readonly source?: '--sandbox' | 'config.json' | 'default';
  /** False to run without the network, which only a sandbox can do. */
  readonly network: boolean;
  readonly home: string | undefined;
  /** The directory of jinn's own files: hidden inside. */
  readonly state: readonly string[];
  /**
   * Places where commands may write besides the workspace, the directory for temporary files and the caches of
   * toolchains.
   */
  readonly writable: readonly string[];
  /**
   * Paths of the list of files that programs run (`@jinn/workspace/secrets/run-files`), below any project, that commands may
   * write.
   */
  readonly opened?: readonly string[];
  /** The variables of jinn, which may name places of secrets. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Places that are hidden besides the known places of secrets. */
  readonly hidden: readonly string[];
  /** Files of the operator of a server: hidden, whatever the settings say. */
  readonly ownFiles?: readonly string[];
  /** Places of secrets that are not hidden. */
  readonly shown?: readonly string[];
  /** Unix sockets outside the workspace that commands may reach while they have the network. */
  readonly sockets?: readonly string[];
  /** Further settings for single custom tools, by their names. */
  readonly tools?: Readonly<Record<string, ToolSandbox>>;
  /** The control group of the system (cgroup v2) that commands run in, whether or not in a sandbox; absolute. */
  readonly controlGroup?: string | undefined;
  /** The directory in which the sandbox keeps what it needs for the next command; undefined if there is no home. */
  readonly keep?: string | undefined;
}

/** The settings for one custom tool. */
export interface ToolSandbox {
  /** False to run without the network. */
  readonly network?: boolean;
  /** More places where it may write. */
  readonly writable?: readonly string[];
}

interface KeptPolicy extends Service {
  read?: () => Promise<SandboxPolicy>;
}

function createKeptPolicy(): KeptPolicy {
  return { isPassive: true };
}

/** Reads the policy once a session. Security: if a command changes the settings, that affects no later command. */
export function policyOfSession({ session, sandboxPolicy }: Pick<Machine, 'sandboxPolicy'> & { session: Session }) {
  const kept = session.use(createKeptPolicy);
  kept.read ??= once(sandboxPolicy);
  return kept.read();
}
