import { DANGER_POLICIES, type DangerPolicy, SANDBOX_MODES, type SandboxMode } from '@jinn/core';
import { invalidArgs } from '@jinn/core/invalid-args';
import { SCHEMA_FORMATS } from '@jinn/toolsets';
import * as z from 'zod/mini';
import type { Approve } from './ask-caller.ts';
import type { ToolsetName } from './tool-types.d.ts';

/** The tools to open, and what they may do. */
export interface JinnOptions<T extends ToolsetName = 'jinn'> {
  /** The directory that the tools are confined to. */
  readonly root: string;
  /** The toolsets to serve. Only `jinn` if absent. */
  readonly toolsets?: readonly T[];
  /** Serves only these tools. */
  readonly tools?: readonly string[];
  /** Leaves out these tools. */
  readonly excludeTools?: readonly string[];
  /** True to serve only tools that read. */
  readonly readOnly?: boolean;
  /** How the system confines commands. If absent, as config.json says, otherwise `auto`: confined if the system can. */
  readonly sandbox?: SandboxMode;
  /** True if confined commands may reach the network. */
  readonly network?: boolean;
  /** The treatment of dangerous commands. `ask`, the default, asks by `approve`, and refuses if that is absent. */
  readonly dangerous?: Exclude<DangerPolicy, 'force'>;
  /** Puts questions to the user. A call may have its own. */
  readonly approve?: Approve;
  /** Ends all calls when it aborts. */
  readonly signal?: AbortSignal;
  /** False to change files without an undo history. */
  readonly history?: boolean;
  /** The variables by which jinn finds its state, some of which commands get. Those of the process if absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The name by which the notes of `related_context` know the agent. */
  readonly client?: string;
  /** Gets lines for the operator, such as a fault inside a tool. They are dropped if absent. */
  readonly log?: (line: string) => void;
}

/** The options of one call. */
export interface CallOptions {
  /** Ends this call when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Puts the questions of this call, instead of the `approve` of the instance. */
  readonly approve?: Approve | undefined;
  /** Hears how far the call is. */
  readonly onProgress?: (message: string, done: number, total?: number) => void;
  /** True to get all details for programs in `meta`, such as the diff of a change. */
  readonly meta?: boolean;
}

const NAMES = z.array(z.string());
const FUNCTION = z.custom<() => void>((value) => typeof value === 'function', 'Invalid input: expected function');
const SIGNAL = z.optional(z.instanceof(AbortSignal));

const JINN_OPTIONS = z.strictObject({
  root: z.string(),
  toolsets: z.optional(NAMES),
  tools: z.optional(NAMES),
  excludeTools: z.optional(NAMES),
  readOnly: z.optional(z.boolean()),
  sandbox: z.optional(z.enum(SANDBOX_MODES)),
  network: z.optional(z.boolean()),
  dangerous: z.optional(z.enum(DANGER_POLICIES)),
  approve: z.optional(FUNCTION),
  signal: SIGNAL,
  history: z.optional(z.boolean()),
  environment: z.optional(z.custom<object>(isEnvironment, 'Invalid input: expected an object of strings')),
  client: z.optional(z.string()),
  log: z.optional(FUNCTION),
} satisfies Record<keyof JinnOptions, z.ZodMiniType>);

const CALL_OPTIONS = z.strictObject({
  signal: SIGNAL,
  approve: z.optional(FUNCTION),
  onProgress: z.optional(FUNCTION),
  meta: z.optional(z.boolean()),
} satisfies Record<keyof CallOptions, z.ZodMiniType>);

/** The environment of the process is no plain object. */
function isEnvironment(value: unknown): boolean {
  const isText = (member: unknown) => member === undefined || typeof member === 'string';
  return typeof value === 'object' && value !== null && Object.values(value).every(isText);
}

const SCHEMA_OPTIONS = z.strictObject({ format: z.enum(SCHEMA_FORMATS), strict: z.optional(z.boolean()) });

/** Throws `invalid_args` if the options of an instance are wrong. */
export function checkJinnOptions(options: unknown): void {
  check('createJinn', JINN_OPTIONS, options ?? {});
}

/** Throws `invalid_args` if the options of a call are wrong. */
export function checkCallOptions(options: CallOptions): void {
  check('call', CALL_OPTIONS, options);
}

/** Throws `invalid_args` if the format of the tools, or another option, is wrong. */
export function checkSchemaOptions(options: object): void {
  check('tools', SCHEMA_OPTIONS, options);
}

function check(name: string, input: z.ZodMiniObject, options: unknown): void {
  const { error } = z.safeParse(input, options, { error: z.locales.en().localeError, reportInput: true });
  if (error) throw invalidArgs(name, { input, issues: error.issues, called: 'option' });
}
