import type { SandboxPolicy, ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { isObject } from '@jinn/core/text';
import { realPath, type Stream } from '@jinn/process';
import { startConfined } from '@jinn/process/sandbox';

const MAX_KEPT_BYTES = 1024 * 1024;

/** A line longer than this reports no progress. */
const MAX_LINE_BYTES = 64 * 1024;
const MAX_MESSAGE = 200;
const NEWLINE = 10;

/** The word in every line that reports progress. */
const WORD = '"_progress"';

export interface Progress {
  readonly message: string;
  readonly done: number | undefined;
  readonly total: number | undefined;
}

/** The most that a program may write, its visualization included. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** The message of bubblewrap about a program that it cannot start. */
const UNREACHABLE = /^bwrap: execvp ([^\n]*): No such file or directory$/;

export interface ScriptLaunch {
  /** The name of the tool, under which config.json has settings for it. */
  readonly name: string;
  readonly argv: readonly string[];
  /** The folder that the program can read, wherever it is. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The text of standard input. */
  readonly input: string;
  /** Milliseconds. */
  readonly timeout: number;
  onProgress?(progress: Progress): void;
}

/** How a script ended, and what it wrote. */
export interface ScriptEnd {
  readonly exitCode: number;
  /** The number of the signal that ended it. */
  readonly signal: number | undefined;
  /** The reason why jinn ended it, or undefined if it ended by itself. */
  readonly stopper: 'timeout' | 'canceled' | 'resource_limit' | undefined;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly durationMs: number;
  /** True if it left processes running, which were ended with it. */
  readonly leftRunning: boolean;
}

/**
 * Runs a program in the workspace, in the sandbox that the settings ask for, and ends it with all that it started at its
 * deadline and when the call is canceled. Throws ToolError if it cannot be started.
 */
export async function launchScript(program: ScriptLaunch, ctx: ToolContext): Promise<ScriptEnd> {
  const { argv, environment, input: stdin, timeout } = program;
  const policy = policyFor(program.name, await ctx.sandboxPolicy());
  const { root } = ctx.workspace;
  const folder = realPath(program.folder);
  const signal = AbortSignal.timeout(timeout);
  const where = { root, cwd: root, policy, network: policy.network, lasting: false, signal };
  const confinement = { ...where, ...(folder && { folder }) };
  const output = new ScriptOutput(program);
  const start = now();
  let stopper: ScriptEnd['stopper'];
  if (ctx.signal?.aborted) throw new ToolError('canceled', 'the request was canceled before the tool ran');
  const running = await startConfined({ argv, environment, stdin, confinement }, (stream, chunk) => {
    if (!output.add(stream, chunk)) stop('resource_limit');
  });
  function stop(by: NonNullable<ScriptEnd['stopper']>): void {
    stopper ??= by;
    running.stop();
  }
  const cancel = () => stop('canceled');
  const timer = setTimeout(() => stop('timeout'), timeout);
  ctx.signal?.addEventListener('abort', cancel);
  if (ctx.signal?.aborted) cancel();
  try {
    const { exitCode, signal, leftRunning } = await running.ended;
    const written = output.finish();
    if (running.sandbox === 'bubblewrap') rejectUnreachable(program.name, written.stderr);
    // A script that had ended by itself when its time was over did not time out.
    const why = stopper === 'timeout' && signal === undefined ? undefined : stopper;
    return { exitCode, signal, stopper: why, leftRunning, ...written, durationMs: Math.round(now() - start) };
  } finally {
    clearTimeout(timer);
    ctx.signal?.removeEventListener('abort', cancel);
  }
}

function rejectUnreachable(name: string, stderr: string): void {
  const [, program] = UNREACHABLE.exec(stderr) ?? [];
  if (program === undefined) return;
  throw new ToolError('command_blocked', `${name} did not run: the sandbox does not show its program, ${program}`, {
    suggestion: 'ask the user to install it outside of /tmp, /run and what the sandbox hides (docs/shell.md)',
  });
}

/** Collects bytes, since a chunk may end within a character. */
class ScriptOutput {
  readonly #stdout: Buffer[] = [];
  readonly #stderr: ErrorLines;
  #room = MAX_OUTPUT_BYTES;

  constructor({ onProgress }: ScriptLaunch) {
    this.#stderr = new ErrorLines((progress) => onProgress?.(progress));
  }

  /** Adds a chunk. Returns false once there is more than a tool may write. */
  add(stream: Stream, chunk: Buffer): boolean {
    this.#room -= chunk.length;
    if (this.#room < 0) return false;
    if (stream === 'stdout') this.#stdout.push(chunk);
    else this.#stderr.push(chunk);
    return true;
  }

  finish(): { stdout: Buffer; stderr: string } {
    return { stdout: Buffer.concat(this.#stdout), stderr: this.#stderr.finish() };
  }
}

function policyFor(name: string, policy: SandboxPolicy): SandboxPolicy {
  const own = policy.tools?.[name];
  if (own === undefined) return policy;
  const { network = policy.network, writable = [] } = own;
  return { ...policy, network: network && policy.network, writable: [...policy.writable, ...writable] };
}

function now(): number {
  return process.uptime() * 1_000;
}

/**
 * Reads the standard error of a tool as it comes. Lines `{"_progress": …}` are progress. Everything else is kept, up to 1 MiB
 * from the start.
 */
class ErrorLines {
  readonly #onProgress: (progress: Progress) => void;
  readonly #kept: Buffer[] = [];
  #room = MAX_KEPT_BYTES;
  #dropped = 0;
  #line: Buffer[] = [];
  #lineBytes = 0;

  constructor(onProgress: (progress: Progress) => void) {
    this.#onProgress = onProgress;
  }

  push(chunk: Buffer): void {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) this.#takeLines(Buffer.concat([...this.#line.splice(0), chunk.subarray(0, end)]));
    if (end > 0) this.#lineBytes = 0;
    this.#line.push(Buffer.from(chunk.subarray(end)));
    this.#lineBytes += chunk.length - end;
    if (this.#lineBytes > MAX_LINE_BYTES) this.#keep(Buffer.concat(this.#line.splice(0)));
  }

  /** Ends the last line, and returns what was kept, without blanks around it. */
  finish(): string {
    this.#takeLines(Buffer.concat(this.#line.splice(0)));
    const text = Buffer.concat(this.#kept).toString().trim();
    return this.#dropped === 0 ? text : `${text}\n[${this.#dropped} more bytes were omitted]`;
  }

  /** Looks for progress in whole lines. There may be millions of them, so only those with the word are parsed. */
  #takeLines(lines: Buffer): void {
    let from = 0;
    for (let at = lines.indexOf(WORD); at >= 0; at = lines.indexOf(WORD, from)) {
      const start = lines.lastIndexOf(NEWLINE, at) + 1;
      const end = lines.indexOf(NEWLINE, at) + 1 || lines.length;
      const progress = end - start > MAX_LINE_BYTES ? undefined : toProgress(lines.subarray(start, end));
      this.#keep(lines.subarray(from, progress ? start : end));
      if (progress) this.#onProgress(progress);
      from = end;
    }
    this.#keep(lines.subarray(from));
  }

  #keep(part: Buffer): void {
    const fits = part.subarray(0, this.#room);
    if (fits.length > 0) this.#kept.push(Buffer.from(fits));
    this.#room -= fits.length;
    this.#dropped += part.length - fits.length;
  }
}

function toProgress(line: Buffer): Progress | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line.toString());
  } catch {
    return undefined;
  }
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined;
  const given = value['_progress'];
  if (typeof given === 'string') return { message: cut(given), done: undefined, total: undefined };
  if (typeof given === 'number') return { message: '', done: given, total: undefined };
  if (!isObject(given)) return undefined;
  const { message, done, total } = given;
  return {
    message: typeof message === 'string' ? cut(message) : '',
    done: typeof done === 'number' ? done : undefined,
    total: typeof total === 'number' ? total : undefined,
  };
}

function cut(message: string): string {
  return message.slice(0, MAX_MESSAGE).toWellFormed();
}
