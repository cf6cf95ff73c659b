import type { History, Spill, UserFiles, Workspace } from '@jinn/workspace';
import type { Answer, DANGER_POLICIES, Question, Settlement } from './approval/authorize.ts';
import type { Grants } from './approval/grants.ts';
import type { Memory } from './contracts/memory-contract.ts';
import type { SandboxPolicy } from './sandbox-policy.ts';
import type { Session } from './session.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The parts of the machine that tools may reach. A process opens it once, for all of its calls. */
export interface Machine {
  readonly workspace: Workspace;
  readonly spill: Spill;
  /** The directory of the file locks; undefined if the user has no home directory. */
  readonly lockDirectory: string | undefined;
  /** True if the process answers several people, of whom none waits for the disk of another. False if absent. */
  readonly servesSeveral?: boolean | undefined;
  /** The environment variables of the process. A tool passes on to a program only those that it names. */
  readonly environment: Environment;
  /** The PATH of the agent's commands. That of `environment` has no directory of the workspace. */
  readonly commandPath?: string | undefined;
  readonly user: UserFiles;
  /** Opens the undo history at the first call; undefined if jinn runs without one. Rejects if it cannot be opened. */
  history(): Promise<History | undefined>;
  /** Opens the memory at the first call. Rejects if it cannot be opened. */
  memory(): Promise<Memory>;
  /** Loads the remembered approvals at the first call. They are opened when one is looked up. */
  grants(): Promise<Grants>;
  /** Reads the settings and returns how commands are confined; for a tool, once a session. Rejects with `command_blocked`. */
  sandboxPolicy(): Promise<SandboxPolicy>;
  /** Writes a line for the operator. It never reaches the agent. */
  log(line: string): void;
}

/**
 * The treatment of a dangerous command: a person is asked, it runs, it is refused, or a person is asked unless the call
 * itself overrides that.
 */
export type DangerPolicy = (typeof DANGER_POLICIES)[number] | 'force';

/** The other end of a call: the connection that it came from, and what can be sent back while it runs. */
export interface Caller {
  readonly session: Session;
  /** The client of requests that name none. */
  readonly client?: string | undefined;
  /** Aborts when the host has canceled the call or has gone away. */
  readonly signal?: AbortSignal | undefined;
  /** True if the caller shows visualizations to a person. */
  readonly showsVisualizations?: boolean | undefined;
  /**
   * True if the caller asked for all of `meta`: parts that take time and that nobody else reads, such as the diff of a
   * change, are only made then.
   */
  readonly wantsMeta?: boolean | undefined;
  /**
   * The most text of an answer, in bytes, if the answer goes to a model unchanged. Tools page to fit into it, and
   * choose the form that a model reads best. Absent if a program takes the answer.
   */
  readonly maxResult?: number | undefined;
  /** The treatment of dangerous commands; `force` if absent. */
  readonly dangerous?: DangerPolicy | undefined;
  /**
   * Puts a question to the person and returns the answer: undefined if the person did not answer, `everybody` for yes
   * from now on to whoever asks. It is absent if nobody can be asked, and returns `nobody` if that turns out only now.
   * It may throw `approval_required` if the answer can only come with a second call of the same arguments. It gives up
   * when `signal` aborts: the person has answered elsewhere.
   */
  readonly ask?:
    | ((question: Question, signal?: AbortSignal) => Promise<Answer | 'everybody' | 'nobody' | undefined>)
    | undefined;
  /** Hears how a question of the call was settled, for the operator's record. */
  settled?(settlement: Settlement, question: Question): void;
  /** False if the answer "always" is not offered, since it would count for other people too. True if absent. */
  readonly remembers?: boolean | undefined;
  /** True if the person may allow something for everybody in the workspace. False if absent. */
  readonly allowsForAll?: boolean | undefined;
  /** The name of this server if several serve a workspace. Things that stay with one server, such as a job, name it. */
  readonly server?: string | undefined;
  /**
   * The right that the person lacks to see the changes of others and to take them back, in words. Absent if they have
   * it.
   */
  readonly lacksForOthers?: string | undefined;
  /**
   * Counts a background job of the person, and returns a function that counts its end. Throws `resource_limit` if they
   * may have no more. Absent if nobody counts.
   */
  beginJob?(): () => void;
  /** Reports how far a call is. `done` only grows; `total` is given if it is known. */
  readonly progress?: ((message: string, done: number, total?: number) => void) | undefined;
}
