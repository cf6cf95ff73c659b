import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { canType, prepareCommand } from '@jinn/process';
import { askAboutCommand, dangerousCommandError, decide, dryRun } from './command-approval.ts';
import type { JobArgs, Jobs } from './jobs.ts';
import { followCommand, type LaunchRequest, launch, MAX_COMMAND_BYTES, MAX_SECONDS } from './launch-command.ts';
import { OutputCapture } from './output-capture.ts';
import { reportEnd } from './report.ts';

const DEFAULT_SECONDS = 30;
const MAX_STDIN = 16 * 1024 * 1024;

interface RunArgs extends JobArgs {
  readonly command?: string | undefined;
  readonly stdin?: string | undefined;
  readonly background?: boolean | undefined;
  readonly interactive?: boolean | undefined;
  readonly tty?: boolean | undefined;
  readonly streams?: boolean | undefined;
  readonly color?: boolean | undefined;
  readonly [other: string]: unknown;
}

/** The arguments that control how a command runs. They cannot be used with `job` and `action`. */
const ABOUT_COMMANDS = [
  'command',
  'dry_run',
  'force',
  'cwd',
  'stdin',
  'network',
  'background',
  'interactive',
  'tty',
  'streams',
  'color',
] as const;

export const runShell = defineTool({
  name: 'run_shell',
  effect: 'execute',
  description:
    'Run bash, each time in a fresh shell with only PATH, HOME, LANG and the like: cd and exports do not last. Any exit status is an answer: see [exit: N]. Long output is shortened to what matters, with the place of the rest. Destructive commands need approval. Processes left running end with the command: use background: true for servers.',
  input: (z) =>
    z.strictObject({
      command: z.optional(z.string().check(z.describe('Command'))),
      timeout: z.optional(z.int().check(z.minimum(0), z.describe('Seconds: 30, at most 300'))),
      dry_run: z.optional(z.boolean().check(z.describe('Only judge it'))),
      force: z.optional(z.boolean().check(z.describe('Run it even if it is dangerous'))),
      cwd: z.optional(z.string().check(z.describe('Directory'))),
      stdin: z.optional(z.string().check(z.describe('Input'))),
      network: z.optional(z.boolean().check(z.describe('False: without it (needs the sandbox)'))),
      background: z.optional(z.boolean().check(z.describe('Run on as a job'))),
      interactive: z.optional(z.boolean().check(z.describe('Keep the input of the job open'))),
      tty: z.optional(z.boolean().check(z.describe('The same, at a terminal'))),
      streams: z.optional(z.boolean().check(z.describe('Give stdout and stderr apart too, in meta'))),
      color: z.optional(z.boolean().check(z.describe('Keep colors'))),
      max_output: z.optional(z.int().check(z.minimum(1), z.describe('Most characters of output'))),
      job: z.optional(z.string().check(z.describe('Id'))),
      input: z.optional(
        z.string().check(z.describe('Type this into the job, \\n for Enter, \\u0004 to end; never a secret')),
      ),
      action: z.optional(z.enum(['output', 'kill', 'list']).check(z.describe('Read or end a job, list all'))),
      since: z.optional(z.int().check(z.minimum(0), z.describe('Read its output from this byte'))),
      wait_for: z.optional(
        z.union([z.string(), z.int()]).check(z.describe('Wait for a pattern in its output, or a port')),
      ),
    }),
  examples: [
    { command: 'npm test', timeout: 120 },
    { command: 'rm -rf build', dry_run: true },
    { command: 'npm run dev', background: true },
    { command: 'python3 -i', background: true, tty: true, wait_for: '>>> ' },
    { job: 'job-1', input: 'print(6 * 7)\n', wait_for: '>>> ' },
    { action: 'list' },
  ],

  overrides: ['force'],
  forPrograms: ['streams'],
  hosting: { isBasic: true, isShown: true, unlisted: ['color', 'network'] },

  async prepare(args, ctx) {
    if (args.action || args.job) {
      checkAlone(args);
      if (args.input) {
        const jobs = await jobsOf(ctx);
        return (await import('./job-input.ts')).prepareInput({ ...args, input: args.input }, jobs, ctx);
      }
      return { run: async (at) => (await jobsOf(at)).act(args, at) };
    }
    const command = checkCommand(args);
    const { cwd, stdin, network = true, background = false, force = false } = args;
    if (!args.dry_run) prepareCommand();
    const { readCommand } = await import('./risk/index.ts');
    const input = inputOf(args);
    const verdict = readCommand(command, input && ''); // While the supervisor starts.
    const asked = { command, verdict, cwd, stdin, input, network, background };
    if (args.dry_run) return { run: (at) => dryRun({ ...asked, force }, at) };
    const { dangerous = 'force' } = ctx;
    const decision = decide(verdict, { dangerous, isForced: force });
    if (decision === 'refuse') throw dangerousCommandError(command, verdict);
    const canForce = dangerous === 'force';
    return {
      question: decision === 'ask' ? await askAboutCommand(asked, ctx, { canForce }) : undefined,
      run: (at) => start(asked, args, at),
    };
  },
});

async function start(
  asked: Omit<LaunchRequest, 'seconds' | 'streams'>,
  args: RunArgs,
  ctx: ToolContext,
): Promise<ToolOutput> {
  const { streams = false, color = false } = args;
  if (asked.background && ctx.session.endsWithCall) throw noLastingJob();
  const jobs = asked.background ? await jobsOf(ctx) : undefined;
  jobs?.rejectTooMany();
  const condition = args.wait_for ? (await import('./wait-for.ts')).toCondition(args.wait_for) : undefined;
  const launched = await launch(
    { ...asked, streams, seconds: secondsOf(args, ctx), maxOutput: args.max_output },
    new OutputCapture(ctx.spill, { keepsColor: color, maxResult: ctx.maxResult }),
    ctx,
  );
  return jobs ? jobs.add(launched, condition, ctx) : reportEnd(launched, await followCommand(launched, ctx));
}

async function jobsOf({ session }: ToolContext): Promise<Jobs> {
  return session.use((await import('./jobs.ts')).createJobs);
}

/** Hosts may send absent arguments as `""`, `0` or `false`, which is no conflict. */
function checkAlone(args: RunArgs): void {
  const { action = 'output', job } = args;
  const isList = action === 'list';
  const asked = `send ${JSON.stringify(isList ? { action } : { job, action })}`;
  if (isList && job) throw invalid('job does not go with the action list', asked);
  const isWait = action === 'output' && args.wait_for;
  const timeout = args.timeout && !isWait ? 'timeout' : undefined;
  const extra = action === 'output' ? undefined : (['since', 'wait_for'] as const).find((name) => args[name]);
  const isAbout = (name: (typeof ABOUT_COMMANDS)[number]) => (name === 'network' ? args[name] === false : args[name]);
  const about = ABOUT_COMMANDS.find((name) => isAbout(name) && !(name === 'force' && args.input));
  const typed = args.action && args.input ? 'input' : undefined;
  const other = about ?? timeout ?? extra ?? typed;
  if (other === undefined) return;
  const given = args.action ? 'action' : 'job';
  throw invalid(`${other} does not go with ${given}`, `${asked}, and a command in a call of its own`);
}

function secondsOf({ timeout, background }: RunArgs, ctx: ToolContext): number {
  if (background && !timeout) return Infinity;
  if (timeout && timeout > MAX_SECONDS) {
    ctx.warn(`timeout is in seconds: ${timeout} was lowered to ${MAX_SECONDS}`);
  }
  return Math.min(timeout || DEFAULT_SECONDS, MAX_SECONDS);
}

function checkCommand({ command = '', stdin = '', since, wait_for, background, input, ...args }: RunArgs): string {
  if (input) throw invalid('input needs a job', 'pass stdin with a command, or type into a job: {"job":…,"input":…}');
  checkTyping(args, { background, stdin });
  if (since || (wait_for && !background)) {
    const name = since ? 'since' : 'wait_for';
    throw invalid(`${name} needs a background job`, 'send {"job":…,"action":"output"} with it');
  }
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

function inputOf({ tty, interactive }: RunArgs): LaunchRequest['input'] {
  if (tty) return 'terminal';
  return interactive ? 'pipe' : undefined;
}

function checkTyping(args: RunArgs, { background, stdin }: Pick<RunArgs, 'background' | 'stdin'>): void {
  const kind = inputOf(args);
  if (!kind) return;
  const name = kind === 'terminal' ? 'tty' : 'interactive';
  const type = 'type into the job with {"job":…,"input":…}';
  if (!background) throw invalid(`${name} needs background: true`, `add it, and ${type}`);
  if (stdin) throw invalid(`stdin does not go with ${name}`, `start it without stdin, and ${type}`);
  if (canType(kind)) return;
  if (kind === 'pipe')
    throw new ToolError('unavailable', 'no job can take input here: that needs perl', {
      suggestion: 'ask the user to install perl',
    });
  throw new ToolError('unavailable', 'a job cannot have a terminal here: that needs Linux, perl and /dev/ptmx', {
    suggestion: 'pass interactive instead of tty: its input is then a pipe. jinn --doctor shows what is missing',
  });
}

/** Makes the error for a job without a lasting session: it would be reported as started, and end with the answer. */
function noLastingJob(): ToolError {
  return invalid(
    'background needs a session that lasts, and this connection has none: the job would end with this call',
    'run the command without background. Over HTTP, the client may name a session in the header Jinn-Session',
  );
}

function invalid(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion });
}
