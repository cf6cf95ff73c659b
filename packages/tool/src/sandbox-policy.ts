export const SANDBOX_MODES = ['off', 'auto', 'require'] as const;

/** Whether commands run in a sandbox of the operating system: never, where there is one, or not at all without one. */
export type SandboxMode = (typeof SANDBOX_MODES)[number];

/** How commands are confined (docs/shell.md). All paths are absolute. */
export interface SandboxPolicy {
  readonly mode: SandboxMode;
  /** False: without the network, which only a sandbox can do. */
  readonly network: boolean;
  readonly home: string | undefined;
  /** Where jinn keeps what is its own: hidden inside. */
  readonly state: readonly string[];
  /** Where commands may write besides the workspace, the directory for temporary files and the caches of toolchains. */
  readonly writable: readonly string[];
  /** What is hidden besides the places where secrets are known to be. */
  readonly hidden: readonly string[];
  /** Places of secrets that are not hidden. */
  readonly shown?: readonly string[];
  /** Unix sockets outside the workspace that commands may reach while they have the network. */
  readonly sockets?: readonly string[];
  /** What holds for single custom tools, by their names, beside the rest. */
  readonly tools?: Readonly<Record<string, ToolSandbox>>;
  /** Where the sandbox keeps what it needs for the next command; none when there is no home. */
  readonly keep?: string | undefined;
}

/** What the settings say of one custom tool. */
export interface ToolSandbox {
  /** False: without the network. */
  readonly network?: boolean;
  /** More places where it may write. */
  readonly writable?: readonly string[];
}
