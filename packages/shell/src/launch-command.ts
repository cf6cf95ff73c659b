import type { Environment, ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { findBash, type Stream, type Typing } from '@jinn/process';
import { type ConfinedEnd, type Denial, startConfined } from '@jinn/process/sandbox';
import { type FailedPart, watchPipes } from './exit-class.ts';
import type { OutputCapture } from './output-capture.ts';
import type { OutputDecoder } from './output-decoder.ts';
import type { RunnableCommand } from './risk/index.ts';

/** No system passes a longer argument to a program (MAX_ARG_STRLEN of Linux, with its NUL). */
export const MAX_COMMAND_BYTES = 128 * 1024 - 1;
/** The longest that a call may take, except for a job. */
export const MAX_SECONDS = 300;
const PROGRESS_MS = 1_000;

export interface Capture {
  /** Adds a chunk. Returns false if there is more than a command may write. */
  add(stream: Stream, chunk: Buffer): boolean;
  endOf(stream: Stream): string;
  /** Returns the end of the output so far. */
  plain(): string;
  decodeWith?(decoder: OutputDecoder): void;
  readonly lastLine: string;
  /** Hides a text of the user in what comes from now on. */
  hide?(text: string): void;
}

export interface LaunchRequest {
  readonly command: string;
  readonly verdict: RunnableCommand;
  /** The directory as the caller wrote it, below the workspace root, or undefined for the root. */
  readonly cwd: string | undefined;
  readonly stdin: string | Uint8Array | undefined;
  /** How input is typed while it runs. It is not if this is absent. */
  readonly input?: 'pipe' | 'terminal' | undefined;
  readonly network: boolean;
  /** True to return standard output and error apart, next to the result. */
  readonly streams: boolean;
  /** The most bytes of output to show, if the call sets it. */
  readonly maxOutput?: number | undefined;
  readonly seconds: number;
  /** True for a job that may run on after the answer. */
  readonly background: boolean;
}

export type Stopper = 'timeout' | 'canceled' | 'resource_limit' | 'terminate' | 'kill';

export interface FinishedCommand extends ConfinedEnd {
  readonly stopper: Stopper | undefined;
  readonly durationMs: number;
  readonly failedParts: readonly FailedPart[];
  /** True if it listened on a port at its deadline. */
  readonly didListen: boolean;
}

export interface LaunchedCommand<C extends Capture = OutputCapture> extends LaunchRequest {
  readonly capture: C;
  /** The sandbox, or why there is none. Undefined from a session's second command on, unless all of `meta` is wanted. */
  readonly sandbox: string | undefined;
  readonly startedAt: number;
  readonly finished: Promise<FinishedCommand>;
  readonly findDenials: () => Denial[];
  readonly jinnEnvironment: Environment;
  /** Types a text for it. An empty one ends its input. Absent if it takes none. */
  readonly type?: ((text: string) => void) | undefined;
  readonly typing?: (() => Typing) | undefined;
  /** Ends it and all that it started, or asks it to end (`terminate`). The first cause is the one that is reported. */
  stop(stopper: Stopper): void;
}

/** Starts a command in the workspace, with a deadline and a limit on its output. Throws ToolError if it cannot. */
export async function launch<C extends Capture>(
  request: LaunchRequest,
  capture: C,
  ctx: ToolContext,
): Promise<LaunchedCommand<C>> {
  const endJob = request.background ? ctx.beginJob?.() : undefined;
  try {
    const launched = await launchNow(request, capture, ctx);
    if (endJob) void launched.finished.then(endJob, endJob);
    return launched;
  } catch (error) {
    endJob?.();
    throw error;
  }
}

async function launchNow<C extends Capture>(
  request: LaunchRequest,
  capture: C,
  ctx: ToolContext,
): Promise<LaunchedCommand<C>> {
  const bash = findBash();
  if (bash === undefined) {
    throw new ToolError('command_blocked', 'commands cannot run: bash is not installed', {
      suggestion: 'ask the user to install bash. jinn --doctor shows how',
    });
  }
  const cwd = await resolveDirectory(request.cwd, ctx);
  const atTerminal = request.input === 'terminal' ? AT_TERMINAL : {};
  const environment = environmentOf(request.command, { ...ctx.environment, ...atTerminal, PATH: ctx.commandPath });
  const encoding = localeEncoding(environment);
  const decoder =
    encoding === undefined ? undefined : await (await import('./output-decoder.ts')).openDecoder(encoding);
  if (decoder) capture.decodeWith?.(decoder);
  const policy = await ctx.sandboxPolicy();
  const { root } = ctx.workspace;
  const { background: lasting, stdin, input } = request;
  const readable = ctx.spill.directory;
  const startedAt = now();
  const preparing = new AbortController();
  const signal = ctx.signal ? AbortSignal.any([preparing.signal, ctx.signal]) : preparing.signal;
  const confinement = { root, cwd, policy, network: request.network && policy.network, lasting, readable, signal };
  const stopPreparing = afterSeconds(request.seconds, () => preparing.abort());
  let stopper: Stopper | undefined;
  // A terminal mixes both streams: a report in them would be seen.
  const watch = watchPipes(input === 'terminal' ? { ...request, verdict: NO_WATCH } : request, MAX_COMMAND_BYTES);
  const argv = [bash, '-c', watch.command];
  const running = await startConfined({ argv, environment, stdin, input, confinement }, (stream, chunk) => {
    if (!capture.add(stream, watch.take(stream, chunk))) stop('resource_limit');
  })
    .catch((error: unknown) => {
      throw ctx.signal?.aborted ? new ToolError('canceled', 'the request was canceled before the command ran') : error;
    })
    .finally(() => clearTimeout(stopPreparing));
  function stop(by: Stopper): void {
    if (stopper !== undefined && stopper !== 'terminate') return;
    stopper = by;
    if (by === 'terminate') running.terminate();
    else running.stop();
  }
  const { why, warning } = running;
  if (warning !== undefined && isNew(warning, ctx)) ctx.warn(warning);
  const confiner = why === undefined ? running.sandbox : `none: ${why}`;
  const sandbox = isNew(confiner, ctx) || ctx.wantsMeta ? confiner : undefined;
  let didListen = false;
  function stopAtDeadline(): void {
    didListen = running.listens();
    stop('timeout');
  }
  const timer = afterSeconds(request.seconds - (now() - startedAt) / 1_000, stopAtDeadline);
  const finished = running.ended
    .finally(() => clearTimeout(timer))
    .then((ended) => {
      for (const stream of ['stdout', 'stderr'] as const) capture.add(stream, watch.finish(stream));
      const durationMs = Math.round(now() - startedAt);
      return { ...ended, stopper: effective(stopper, ended), durationMs, failedParts: watch.failedParts, didListen };
    });
  // In a terminal, Enter is a carriage return.
  const toKeys = (text: string) => (input === 'terminal' ? text.replace(/\r?\n/g, '\r') : text);
  const type = running.type && ((text: string) => running.type?.(Buffer.from(toKeys(text))));
  const { typing } = running;
  const answer = (text: string) => {
    capture.hide?.(text);
    type?.(`${text}\n`);
  };
  const prompt = type && typing && { isHidden: () => typing().isHidden, answer };
  ctx.watchOutput?.(() => capture.plain(), prompt);
  const findDenials = () => running.findDenials(capture.endOf('stdout') + capture.endOf('stderr'));
  const { environment: jinnEnvironment } = ctx;
  return { ...request, capture, sandbox, startedAt, finished, findDenials, jinnEnvironment, type, typing, stop };
}

/** Pagers would wait for keys, and run commands that are typed. */
const AT_TERMINAL = { TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', MANPAGER: 'cat', LESSSECURE: '1' };
const NO_WATCH = { watch: () => undefined };

function createTold() {
  return { isPassive: true, told: new Set<string>() };
}

function isNew(fact: string, { session }: ToolContext): boolean {
  const { told } = session.use(createTold);
  const { size } = told;
  return told.add(fact).size > size;
}

function afterSeconds(seconds: number, work: () => void): NodeJS.Timeout | undefined {
  return seconds === Infinity ? undefined : setTimeout(work, seconds * 1_000);
}

/** Returns the cause that stopped a command. A command that had ended by itself at its deadline did not time out. */
function effective(stopper: Stopper | undefined, { signal }: ConfinedEnd): Stopper | undefined {
  return stopper === 'timeout' && signal === undefined ? undefined : stopper;
}

/** Waits for a command, ends it when the request is canceled, and reports its progress to the host. */
export async function followCommand(launched: LaunchedCommand<Capture>, ctx: ToolContext): Promise<FinishedCommand> {
  const { capture, startedAt } = launched;
  const cancel = () => launched.stop('canceled');
  const reportTime = () => ctx.progress(capture.lastLine || 'running', Math.round((now() - startedAt) / 1_000));
  const timer = setInterval(reportTime, PROGRESS_MS);
  ctx.signal?.addEventListener('abort', cancel);
  if (ctx.signal?.aborted) cancel();
  try {
    return await launched.finished;
  } finally {
    clearInterval(timer);
    ctx.signal?.removeEventListener('abort', cancel);
  }
}

/** Returns the whole seconds that a command has run. */
export function secondsOf({ startedAt }: Pick<LaunchedCommand, 'startedAt'>): number {
  return Math.floor((now() - startedAt) / 1_000);
}

/** Returns the absolute path of a directory of the workspace. Throws ToolError if it is not a directory. */
export async function resolveDirectory(asked = '.', { workspace }: ToolContext): Promise<string> {
  const path = await workspace.withDirectory(asked, async (directory) => directory.path);
  return path === '.' ? workspace.root : `${workspace.root === '/' ? '' : workspace.root}/${path}`;
}

function now(): number {
  return process.uptime() * 1_000;
}

/** The only environment variables of jinn that a command gets. */
const ALLOWED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TERM', 'USER', 'LOGNAME', 'TMPDIR', 'TZ', 'SHELL'];

/** The editor of commands, since no one could type into one. It is a command for a shell, and needs no file. */
const NO_EDITOR =
  'sh -c \'echo "no editor can be used here: pass the text by an option, as in git commit -m or --no-edit, or set an editor that needs no terminal in the command" >&2; exit 1\'';
/** Matches a command that sets an editor. Variables would win over some of these. */
const SETS_EDITOR = /\b(?:GIT_EDITOR|EDITOR|VISUAL)=|\bcore\.editor\b/;

/** Returns the variables of a command: those of jinn that it may have, and an editor that fails at once. */
export function environmentOf(command: string, environment: Environment): Record<string, string> {
  const kept = scrubEnvironment(environment);
  if (SETS_EDITOR.test(command)) return kept;
  return { ...kept, GIT_EDITOR: NO_EDITOR, EDITOR: NO_EDITOR, VISUAL: NO_EDITOR };
}

/** Returns the encoding that the locale of a command names, or undefined if it is UTF-8 or not named. */
export function localeEncoding(environment: Environment): string | undefined {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  const [, name] = /\.([^@]+)/.exec(locale) ?? [];
  return name === undefined || /^utf-?8$/i.test(name) ? undefined : name;
}

function scrubEnvironment(environment: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ALLOWED) {
    const value = environment[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** Variables that programs of many projects need, which commands get if jinn has them. */
const USUAL = ['DATABASE_URL', 'JAVA_HOME', 'VIRTUAL_ENV', 'GOPATH', 'NODE_ENV', 'CI'];
/** Variables that bash sets by itself. */
const OF_BASH = ['PWD', 'OLDPWD', 'SHLVL', 'HOSTNAME', 'LINES', 'COLUMNS'];
const MOST_NAMED = 3;

/** Returns the variables that a command does not get although it, or its output, names them. */
export function namedVariables(command: string, output: string, environment: Environment): string[] {
  const used = [...command.matchAll(/\$\{?([A-Z][A-Z0-9_]*)/g)].map(([, name = '']) => name);
  const told = output.match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g) ?? [];
  const isMissing = (name: string) =>
    ![...ALLOWED, ...OF_BASH].includes(name) &&
    (USUAL.includes(name) || environment[name] !== undefined) &&
    !command.includes(`${name}=`);
  return [...new Set([...used, ...told])].filter(isMissing).slice(0, MOST_NAMED);
}
