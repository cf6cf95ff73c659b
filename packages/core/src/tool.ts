import type * as Zod from 'zod/mini';
import type { JsonSchema } from './accept-args.ts';
import type { ErrorDetails } from './errors.ts';
import type { History } from './history.ts';
import type { Memory } from './memory.ts';
import type { SandboxPolicy } from './sandbox-policy.ts';
import type { Session } from './session.ts';
import type { Spill } from './spill.ts';
import type { UserFiles } from './user-files.ts';
import type { Workspace } from './workspace.ts';

/** The most that a tool may do. Front-ends derive their policies and annotations from it; it has no default. */
export type Effect = 'read' | 'write' | 'execute';

/** An image for a vision model; `data` is base64. */
export interface ImageBlock {
  readonly type: 'image';
  readonly mimeType: string;
  readonly data: string;
}

/** What a command may do, as far as its text tells. */
export type Risk = NonNullable<ErrorDetails['risk']>;

/** What a tool gives back: text, or data that becomes compact JSON, or content blocks. */
export interface ToolOutput {
  readonly text?: string;
  readonly data?: object;
  readonly content?: readonly ImageBlock[];
  readonly classification?: string;
  readonly risk?: Risk;
  readonly truncated?: boolean;
  readonly totalCount?: number;
  /** What a program may want beside the result: versions, line numbers, hashes. */
  readonly meta?: object;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a person says to a question. */
export type Approval = 'approved' | 'declined';

/** A tool's only way to the machine, and the little it may know about the process around it. */
export interface ToolContext {
  readonly workspace: Workspace;
  readonly session: Session;
  readonly spill: Spill;
  /** Where the locks of files are; undefined when there is no home. */
  readonly lockDirectory: string | undefined;
  readonly catalog: Catalog;
  /** Writes a line for the operator; it never reaches the agent. */
  log(line: string): void;
  /** Adds a sentence to the warnings of the answer: what was left out, or is odd, although the call is ok. */
  warn(warning: string): void;
  /** Opens the undo history when it is first needed; undefined when jinn runs without. Throws when it cannot be had. */
  history(): Promise<History | undefined>;
  /** The variables that the process was given, for programs that a tool starts; none goes on unless it is named. */
  readonly environment: Environment;
  /** Opens the memory when it is first needed. Throws when it cannot be had. */
  memory(): Promise<Memory>;
  readonly user: UserFiles;
  /** The program that asks, as it calls itself: claude, codex, pi, …; undefined when it does not say. */
  readonly client: string | undefined;
  /** How commands are confined; read from the settings when it is first asked for. Rejects with `command_blocked`. */
  sandboxPolicy(): Promise<SandboxPolicy>;
  /** Aborts when the caller has canceled, or has gone. */
  readonly signal: AbortSignal | undefined;
  /**
   * Asks the person at the host; undefined when nobody can be asked. Ask before anything has changed, and let through
   * what it throws: a host may take the answer only with a second call of the same arguments.
   */
  approve(question: string): Promise<Approval | undefined>;
  /** Tells the host how far the work is. `done` only grows; `total` where it is known. Costs nothing where nobody asked. */
  progress(message: string, done: number, total?: number): void;
  /** Ends long work: gives way to other work now and then, and throws `canceled` or `timeout` when it is time. */
  checkpoint(): Promise<void>;
}

/** What may be known of the tools that are served. */
export interface Catalog {
  /** The version of jinn. */
  readonly version: string;
  /** All tools, in the order in which they are listed. */
  describe(): Promise<ToolDescription[]>;
}

/** A tool as a caller needs to know it. */
export interface ToolDescription {
  readonly name: string;
  readonly effect: Effect;
  readonly description: string;
  readonly schema: JsonSchema;
  /** The schema of its data; undefined for a tool that answers with anything else. */
  readonly output: JsonSchema | undefined;
  readonly examples: readonly object[];
}

/** The zod object schema of a tool's arguments. */
export type ArgsSchema = Zod.ZodMiniObject;

export interface Tool {
  readonly name: string;
  readonly effect: Effect;
  readonly description: string;
  /** Builds the schema, the only statement of the arguments. A function, so that a call need not load zod. */
  readonly input: (z: typeof Zod) => ArgsSchema;
  /** The JSON Schema of `data`, for a tool that answers with data whatever it is asked. */
  readonly output?: JsonSchema;
  /** Arguments that parse; shown in the docs and in errors. */
  readonly examples: readonly object[];
  readonly run: (args: never, ctx: ToolContext) => ToolOutput | Promise<ToolOutput>;
}

interface ToolDefinition<S extends ArgsSchema> extends Omit<Tool, 'input' | 'run'> {
  readonly input: (z: typeof Zod) => S;
  run(args: Zod.output<S>, ctx: ToolContext): ToolOutput | Promise<ToolOutput>;
}

/** Types `run` by `input`; returns its argument. */
export function defineTool<S extends ArgsSchema>(tool: ToolDefinition<S>): Tool {
  return tool;
}
