import fs from 'node:fs';
import { lazy, type Outcome, type Registry, type Request, type ToolDescription } from '@jinn/core';
import { fromSystemError, ToolError } from '@jinn/core/errors';
import { type ModelAnswer, openEngine, type RequestHooks, type SchemaOptions, toSchemaFormat } from '@jinn/toolsets';
import { type MachineOptions, openMachine } from '@jinn/toolsets/machine';
import { recordCalls } from '@jinn/ui/record-calls';
import { findDirectories } from '@jinn/workspace';
import packageJson from '../package.json' with { type: 'json' };
import type { ApiAnswers, ApiToolCall, ApiTools } from './api-types.ts';
import { type ApprovalQuestion, askBy, toApprovalQuestion } from './ask-caller.ts';
import { type CallAnswer, toAnswer } from './call-answer.ts';
import { createEvents, type JinnEvent } from './call-events.ts';
import {
  type CallOptions,
  checkCallOptions,
  checkJinnOptions,
  checkSchemaOptions,
  type JinnOptions,
} from './library-options.ts';
import type { ToolsetName, Toolsets } from './tool-types.d.ts';

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

/** The tools of jinn in this process. */
export interface Jinn<T extends ToolsetName = 'jinn'> extends AsyncDisposable {
  /** The directory that the tools are confined to, by its real path. */
  readonly root: string;
  /** Calls a tool. Rejects with a ToolError, whose `code` names the fault, or with the error that `approve` threw. */
  call<N extends ToolName<T>>(
    name: N,
    args: ToolArgs<N, T>,
    options?: CallOptions,
  ): Promise<CallAnswer<ToolData<N, T>>>;
  /**
   * Calls a tool for a model: arguments as the model sent them, and an answer of bounded size, also if the tool failed.
   * It rejects only if `approve` throws, or for wrong options.
   */
  callForModel(name: string, args: unknown, options?: CallOptions): Promise<ModelAnswer>;
  /**
   * Returns the question that a call would put to the user, or undefined if it would run, or fail, without one. It runs
   * nothing and never rejects. The call asks again: give it an `approve` that knows the `token` of this question.
   */
  question(name: string, args: unknown): Promise<ApprovalQuestion | undefined>;
  /**
   * Answers a call as the API of a model gives it, with the object that the API expects, also if the tool failed. It
   * rejects with `invalid_request` for what is no such call, and otherwise as `callForModel` does.
   */
  answer<C extends ApiToolCall>(call: C, options?: CallOptions): Promise<ApiAnswers[C['type']]>;
  /** Describes the tools: name, description, JSON Schema of the arguments, effect. */
  tools(): Promise<ToolDescription[]>;
  /** Returns the tools as an API takes them. Strict is for OpenAI: the model is then forced to follow the schemas. */
  tools<F extends keyof ApiTools>(format: F, options?: SchemaOptions): Promise<ApiTools[F][]>;
  /**
   * Returns what happens to all calls from now on, until the instance is closed. Leaving the loop ends it. Events that are
   * not read are kept in memory.
   */
  events(): AsyncIterable<JinnEvent>;
  /** Ends what still runs, such as jobs and language servers. Later calls are refused with `canceled`. */
  close(): Promise<void>;
}

/** The part of an instance that an adapter needs, regardless of its toolsets. */
export type ModelJinn = Pick<Jinn, 'tools' | 'question' | 'callForModel'>;

const VERSION = packageJson.version;

/**
 * Opens the tools on a directory, in this process. Instances share nothing but the disk. Throws `invalid_args` for wrong options, and
 * `file_not_found` or `not_a_directory` if the root is not a directory. Calls reject with `invalid_request` for an unknown toolset, and
 * with `unknown_tool` if `tools` or `excludeTools` has an unknown name.
 */
export function createJinn<const T extends ToolsetName = 'jinn'>(options: JinnOptions<T>): Jinn<T> {
  checkJinnOptions(options);
  const { signal: ending, approve: ofAll, client, dangerous = 'ask' } = options;
  const { toolsets = ['jinn'], tools, excludeTools = [], readOnly = false } = options;
  const served = { toolsets, readOnly, excludeTools, ...(tools && { tools }) };
  const { environment = process.env } = options;
  const home = environment['HOME'] || undefined;
  const directories = findDirectories(environment, home);
  const machine = open(options, { environment, home, directories });
  const { root } = machine.workspace;
  const events = createEvents();
  const wrap = (call: Registry['call']) => recordCalls(events.observe(call), { directories, program: 'library' });
  const engine = openEngine(machine, { version: VERSION, served, client, dangerous, signal: ending, wrap });
  async function callForModel(request: Request, options: CallOptions | undefined): Promise<ModelAnswer> {
    return run(request, options, (hooks) => engine.callForModel(request, hooks));
  }
  async function run<R extends Pick<Outcome, 'ok'>>(
    request: Request,
    options: CallOptions | undefined,
    work: (hooks?: RequestHooks) => Promise<R>,
  ): Promise<R> {
    if (options) checkCallOptions(options);
    else if (!ofAll) return work();
    const { signal: own, approve = ofAll, onProgress: progress, meta: wantsMeta } = options ?? {};
    const signal = ending && own ? AbortSignal.any([ending, own]) : (own ?? ending);
    const asking = approve && askBy(approve, { ...request, root }, signal);
    const result = await work({ signal, wantsMeta, progress, ask: asking?.ask });
    if (!result.ok) asking?.rethrow();
    return result;
  }
  const close = lazy(async () => {
    await engine.close();
    machine.close();
    events.close();
  });
  return {
    root,
    call: async (tool, args, options) => {
      const request = { tool, args };
      return toAnswer(await run(request, options, (hooks) => engine.call(request, hooks)));
    },
    callForModel: (tool, args, options) => callForModel({ tool, args }, options),
    answer: async <C extends ApiToolCall>(given: C, options?: CallOptions) => {
      const { refuseModelCall, toModelCall } = await import('@jinn/core/model-calls');
      const call = toModelCall({ ...(given as object) });
      if (!call) throw notOfModel(given);
      if (call.fault) return refuseModelCall(call, call.fault) as ApiAnswers[C['type']];
      const { ok, content } = await callForModel({ tool: call.tool, args: call.args }, options);
      return call.toAnswer(ok, content) as ApiAnswers[C['type']];
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
    tools: async <F extends keyof ApiTools>(format?: F, options?: SchemaOptions) => {
      if (format !== undefined) checkSchemaOptions({ format, ...options });
      const described = await engine.describe();
      if (format === undefined) return described as ToolDescription[] & ApiTools[F][];
      return described.map((tool) => toSchemaFormat(tool, format, options)) as ToolDescription[] & ApiTools[F][];
    },
    events: events.open,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function notOfModel({ type }: ApiToolCall): ToolError {
  const message = `the type of a call is tool_use, function or function_call, not ${JSON.stringify(type)}`;
  return new ToolError('invalid_request', message, { suggestion: 'pass the call on as the API gave it' });
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
