import { type SandboxPolicy, type ToolContext, ToolError } from '@jinn/core';
import { realPath, type Stream, startConfined } from '@jinn/process';
import { resolveInside } from '@jinn/store/tool-folders';
import type { FoundTool } from './discover.ts';
import { ErrorLines, type Progress } from './error-lines.ts';
import { commandLine } from './runtimes.ts';
import { toolsCommand } from './shell-words.ts';
import { toolEnvironment } from './tool-environment.ts';

/** What a script may write to standard output; its visualization counts. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export interface ScriptCall {
  /** The script, relative to the folder of the tool. */
  readonly script: string;
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
  /** Why jinn ended it; undefined if it ended by itself. */
  readonly stopper: 'timeout' | 'canceled' | 'resource_limit' | undefined;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly durationMs: number;
}

/**
 * Runs a script of a tool in the workspace, in the sandbox that the settings ask for, and ends it with all that it started at
 * its deadline and when the call is canceled. Throws ToolError if it cannot be started.
 */
export async function runScript(tool: FoundTool, call: ScriptCall, ctx: ToolContext): Promise<ScriptEnd> {
  const found = resolveInside(tool.folder, call.script);
  if ('problem' in found) {
    throw new ToolError('not_found', `${tool.shown}/${call.script}: ${found.problem}`, {
      suggestion: `ask the person to mend the tool: ${toolsCommand('check', tool.name)}`,
    });
  }
  const argv = commandLine(tool.runtime, found.path, ctx.environment);
  const environment = toolEnvironment(tool.env, ctx);
  const policy = policyFor(tool.name, await ctx.sandboxPolicy());
  const { root } = ctx.workspace;
  const folder = realPath(tool.folder);
  const confinement = { root, cwd: root, policy, network: policy.network, lasting: false, ...(folder && { folder }) };
  const output = new ScriptOutput(call);
  const start = now();
  let stopper: ScriptEnd['stopper'];
  if (ctx.signal?.aborted) throw new ToolError('canceled', 'the request was canceled before the tool ran');
  const running = await startConfined({ argv, environment, stdin: call.input, confinement }, (stream, chunk) => {
    if (!output.add(stream, chunk)) stop('resource_limit');
  });
  function stop(by: NonNullable<ScriptEnd['stopper']>): void {
    stopper ??= by;
    running.stop();
  }
  const cancel = () => stop('canceled');
  const timer = setTimeout(() => stop('timeout'), call.timeout);
  ctx.signal?.addEventListener('abort', cancel);
  if (ctx.signal?.aborted) cancel();
  try {
    const { exitCode, signal } = await running.ended;
    // A script that had ended by itself when its time was over did not time out.
    const why = stopper === 'timeout' && signal === undefined ? undefined : stopper;
    return { exitCode, signal, stopper: why, ...output.finish(), durationMs: Math.round(now() - start) };
  } finally {
    clearTimeout(timer);
    ctx.signal?.removeEventListener('abort', cancel);
  }
}

/** Collects bytes, since a chunk may end within a character. */
class ScriptOutput {
  readonly #stdout: Buffer[] = [];
  readonly #stderr: ErrorLines;
  #room = MAX_OUTPUT_BYTES;

  constructor({ onProgress }: ScriptCall) {
    this.#stderr = new ErrorLines((progress) => onProgress?.(progress));
  }

  /** Returns false once there is more than a tool may write. */
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

/** Adds what config.json says of one tool. */
function policyFor(name: string, policy: SandboxPolicy): SandboxPolicy {
  const own = policy.tools?.[name];
  if (own === undefined) return policy;
  const { network = policy.network, writable = [] } = own;
  return { ...policy, network: network && policy.network, writable: [...policy.writable, ...writable] };
}

/** Returns milliseconds on a clock that only goes forward. */
function now(): number {
  return process.uptime() * 1_000;
}
