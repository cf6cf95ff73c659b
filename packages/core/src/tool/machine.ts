import type { ChangedFile, History, ReadRecords, Spill, UserFiles, Workspace } from '@jinn/workspace';
import type { Grants } from './approval/grants.ts';
import type { Answer, DANGER_POLICIES, Question, Settlement } from './approval/question.ts';
import type { Memory } from './memory-contract.ts';
import type { SandboxPolicy } from './sandbox-policy.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The parts of the machine that tools may reach. A process opens it once, for all of its calls. */
export interface Machine {
  readonly workspace: Workspace;
  readonly spill: Spill;
  readonly lockDirectory: string | undefined;
  /** True if the process serves several users, of whom none waits for the disk of another. */
  readonly servesSeveral?: boolean | undefined;
  /** A tool passes on to a program only those that it names. */
  readonly environment: Environment;
  /** The PATH of the agent's commands. That of `environment` has no directory of the workspace. */
  readonly commandPath?: string | undefined;
  readonly user: UserFiles;
  /** Opened at the first call. Undefined if jinn runs without one. Rejects if it cannot be opened. */
  history(): Promise<History | undefined>;
  memory(): Promise<Memory>;
  /** Loaded at the first call, and opened when one is looked up. */
  grants(): Promise<Grants>;
  /** Reads the settings. For a tool, once per session. Rejects with `command_blocked`. */
  sandboxPolicy(): Promise<SandboxPolicy>;
  /** Writes a line for the operator. It never reaches the agent. */
  log(line: string): void;
}

/** Keeps services longer than a call. A process that serves one request has a session of one call. */
/** The input of a job, for the user. No text goes through the model, or is recorded. */
export interface JobPrompt {
  /** True if its terminal shows nothing of what is typed, as for a password. */
  isHidden(): boolean;
  /** Types a line. Its text is hidden in what the job writes from then on. */
  answer(line: string): void;
}

export interface Session {
  /** True if no later call can come. */
  readonly endsWithCall: boolean;
  readonly reads: ReadRecords;
  /** Returns the instance that `create` made at its first call. The session closes it. Throws `canceled` after that. */
  use<T extends Service>(create: () => T): T;
  /** Returns the remarks of the services on the files that a call has changed, for the `meta` of the answer. */
  notifyChanged(files: readonly ChangedFile[], signal: AbortSignal | undefined): Promise<object>;
  /** Returns the remarks of the services on earlier calls, for the `meta` of an answer that changed no files. */
  news(): Promise<object>;
  readonly hasServices: boolean;
  /** True while work may continue between calls: a service was asked for that is not passive. */
  readonly worksBetweenCalls: boolean;
  /** Closes the services, the youngest first, whether one fails or not. */
  close(): Promise<void>;
}

export interface Service {
  /** True while it only holds data, so that nothing runs between calls. */
  readonly isPassive?: boolean;
  close?(): void | Promise<void>;
  /** Returns remarks on earlier calls, each once. It waits for nothing. */
  news?(): Promise<object | undefined>;
  /** Called before the answer of a call that changed files. Returns members for its `meta`. Takes a bounded time. */
  filesChanged?(files: readonly ChangedFile[], signal: AbortSignal | undefined): Promise<object | undefined>;
}

/** For a dangerous command: ask the user, run it, block it, or ask unless the call itself overrides that. */
export type DangerPolicy = (typeof DANGER_POLICIES)[number] | 'force';

/** The other end of a call: the connection that it came from, and what can be sent back while it runs. */
export interface CallHooks {
  readonly session: Session;
  readonly client?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly showsVisualizations?: boolean | undefined;
  /** True if the caller asked for all of `meta`. Slow parts, such as the diff of a change, are only made then. */
  readonly wantsMeta?: boolean | undefined;
  /** The most text of an answer, in bytes, if it goes to a model: tools page to fit. Absent if a program takes it. */
  readonly maxResult?: number | undefined;
  readonly dangerous?: DangerPolicy | undefined;
  /**
   * Asks the user. Returns undefined if the user did not answer, `everybody` for yes from now on to everybody, and
   * `nobody` if the user cannot be asked after all. It may throw `approval_required` if the answer can only come with a
   * second call of the same arguments. It gives up when `signal` aborts: the user has answered elsewhere.
   */
  readonly ask?:
    | ((question: Question, signal?: AbortSignal) => Promise<Answer | 'everybody' | 'nobody' | undefined>)
    | undefined;
  settled?(settlement: Settlement, question: Question): void;
  /** False if the answer "always" is not offered, since it would count for other users too. True if absent. */
  readonly remembers?: boolean | undefined;
  readonly allowsForAll?: boolean | undefined;
  /** Its name, if several servers serve a workspace. Things that stay with one server, such as a job, name it. */
  readonly server?: string | undefined;
  /** The right that the user lacks to see and undo the changes of others, in words. */
  readonly lacksForOthers?: string | undefined;
  /** Counts a background job. The returned function counts its end. Throws `resource_limit` if there are too many. */
  beginJob?(): () => void;
  readonly progress?: ((message: string, done: number, total?: number) => void) | undefined;
  /** Takes a function that reads the end of a command's output so far, and the prompt of a job that takes input. Both work until the end. */
  readonly watchOutput?: ((read: () => string, prompt?: JobPrompt) => void) | undefined;
}
