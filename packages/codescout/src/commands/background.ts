import { setTimeout } from 'node:timers/promises';
import type { ToolContext, ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { FinishedCommand, LaunchedCommand } from '@jinn/shell/launch-command';
import { statusOf } from '@jinn/shell/report';
import { buffersOf, parseReference } from '../buffers/buffers.ts';
import type { CommandCapture } from './command-capture.ts';

const MAX_RUNNING = 16;
const WARM_UP_MS = 5_000;
const SHOWN_LINES = 50;
const KILL = /^\s*kill\s+(@bg_[0-9a-f]{8})\s*$/;

/** Throws `resource_limit` if as many background commands run as may run at once. */
export function rejectTooMany(ctx: ToolContext): void {
  if (hasTooMany(ctx)) throw tooMany();
}

function hasTooMany(ctx: ToolContext): boolean {
  return buffersOf(ctx).running.length >= MAX_RUNNING;
}

function tooMany(): ToolError {
  return new ToolError('resource_limit', `${MAX_RUNNING} background commands are running`, {
    suggestion: 'end one with the command "kill @bg_…"',
  });
}

/** Keeps a command running behind a `@bg_` reference, and answers after 5 seconds or when it has ended. */
export async function startJob(ctx: ToolContext, launched: LaunchedCommand<CommandCapture>): Promise<ToolOutput> {
  const { capture } = launched;
  let ended: FinishedCommand | undefined;
  const finished = launched.finished
    .then((end) => {
      ended = end;
      capture.finish();
    })
    // The call was answered long ago, so a failure goes to the log of the operator.
    .catch((error: unknown) => ctx.log(`a background command failed: ${String(error)}`));
  const record = { kind: 'bg', output: capture.stdout.path, error: capture.stderr.path } as const;
  // Others may have started since the first look.
  const isRefused = hasTooMany(ctx);
  const id = isRefused || record.output === undefined ? undefined : buffersOf(ctx).add(ctx, record);
  if (id === undefined) {
    launched.stop('kill');
    await finished;
    if (isRefused) throw tooMany();
    throw new ToolError('resource_limit', 'the output of a background command cannot be kept here', {
      suggestion: 'run it in the foreground with a larger timeout_secs',
    });
  }
  buffersOf(ctx).setJob(id, {
    get isRunning() {
      return ended === undefined;
    },
    stop: async () => {
      launched.stop('kill');
      await finished;
    },
  });
  await warmUp(ctx, finished);
  const shown = lastLines(capture.stdout.tail);
  const errors = lastLines(capture.stderr.tail);
  const ending = `. End it with the command "kill @${id}". It stops with this session: at once, if this process serves one request`;
  const data = {
    output_id: `@${id}`,
    running: ended === undefined,
    ...(ended && statusOf(ended)),
    stdout: shown,
    ...(errors !== '' && { stderr: errors }),
    hint: `Read it with read_file, or query it: tail -50 @${id}${ended ? '' : ending}`,
  };
  return { data, classification: 'success', risk: launched.verdict.risk, meta: { sandbox: launched.sandbox } };
}

async function warmUp({ signal }: ToolContext, finished: Promise<void>): Promise<void> {
  const stop = new AbortController();
  const ended = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  await Promise.race([finished, setTimeout(WARM_UP_MS, undefined, { signal: ended }).catch(() => undefined)]);
  stop.abort();
}

/** Returns the reference of `kill @bg_…`, or undefined for any other command. */
export function parseKill(command: string): string | undefined {
  return KILL.exec(command)?.[1];
}

/** Ends a background command with all that it started. Throws `not_found` for one that this session did not start. */
export async function killJob(ctx: ToolContext, text: string): Promise<ToolOutput> {
  const id = parseReference(text)?.id ?? '';
  const job = buffersOf(ctx).jobOf(id);
  if (!job) {
    throw new ToolError('not_found', `${text} is not a background command of this session`, {
      suggestion: 'it has ended: background commands end with the session that started them',
    });
  }
  const wasRunning = job.isRunning;
  await job.stop();
  return { data: { output_id: text, stopped: wasRunning }, classification: 'success' };
}

function lastLines(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.slice(-SHOWN_LINES).join('\n');
}
