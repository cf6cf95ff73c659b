import { defineTool, type Question, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { prepareCommand } from '@jinn/process';
import { askAboutCommand, dangerousCommandError, decide, describeRisk } from '@jinn/shell/command-approval';
import { followCommand, launch, MAX_COMMAND_BYTES } from '@jinn/shell/launch-command';
import { riskMeta } from '@jinn/shell/report';
import type { CommandReading } from '@jinn/shell/risk';
import { newId, recordName, referencesIn } from './buffers/buffers.ts';
import { killJob, parseKill, rejectTooMany, startJob } from './commands/background.ts';
import { CommandCapture } from './commands/command-capture.ts';
import { reportCommand } from './commands/command-report.ts';
import { type PreparedCommand, prepareBuffers } from './commands/prepared-command.ts';
import { fitToHost } from './fit/fit-to-host.ts';

const HANDLE = /^\s*@ack_([0-9a-f]{8})\s*$/;

interface RefusedCommand {
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly run_in_background: boolean;
}

const DEFAULT_SECONDS = 30;
const MAX_SECONDS = 600;

interface CommandCall extends RefusedCommand {
  readonly timeout_secs?: number | undefined;
}

const definition = defineTool({
  name: 'run_command',
  effect: 'execute',
  description:
    'Run a bash command. Long output goes to a buffer: query it with grep, sed or diff on the reference, as in "grep FAIL @cmd_1a2b3c4d" (.err is its standard error). "kill @bg_…" ends a background command.',
  input: (z) =>
    z.strictObject({
      command: z.string().check(z.describe('Bash command. May name buffers')),
      timeout_secs: z.optional(z.int().check(z.minimum(1), z.describe('Timeout in seconds (default 30, max 600)'))),
      cwd: z.optional(z.string().check(z.minLength(1), z.describe('Directory to run it in'))),
      acknowledge_risk: z._default(z.boolean().check(z.describe('Run it even though it is dangerous')), false),
      run_in_background: z._default(
        z.boolean().check(z.describe('Answer after 5 seconds with an @bg_ reference. It stops with the session')),
        false,
      ),
    }),
  examples: [
    { command: 'npm test', timeout_secs: 120 },
    { command: 'npm run dev', run_in_background: true },
  ],
  overrides: ['acknowledge_risk'],

  async prepare(args, ctx) {
    const killed = parseKill(args.command);
    if (killed) return { run: (at) => killJob(at, killed) };
    const pending = findPending(ctx, args.command);
    const { cwd, run_in_background } = pending?.call ?? args;
    const command = pending?.call.command ?? checkCommand(args.command);
    const call: CommandCall = { command, cwd, run_in_background, timeout_secs: args.timeout_secs };
    prepareCommand();
    const { readCommand } = await import('@jinn/shell/risk');
    const verdict = readCommand(command); // While the supervisor starts.
    const { dangerous = 'force' } = ctx;
    const decision = decide(verdict, { dangerous, isForced: args.acknowledge_risk || pending !== undefined });
    if (decision === 'refuse') throw dangerousCommandError(command, verdict);
    const canForce = dangerous === 'force';
    return {
      question: decision === 'ask' ? await toQuestion(ctx, call, verdict, { canForce }) : undefined,
      run: (at) => {
        pending?.spend();
        return start(call, verdict, at);
      },
    };
  },
});

async function start(call: CommandCall, verdict: CommandReading, ctx: ToolContext): Promise<ToolOutput> {
  const { run_in_background: background } = call;
  if (background) rejectTooMany(ctx);
  const prepared = prepareBuffers(ctx, verdict.parsed);
  if (Buffer.byteLength(prepared.command) > MAX_COMMAND_BYTES) throw tooLong();
  const capture = new CommandCapture(ctx.spill, { atOnce: background });
  const launched = await launch(await requestOf(call, prepared, verdict), capture, ctx);
  if (background) return startJob(ctx, launched);
  return reportCommand(ctx, { launched, finished: await followCommand(launched, ctx), prepared });
}

export const runCommand = fitToHost(definition, { isPaged: false });

async function toQuestion(
  ctx: ToolContext,
  call: CommandCall,
  verdict: CommandReading,
  { canForce }: { canForce: boolean },
): Promise<Question> {
  const { command, cwd, run_in_background: background } = call;
  const unseen = referencesIn(command).length > 0 ? 'the command reads buffers, which are not shown' : undefined;
  const asked = { command, verdict, cwd, stdin: undefined, background, network: true, unseen };
  const question = await askAboutCommand(asked, ctx, { canForce: false });
  if (!canForce) return question;
  const toRefusal = (reason: Parameters<NonNullable<Question['refusal']>>[0]) => {
    if (reason !== 'nobody') return question.refusal?.(reason) as ToolError;
    const handle = keepPending(ctx, call);
    const again = handle === undefined ? '' : `call run_command with {"command":"${handle}"}, or `;
    return new ToolError('command_blocked', `not run: ${describeRisk(command, verdict)}`, {
      suggestion: `if it is meant, ${again}pass acknowledge_risk: true`,
      details: { risk: verdict.risk, meta: { ...(handle && { pending_ack: handle }), ...riskMeta(verdict) } },
    });
  };
  return { ...question, refusal: toRefusal };
}

async function requestOf(call: CommandCall, { command }: PreparedCommand, verdict: CommandReading) {
  const { parseCommand, watchPipelines } = await import('@jinn/shell/risk');
  const { timeout_secs: seconds, run_in_background: background } = call;
  return {
    command,
    verdict:
      command === call.command
        ? verdict
        : {
            ...verdict,
            watch: (reportOf: (index: number) => string) => watchPipelines(parseCommand(command), reportOf),
          },
    cwd: call.cwd,
    stdin: undefined,
    network: true,
    streams: false,
    seconds: seconds === undefined && background ? Infinity : Math.min(seconds ?? DEFAULT_SECONDS, MAX_SECONDS),
    background,
  };
}

function checkCommand(command: string): string {
  if (command.trim() === '') throw invalid('command is empty', 'provide a shell command');
  if (command.includes('\0')) throw invalid('command holds a NUL character', "write it as $'\\0' or with printf");
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) throw tooLong();
  return command;
}

function tooLong(): ToolError {
  return invalid('command is longer than 128 KiB', 'write a script with create_file and run that');
}

function invalid(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion });
}

/**
 * Keeps a refused command under a handle, by which the agent may send it again if the operator allows that. The handle
 * is a record on the disk, so that a process that serves the next call finds it. Returns undefined if it cannot be
 * kept.
 */
function keepPending(ctx: ToolContext, { command, cwd, run_in_background }: RefusedCommand): string | undefined {
  const id = newId('ack');
  const record = JSON.stringify({ command, cwd, run_in_background });
  return ctx.spill.records.put(recordName(ctx, id), record) ? `@${id}` : undefined;
}

function findPending(ctx: ToolContext, text: string) {
  const [, digits] = HANDLE.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const name = recordName(ctx, `ack_${digits}`);
  const record = ctx.spill.records.get(name);
  if (record === undefined) throw notPending(digits);
  const spend = () => {
    if (!ctx.spill.records.remove(name)) throw notPending(digits);
  };
  return { call: JSON.parse(record) as RefusedCommand, spend };
}

function notPending(digits: string): ToolError {
  return new ToolError('not_found', `no command waits for an approval under @ack_${digits}`, {
    suggestion: 'send the command itself',
  });
}
