export const SANDBOX_MODES = ['off', 'auto', 'require'] as const;

/** Commands never run in a sandbox of the operating system, run in one if there is one, or do not run without one. */
export type SandboxMode = (typeof SANDBOX_MODES)[number];

/** How commands are confined (docs/shell.md). All paths are absolute. */
export interface SandboxPolicy {
  readonly mode: SandboxMode;
  readonly source?: '--sandbox' | 'config.json' | 'default';
  /** False to run without the network, which only a sandbox can do. */
  readonly network: boolean;
  readonly home: string | undefined;
  /** jinn's own files: hidden inside. */
  readonly state: readonly string[];
  /** Where commands may write besides the workspace, the directory for temporary files and the caches of toolchains. */
  readonly writable: readonly string[];
  /** Of the files that programs run (`secrets/run-files`), below any project: those that commands may write. */
  readonly opened?: readonly string[];
  /** Variables of jinn, which may name places of secrets. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Hidden in addition to the known places of secrets. */
  readonly hidden: readonly string[];
  /** Files of the operator of a server: always hidden. */
  readonly ownFiles?: readonly string[];
  /** A directory of which commands see the workspace, and nothing else. */
  readonly apart?: string | undefined;
  /** Places of secrets that are not hidden. */
  readonly shown?: readonly string[];
  /** Unix sockets outside the workspace that commands may reach while they have the network. */
  readonly sockets?: readonly string[];
  readonly tools?: Readonly<Record<string, ToolSandbox>>;
  /** The control group (cgroup v2) that commands run in, in a sandbox or not. */
  readonly controlGroup?: string | undefined;
  /** Where the sandbox saves what it needs for the next command. Undefined if there is no home. */
  readonly keep?: string | undefined;
}

export interface ToolSandbox {
  readonly network?: boolean;
  readonly writable?: readonly string[];
}
