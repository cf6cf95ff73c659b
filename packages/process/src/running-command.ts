export interface Command {
  /** The program by its absolute path, and its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The content of standard input, which is empty if this is undefined. */
  readonly stdin: string | Uint8Array | undefined;
  /** Lets jinn type the input while the command runs, into a pipe, or at a terminal that is its output too. */
  readonly input?: 'pipe' | 'terminal' | undefined;
  /** The control group (cgroup v2) that the command, and all that it starts, runs in. Absolute. */
  readonly controlGroup?: string | undefined;
  /** How bubblewrap's view of the file system is built before the command starts (sandbox-view.pl). */
  readonly view?: readonly string[];
}

export type Stream = 'stdout' | 'stderr';

export interface CommandEnd {
  /** As a shell would say it: 128 and the number for a signal. */
  readonly exitCode: number;
  readonly signal: number | undefined;
  /** True if it left processes running, which were ended after it. */
  readonly leftRunning: boolean;
  /** Processes that could not be ended, such as those of another user. */
  readonly survivors: number;
}

export interface RunningCommand {
  pid(): number | undefined;
  readonly ended: Promise<CommandEnd>;
  /** Ends the command and everything that it started, at once. Does nothing when it has ended. */
  stop(): void;
  /** Sends SIGTERM to the command and its process group. Does nothing when it has ended. */
  terminate(): void;
  listens(): boolean;
  /** Types bytes for the command. None end its input. Absent if it takes none. */
  readonly type?: (bytes: Buffer) => void;
  readonly typing?: () => Typing;
}

/** The state of the input that was typed. */
export interface Typing {
  /** True if the view of the sandbox is there, so that the command was not started in vain. */
  readonly isBuilt: boolean;
  /** How many bytes the command has not taken. */
  readonly waiting: number;
  /** True if its terminal shows nothing of what is typed, as for a password. */
  readonly isHidden: boolean;
}
