import fs from 'node:fs';
import {
  type Answer as ApprovalAnswer,
  type DangerPolicy,
  lazy,
  type Outcome,
  type Question,
  type Registry,
  type Request,
  type SandboxMode,
  type Success,
  type ToolDescription,
} from '@jinn/core';
import { fromSystemError } from '@jinn/core/errors';
import { type ModelAnswer, openEngine, type RequestHooks } from '@jinn/toolsets';
import { type MachineOptions, openMachine } from '@jinn/toolsets/machine';
import { recordCalls } from '@jinn/ui/record-calls';
import { findDirectories } from '@jinn/workspace';
import packageJson from '../package.json' with { type: 'json' };
import type { ToolsetName, Toolsets } from './tool-types.d.ts';

/** A question that the user must answer with yes before a call runs. All of it is safe to show on a terminal. */
export interface ApprovalQuestion {
  /** The name of the tool. */
  readonly tool: string;
  /** The arguments of the call, as they were given. */
  readonly args: unknown;
  /** The text for the user: everything that matters for the decision. */
  readonly message: string;
  /** What the answer "always" permits, as a sentence, or undefined if that answer counts as "once". */
  readonly always: string | undefined;
  /**
   * Tells this question from any other: in another directory, about another tool or other arguments, or about code or
   * settings that have changed since. Who decides before the call approves the question of the same token, so that what was shown is what runs.
   */
  readonly token: string;
}

/**
 * Puts a question to the user. An error, undefined, or any value that is not an answer, such as true, means that the
 * person did not answer: the call is refused.
 */
export type Approve = (
  question: ApprovalQuestion,
  signal: AbortSignal | undefined,
) => ApprovalAnswer | undefined | Promise<ApprovalAnswer | undefined>;

interface AskingCall extends Request {
  readonly root: string;
}

/** The tools to open, and what they may do. */
export interface JinnOptions<T extends ToolsetName = 'jinn'> {
  /** The directory that the tools are confined to. */
  readonly root: string;
  /** The toolsets to serve. `jinn` alone if absent. */
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

type ToolsOf<T extends ToolsetName> = { [S in T]: (tools: Toolsets[S]) => void }[T] extends (tools: infer Tools) => void
  ? Tools
  : never;

/** The names that can be called. Custom tools may have any. */
export type ToolName<T extends ToolsetName = 'jinn'> =
  | (keyof ToolsOf<T> & string)
  | ('custom' extends T ? string & {} : never);

/** The arguments of a tool. */
export type ToolArgs<N extends string, T extends ToolsetName = 'jinn'> =
  ToolsOf<T> extends Record<N, { readonly args: infer Args }> ? Args : object;

/** The data of a tool's answer, or undefined for a tool that answers with only text. */
export type ToolData<N extends string, T extends ToolsetName = 'jinn'> =
  ToolsOf<T> extends Record<N, { readonly data: infer Data }> ? Data : object | undefined;

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

/** The answer of a call. Absent members are undefined. */
export interface CallAnswer<Data> extends Omit<Success, 'ok' | 'text' | 'data' | 'picture'> {
  /** The text for a model. Empty if there are only images. */
  readonly text: string;
  /** The data that the text is the JSON of, or undefined for a tool that answers with only text. */
  readonly data: Data;
}

/** The tools of jinn in this process. */
export interface Jinn<T extends ToolsetName = 'jinn'> extends AsyncDisposable {
  /** The directory that the tools are confined to, by its real path. */
  readonly root: string;
  /** Calls a tool. Rejects with a ToolError, whose `code` names the fault. */
  call<N extends ToolName<T>>(
    name: N,
    args: ToolArgs<N, T>,
    options?: CallOptions,
  ): Promise<CallAnswer<ToolData<N, T>>>;
  /** Calls a tool for a model: arguments as the model sent them, and an answer of bounded size. It never rejects. */
  callForModel(name: string, args: unknown, options?: CallOptions): Promise<ModelAnswer>;
  /**
   * Returns the question that a call would put to the user, or undefined if it would run, or fail, without one. It runs
   * nothing and never rejects. The call asks again: give it an `approve` that knows the `token` of this question.
   */
  question(name: string, args: unknown): Promise<ApprovalQuestion | undefined>;
  /** Describes the tools: name, description, JSON Schema of the arguments, effect. */
  tools(): Promise<ToolDescription[]>;
  /** Ends what still runs, such as jobs and language servers. Later calls are refused with `canceled`. */
  close(): Promise<void>;
}

/** The part of an instance that an adapter needs, regardless of its toolsets. */
export type ModelJinn = Pick<Jinn, 'tools' | 'question' | 'callForModel'>;

const VERSION = packageJson.version;

/**
 * Opens the tools on a directory, in this process. Instances share nothing but the disk. Throws `file_not_found` or
 * `not_a_directory` if the root is not a directory. Calls reject with `invalid_request` for an unknown toolset, and
 * with `unknown_tool` if `tools` or `excludeTools` has an unknown name.
 */
export function createJinn<const T extends ToolsetName = 'jinn'>(options: JinnOptions<T>): Jinn<T> {
  const { signal: ending, approve: ofAll, client, dangerous = 'ask' } = options;
  const { toolsets = ['jinn'], tools, excludeTools = [], readOnly = false } = options;
  const served = { toolsets, readOnly, excludeTools, ...(tools && { tools }) };
  const { environment = process.env } = options;
  const home = environment['HOME'] || undefined;
  const directories = findDirectories(environment, home);
  const machine = open(options, { environment, home, directories });
  const { root } = machine.workspace;
  const wrap = (call: Registry['call']) => recordCalls(call, { directories, program: 'library' });
  const engine = openEngine(machine, { version: VERSION, served, client, dangerous, signal: ending, wrap });
  /** Returns the options of a call that are its own, or undefined if it has none. */
  const sideOf = (request: Request, options: CallOptions | undefined): RequestHooks | undefined => {
    if (!options && !ofAll) return undefined;
    const { signal: own, approve = ofAll, onProgress: progress, meta: wantsMeta } = options ?? {};
    const signal = ending && own ? AbortSignal.any([ending, own]) : (own ?? ending);
    return { signal, wantsMeta, progress, ask: approve && askBy(approve, { ...request, root }, signal) };
  };
  const close = lazy(async () => {
    await engine.close();
    machine.close();
  });
  return {
    root,
    call: async (tool, args, options) => {
      const request = { tool, args };
      return toAnswer(await engine.call(request, sideOf(request, options)));
    },
    callForModel: async (tool, args, options) => {
      const request = { tool, args };
      return engine.callForModel(request, sideOf(request, options));
    },
    question: async (tool, args) => {
      const request = { tool, args };
      try {
        const question = await engine.question(request);
        return question && toApprovalQuestion({ ...request, root }, question);
      } catch {
        return undefined;
      }
    },
    tools: engine.describe,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function open(
  { root, history, sandbox: mode, network, log = () => {} }: JinnOptions<ToolsetName>,
  user: Pick<MachineOptions, 'environment' | 'home' | 'directories'>,
) {
  return openMachine({
    root: realRoot(root),
    ...user,
    sandbox: { mode, network },
    log,
    ...(history !== undefined && { history }),
  });
}

function realRoot(root: string): string {
  try {
    return fs.realpathSync.native(root);
  } catch (error) {
    throw fromSystemError(error, root);
  }
}

/**
 * Returns the answer of a call that went well, and throws the error of one that failed. It names each member: a copy
 * takes longer.
 */
function toAnswer<Data>(outcome: Outcome): Required<CallAnswer<Data>> {
  if (!outcome.ok) throw outcome.error;
  return {
    text: outcome.text ?? '',
    data: outcome.data as Data,
    content: outcome.content,
    classification: outcome.classification,
    risk: outcome.risk,
    truncated: outcome.truncated,
    totalCount: outcome.totalCount,
    visualization: outcome.visualization,
    warnings: outcome.warnings,
    meta: outcome.meta,
  };
}

function askBy(approve: Approve, call: AskingCall, signal: AbortSignal | undefined) {
  return async (question: Question): Promise<ApprovalAnswer | undefined> =>
    approve(toApprovalQuestion(call, question), signal);
}

function toApprovalQuestion({ root, tool, args }: AskingCall, question: Question): ApprovalQuestion {
  const { message, always, onlyOnce, permission, fingerprint } = question;
  const about = JSON.stringify([root, tool, args, message, permission, fingerprint]);
  const token = process.getBuiltinModule('node:crypto').createHash('sha256').update(about).digest('base64url');
  return { tool, args, message, always: onlyOnce === undefined ? always : undefined, token };
}
