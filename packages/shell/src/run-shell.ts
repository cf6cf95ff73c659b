import { defineTool, type ToolContext, ToolError, type ToolOutput } from '@jinn/core';
import { prepareCommand } from '@jinn/process';
import { type AskedCommand, askToRun, decide, refuseDangerous } from './approval.ts';
import { dryRun } from './dry-run.ts';
import { createJobs } from './jobs.ts';
import { follow, launch, MAX_COMMAND_BYTES } from './launch.ts';
import { OutputCapture } from './output-capture.ts';
import { reportEnd } from './report.ts';

const DEFAULT_SECONDS = 30;
const MAX_SECONDS = 300;
const MAX_STDIN = 16 * 1024 * 1024;

interface RunArgs {
  readonly action?: string | undefined;
  readonly job?: string | undefined;
  readonly command?: string | undefined;
  readonly timeout?: number | undefined;
  readonly stdin?: string | undefined;
  readonly background?: boolean | undefined;
  readonly streams?: boolean | undefined;
  readonly color?: boolean | undefined;
  readonly [other: string]: unknown;
}

/** The arguments that say how a command is run. They do not go together with `job` and `action`. */
const ABOUT_COMMANDS = [
  'command',
  'timeout',
  'dry_run',
  'force',
  'cwd',
  'stdin',
  'network',
  'background',
  'streams',
  'color',
] as const;

export const runShell = defineTool({
  name: 'run_shell',
  effect: 'execute',
  description:
    'Run a bash command with a timeout. Every exit status is an answer: see [exit: N] and the classification. Commands that destroy are refused unless approved. What the command leaves running ends with it; background: true keeps a job for the session.',
  input: (z) =>
    z.strictObject({
      command: z.optional(z.string().check(z.describe('Bash command to execute'))),
      timeout: z.optional(z.int().check(z.minimum(0), z.describe('Timeout in seconds (default 30, max 300)'))),
      dry_run: z.optional(z.boolean().check(z.describe('Judge the command without executing it'))),
      force: z.optional(z.boolean().check(z.describe('Execute even when the risk is dangerous'))),
      cwd: z.optional(z.string().check(z.describe('Directory to run it in'))),
      stdin: z.optional(z.string().check(z.describe('Text for standard input'))),
      network: z.optional(z.boolean().check(z.describe('False runs it without the network; needs the sandbox'))),
      background: z.optional(
        z.boolean().check(z.describe('Answer at once with a job id, and run until the session ends')),
      ),
      streams: z.optional(z.boolean().check(z.describe('Give stdout and stderr apart too, in meta'))),
      color: z.optional(z.boolean().check(z.describe('Keep colors'))),
      job: z.optional(z.string().check(z.describe('A job id, for action'))),
      action: z.optional(
        z.enum(['output', 'kill', 'list']).check(z.describe('Read a background job, end it, or list all of them')),
      ),
    }),
  examples: [
    { command: 'npm test', timeout: 120 },
    { command: 'rm -rf build', dry_run: true },
    { command: 'npm run dev', background: true },
    { action: 'list' },
  ],

  overrides: ['force'],
  forPrograms: ['streams'],
  hosting: { isBasic: true },

  async prepare(args, ctx) {
    if (isAboutJobs(args)) {
      checkAlone(args);
      return { run: ({ session }) => session.use(createJobs).act(args) };
    }
    const command = checkCommand(args);
    const { cwd, stdin, network = true, background = false, force = false } = args;
    if (!args.dry_run) prepareCommand();
    const { classify } = await import('@jinn/bash');
    const verdict = classify(command); // While the supervisor starts.
    const asked = { command, verdict, cwd, stdin, network, background };
    if (args.dry_run) return { run: (at) => dryRun({ ...asked, force }, at) };
    const { dangerous = 'force' } = ctx;
    const decision = decide(verdict, { dangerous, isForced: force });
    if (decision === 'refuse') throw refuseDangerous(command, verdict);
    const canForce = dangerous === 'force';
    return {
      question: decision === 'ask' ? await askToRun(asked, ctx, { canForce }) : undefined,
      run: (at) => start(asked, args, at),
    };
  },
});

async function start(asked: AskedCommand, args: RunArgs, ctx: ToolContext): Promise<ToolOutput> {
  const { streams = false, color = false } = args;
  if (asked.background && ctx.session.endsWithCall) throw noLastingJob();
  const jobs = asked.background ? ctx.session.use(createJobs) : undefined;
  jobs?.refuseTooMany();
  const { statusCommand } = await import('@jinn/bash');
  const findDecider = () => statusCommand(asked.command);
  const launched = await launch(
    { ...asked, findDecider, streams, seconds: secondsOf(args) },
    new OutputCapture(ctx.spill, { keepsColor: color, maxResult: ctx.maxResult }),
    ctx,
  );
  return jobs ? jobs.add(launched) : reportEnd(launched, await follow(launched, ctx));
}

function isAboutJobs({ action, job }: RunArgs): boolean {
  return Boolean(action || job);
}

/** Refuses what would be ignored. Hosts may send what they leave out as `""`, `0` or `false`, which is no conflict. */
function checkAlone(args: RunArgs): void {
  const { action = 'output', job } = args;
  const isList = action === 'list';
  const other = ABOUT_COMMANDS.find((name) => (name === 'network' ? args[name] === false : args[name]));
  const asked = `send ${JSON.stringify(isList ? { action } : { job, action })}`;
  if (isList && job) throw invalid('job does not go with the action list', asked);
  if (other === undefined) return;
  const given = args.action ? 'action' : 'job';
  throw invalid(`${other} does not go with ${given}`, `${asked}, and a command in a call of its own`);
}

/** A background job has no deadline unless it is given one. */
function secondsOf({ timeout, background }: RunArgs): number {
  if (background && !timeout) return Infinity;
  return Math.min(timeout || DEFAULT_SECONDS, MAX_SECONDS);
}

function checkCommand({ command = '', stdin = '' }: RunArgs): string {
  if (command.trim() === '') {
    throw invalid('command is required', 'provide a non-empty shell command');
  }
  if (command.includes('\0')) throw invalid('command holds a NUL character', "write it as $'\\0' or with printf");
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
    throw invalid('command is longer than 128 KiB', 'pass data through stdin, or write a script with write_file');
  }
  if (stdin.length > MAX_STDIN) throw invalid('stdin is longer than 16 MiB', 'write it to a file and redirect that');
  return command;
}

/** A job would be told to have started, and would end with the answer. */
function noLastingJob(): ToolError {
  return invalid(
    'background needs a session that lasts, and this connection has none: the job would end with this call',
    'run the command without background; over HTTP, the client may name a session in the header Jinn-Session',
  );
}

function invalid(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion });
}
