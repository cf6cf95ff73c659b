import type { PreparedCall, ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { askAboutInput, dangerousCommandError, decide } from './command-approval.ts';
import { END_OF_INPUT, type Job, type JobArgs, type Jobs } from './jobs.ts';
import { readInput } from './risk/index.ts';

const MAX_INPUT = 16 * 1024;
/** How much a job may leave unread. */
const MAX_WAITING = 64 * 1024;

interface InputArgs extends JobArgs {
  readonly input: string;
  readonly force?: boolean | undefined;
}

/** Judges what is to be typed into a job as a command is judged (docs/risk.md). Throws if the job takes no input. */
export async function prepareInput(args: InputArgs, jobs: Jobs, ctx: ToolContext): Promise<PreparedCall> {
  const { input, force = false } = args;
  const job = jobs.find(args.job, ctx);
  const kind = checkInput(job, input);
  const { launched, typed } = job;
  const { command, cwd, network } = launched;
  const verdict = readInput({ command, input: kind, typed }, input);
  const { dangerous = 'force' } = ctx;
  const decision = decide(verdict, { dangerous, isForced: force });
  if (decision === 'refuse') throw dangerousCommandError(input, verdict);
  const asked = { job: job.id, input, verdict, started: { command, cwd, network } };
  return {
    question: decision === 'ask' ? await askAboutInput(asked, ctx, { canForce: dangerous === 'force' }) : undefined,
    run: async (at) => {
      checkInput(job, input);
      // Security: it was judged as what follows on that.
      if (job.typed !== typed) throw typedMeanwhile(job);
      return { ...(await jobs.type(job, input, args, at)), risk: verdict.risk };
    },
  };
}

/** Returns how a job takes input. Throws if it does not, or not this. */
function checkInput({ id, launched, end, isInputEnded }: Job, input: string): 'pipe' | 'terminal' {
  const call = JSON.stringify({ job: id, action: 'output' });
  const { typing, input: kind } = launched;
  const begin = 'start it again with interactive: true, or with tty: true for a terminal';
  if (end)
    throw new ToolError('conflict', `${id} has ended: it takes no input`, {
      suggestion: `read how it ended with ${call}${kind ? '' : `, or ${begin}`}`,
    });
  if (isInputEnded)
    throw new ToolError('conflict', `the input of ${id} was ended`, { suggestion: `read its output with ${call}` });
  if (!kind || !typing)
    throw new ToolError('conflict', `${id} takes no input: its input was empty, or came from stdin`, {
      suggestion: begin,
    });
  const size = Buffer.byteLength(input);
  if (size > MAX_INPUT)
    throw new ToolError('invalid_args', `input is longer than ${MAX_INPUT / 1024} KiB`, {
      suggestion: 'write a file, and have the job read it',
    });
  if (kind === 'pipe' && input.slice(0, -1).includes(END_OF_INPUT))
    throw new ToolError('invalid_args', 'nothing can follow \\u0004, which ends the input', {
      suggestion: 'put it at the end',
    });
  if (typing().waiting + size > MAX_WAITING)
    throw new ToolError('resource_limit', `${id} has not read ${typing().waiting} bytes of its input`, {
      suggestion: `read its output with ${call}, and type more when it reads on`,
    });
  return kind;
}

function typedMeanwhile({ id }: Job): ToolError {
  return new ToolError('conflict', `another call typed into ${id} meanwhile, so nothing was typed`, {
    suggestion: 'read its output, and send it again',
  });
}
