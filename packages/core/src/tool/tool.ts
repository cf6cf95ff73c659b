import type { ChangedFile } from '@jinn/workspace';
import type * as Zod from 'zod/mini';
import type { ErrorDetails } from '../errors/index.ts';
import type { Visualization, VisualizationOf } from '../visualization/visualization.ts';
import type { Question } from './approval/question.ts';
import type { Input, JsonSchema } from './input/input.ts';
import type { CallHooks, Machine } from './machine.ts';

/** The most that a tool may do. Front-ends derive their annotations and filters from it. It has no default. */
export type Effect = 'read' | 'write' | 'execute';

/** An image for a vision model. */
export interface ImageBlock {
  /** Identifies an image. */
  readonly type: 'image';
  /** The kind of image, such as `image/png`. */
  readonly mimeType: string;
  /** Its bytes in base64. */
  readonly data: string;
}

/** The danger of a command, judged by its text. */
export type Risk = NonNullable<ErrorDetails['risk']>;

export type PictureFacts = Pick<VisualizationOf<'diff'>, 'title' | 'matchInfo'>;

/** Text, or data that becomes compact JSON if there is no text, or content blocks. */
export interface ToolOutput {
  readonly text?: string;
  readonly data?: object;
  readonly content?: readonly ImageBlock[];
  readonly classification?: string;
  readonly risk?: Risk;
  readonly truncated?: boolean;
  readonly totalCount?: number;
  readonly warnings?: readonly string[];
  readonly meta?: object;
  /** If the tool has it anyway, such as from a script that printed it. Every caller gets it. */
  readonly visualization?: Visualization;
  /** Facts that a diff of the changed files does not show, for a later drawing. */
  readonly facts?: PictureFacts;
  /** Called only for a caller that shows it. */
  visualize?(): Visualization | undefined | Promise<Visualization | undefined>;
}

/** A tool's only way to the machine, and the few facts that it may know about the process around it. */
export interface ToolContext extends Machine, Omit<CallHooks, 'ask' | 'remembers' | 'allowsForAll' | 'progress'> {
  readonly catalog: Catalog;
  readonly canAsk: boolean;
  /** Adds a sentence on an omission, or an oddity, although the call is ok. */
  warn(warning: string): void;
  /** Reports the files that the call has changed, or would in a dry run. */
  recordChanges(files: readonly ChangedFile[], how: { readonly dryRun: boolean }): void;
  /** See CallHooks. Does nothing if the host did not ask for reports. */
  progress(message: string, done: number, total?: number): void;
  /** Lets other work run now and then, and throws `canceled` or `timeout` when long work must end. */
  checkpoint(): Promise<void>;
}

/** What is known of a tool before it is loaded. */
export interface ListedTool {
  readonly name: string;
  readonly effect: Effect;
  readonly toolset: string;
  /** True for a tool whose author marked it as dangerous. */
  readonly isMarked?: boolean | undefined;
  /** Returns the JSON Schema of the arguments. Loads the tool only if some are hidden, or if its schema is not generated. */
  schema(): Promise<JsonSchema>;
  describe(): Promise<ToolDescription>;
}

/** A tool that a live toolset does not serve, by the names under which a caller may know it. */
export interface LeftOutTool {
  readonly names: readonly string[];
  readonly reason: string;
  /** `jinn tools check` is named if absent. */
  readonly suggestion?: string;
}

/** The tools that are served, in the order in which they are shown. */
export interface ToolList {
  readonly tools: readonly ListedTool[];
  readonly leftOut: readonly LeftOutTool[];
}

export interface Catalog {
  readonly version: string;
  /** Loads no tool. */
  list(): Promise<ToolList>;
}

/** The description of a tool for a caller. */
export interface ToolDescription {
  /** The name by which it is called. */
  readonly name: string;
  /** The most that it may do. */
  readonly effect: Effect;
  /** Its purpose, in words for a model. */
  readonly description: string;
  /** The JSON Schema of the arguments. */
  readonly schema: JsonSchema;
  /** True if the schema must be shown unchanged, since a user wrote it. */
  readonly isSchemaExact?: boolean;
  /** The schema of its data, or undefined for a tool that does not always answer with data. */
  readonly output: JsonSchema | undefined;
  /** Arguments that would be right. */
  readonly examples: readonly object[];
  /** The facts for a host. */
  readonly hosting: Hosting;
  /** True for a tool whose author marked it as dangerous. */
  readonly isMarked?: boolean;
}

/** The facts about a tool for a host, beyond its schema. */
export interface Hosting {
  /** True if most tasks need the tool: a host that loads tools when they are searched for loads it at once. */
  readonly isBasic?: boolean;
  /** Words that are not in the description and by which a host finds the tool. */
  readonly searchWords?: string;
  /** The most text of an answer, in bytes, if the host accepts that much. Absent for the usual amount. */
  readonly maxResult?: number;
  /** When the text of an answer names the versions in `meta`. Absent: always if the tool writes, else never. */
  readonly tellsVersions?: 'always' | 'without-session';
  /** True if a host that shows the pages of a server shows each visualization of the tool. */
  readonly isShown?: boolean;
  /** True for a tool that reads the files which jinn keeps of long answers, by `path`, `start_line` and `line_numbers`. */
  readonly readsSpill?: boolean;
  /** Arguments that few calls need. They are taken, but not listed: every conversation pays for a word of a list. */
  readonly unlisted?: readonly string[];
}

export interface ToolFacts {
  readonly name: string;
  readonly effect: Effect;
  readonly description: string;
  readonly input: Input;
  /** For a tool that always answers with data. */
  readonly output?: JsonSchema;
  readonly examples: readonly object[];
  readonly hosting?: Hosting;
  readonly isMarked?: boolean;
  /** Arguments by which a call skips the question. Not served if the operator decides that. */
  readonly overrides?: readonly string[];
  /** Arguments that only change `meta`, or return something no model can use. Not served to a model. */
  readonly forPrograms?: readonly string[];
}

export interface PreparedCall {
  readonly question?: Question | undefined;
  /** Runs it, once. `ctx` is a new one: the time that the user took does not count. */
  run(ctx: ToolContext): ToolOutput | Promise<ToolOutput>;
}

/** The work of a tool: it runs, or, if it may ask, it prepares a call first, which changes nothing. */
export type ToolAction<A> =
  | { run(args: A, ctx: ToolContext): ToolOutput | Promise<ToolOutput>; readonly prepare?: undefined }
  | { prepare(args: A, ctx: ToolContext): PreparedCall | Promise<PreparedCall>; readonly run?: undefined };

export type Tool = ToolFacts & ToolAction<never>;

export type ZodTool<S extends ArgsSchema = ArgsSchema> = ToolFacts & {
  readonly input: ZodInput<S>;
} & ToolAction<never>;

export type ArgsSchema = Zod.ZodMiniObject;

export interface ZodInput<S extends ArgsSchema = ArgsSchema> extends Input {
  /** For a tool that takes the arguments of another one and more. */
  build(z: typeof Zod): S;
  /** Returns the same input with its generated schema, so that a call need not load zod. */
  withSchema(generated: JsonSchema): Input;
}

/** Makes a tool whose runs go through `around`. */
export function wrapRun<T extends Tool>(
  tool: T,
  around: (run: PreparedCall['run'], args: never, ctx: ToolContext) => Promise<ToolOutput>,
): T {
  const { prepare, run }: ToolAction<never> = tool;
  if (!prepare) return { ...tool, run: (args: never, ctx: ToolContext) => around((at) => run(args, at), args, ctx) };
  return {
    ...tool,
    prepare: async (args: never, ctx: ToolContext): Promise<PreparedCall> => {
      const call = await prepare(args, ctx);
      return { ...call, run: (at) => around((given) => call.run(given), args, at) };
    },
  };
}
