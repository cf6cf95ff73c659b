import type { ToolContext, ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type FinishedCommand, type LaunchedCommand, MAX_SECONDS, type Stopper, secondsOf } from './launch-command.ts';
import { decodedLine, deniedMeta, type OutputView, reportEnd, riskMeta, toLine, toMeta } from './report.ts';
import { toCondition, type WaitCondition, type WaitRequest, waitForCondition } from './wait-for.ts';

const MAX_RUNNING = 16;
const MAX_ENDED = 32;
const SHOWN_COMMAND = 80;
const MAX_SHOWN_ID = 100;
/** How long a job has between SIGTERM and SIGKILL. */
const PATIENCE_MS = 2_000;
const SIGNALS: Partial<Record<Stopper, string>> = { terminate: 'SIGTERM', kill: 'SIGKILL' };
/** How long a call waits for something, in seconds, by default. */
const DEFAULT_WAIT = 30;
/** How often, and how many times, the output is looked at after some input. */
const LOOK_MS = 100;
const LOOKS = 10;
/** What Ctrl-D types. */
export const END_OF_INPUT = '\u0004';

/** A job of a session. */
export interface Job {
  readonly id: string;
  readonly launched: LaunchedCommand;
  finished?: FinishedCommand;
  /** Makes the answer about the end of the job. Absent while it runs. */
  end?: (view: OutputView) => ToolOutput;
  /** How many bytes of the output were reported, from the first one on. */
  reported: number;
  isEndReported: boolean;
  /** The whole input from the agent. */
  typed: string;
  isInputEnded: boolean;
}

export interface JobArgs {
  readonly job?: string | undefined;
  readonly action?: string | undefined;
  readonly input?: string | undefined;
  readonly since?: number | undefined;
  readonly wait_for?: string | number | undefined;
  readonly timeout?: number | undefined;
  readonly max_output?: number | undefined;
}

export class Jobs {
  readonly #jobs = new Map<string, Job>();
  #count = 0;

  /** Throws `resource_limit` if as many jobs run as may run at once. */
  rejectTooMany(): void {
    if (this.#running().length < MAX_RUNNING) return;
    throw new ToolError('resource_limit', `${MAX_RUNNING} background jobs are running`, {
      suggestion: 'end one with {"action":"kill","job":…}; {"action":"list"} shows them',
    });
  }

  /** Keeps a job, and answers when the call's condition is met. */
  async add(launched: LaunchedCommand, condition: WaitCondition | undefined, ctx: ToolContext): Promise<ToolOutput> {
    const at = ctx.server === undefined ? '' : `@${ctx.server}`;
    const job: Job = {
      id: `job-${++this.#count}${at}`,
      launched,
      reported: 0,
      isEndReported: false,
      typed: '',
      isInputEnded: false,
    };
    this.#jobs.set(job.id, job);
    void launched.finished.then(
      (finished) => this.#end(job, (view) => reportEnd(launched, finished, view), finished),
      (error: unknown) =>
        this.#end(job, () => {
          throw error;
        }),
    );
    if (condition) return this.#wait(job, { condition, seconds: DEFAULT_WAIT }, {}, ctx);
    const calls = ['output', 'kill'].map((action) => JSON.stringify({ job: job.id, action }));
    return {
      text: `[started ${job.id}]\nread what it writes with ${calls[0]}, end it with ${calls[1]}. It stops with the session`,
      classification: 'success',
      risk: launched.verdict.risk,
      meta: { job: job.id, sandbox: launched.sandbox, ...riskMeta(launched.verdict) },
    };
  }

  async act({ job: id, action, wait_for, timeout, ...args }: JobArgs, ctx: ToolContext): Promise<ToolOutput> {
    if (action === 'list') return this.#list(ctx);
    const job = this.find(id, ctx);
    const view = { since: args.since || undefined, max: args.max_output };
    if (args.since === 0) job.isEndReported = false;
    if (action === 'kill') await end(job);
    else if (wait_for)
      return this.#wait(job, { condition: toCondition(wait_for), seconds: secondsToWait(timeout) }, view, ctx);
    return showJob(job, view);
  }

  /** Types a text into a job, and returns what it writes then: until the condition is met, or until it pauses. */
  async type(
    job: Job,
    text: string,
    { wait_for, timeout, since, max_output: max }: JobArgs,
    ctx: ToolContext,
  ): Promise<ToolOutput> {
    const condition = wait_for ? toCondition(wait_for) : undefined;
    const { launched } = job;
    const view = { since: since || launched.capture.total, max };
    job.typed += text;
    // A pipe has no key for the end of input.
    const isEnd = launched.input === 'pipe' && text.endsWith(END_OF_INPUT);
    launched.type?.(isEnd ? text.slice(0, -1) : text);
    if (isEnd && text !== END_OF_INPUT) launched.type?.('');
    job.isInputEnded = isEnd;
    if (condition) return this.#wait(job, { condition, seconds: secondsToWait(timeout) }, view, ctx);
    await pauseOf(job, ctx);
    return showJob(job, view);
  }

  async #wait(
    job: Job,
    wanted: Pick<WaitRequest, 'condition' | 'seconds'>,
    view: OutputView,
    ctx: ToolContext,
  ): Promise<ToolOutput> {
    const output = () => job.launched.capture.plain(view.since);
    const isOver = !(await waitForCondition({ ...wanted, output, hasEnded: () => job.end !== undefined }, ctx));
    if (isOver) ctx.warn(`wait_for: it was not there within ${wanted.seconds} seconds`);
    return showJob(job, view);
  }

  async close(): Promise<void> {
    const running = this.#running();
    for (const { launched } of running) launched.stop('kill');
    await Promise.allSettled(running.map(({ launched }) => launched.finished));
  }

  #running(): Job[] {
    return [...this.#jobs.values()].filter(({ end }) => end === undefined);
  }

  #end(job: Job, report: (view: OutputView) => ToolOutput, finished?: FinishedCommand): void {
    if (finished) job.finished = finished;
    job.end = report;
    const ended = [...this.#jobs.values()].filter(({ end }) => end !== undefined);
    for (const { id } of ended.slice(0, -MAX_ENDED)) this.#jobs.delete(id);
  }

  /** Finds a job of this session. Throws `not_found`. */
  find(id: string | undefined, { server }: ToolContext): Job {
    const job = id ? this.#jobs.get(id) : undefined;
    if (job) return job;
    const [, owner] = /^job-\d+@(.+)$/.exec(id ?? '') ?? [];
    if (id && server !== undefined && owner !== undefined && owner !== server) throw elsewhere(id, owner, server);
    const known = [...this.#jobs.keys()].join(', ');
    throw new ToolError('not_found', !id ? 'job is missing' : `no such job: ${id.slice(0, MAX_SHOWN_ID)}`, {
      suggestion: known ? `the jobs of this session are ${known}` : 'no job was started in this session',
    });
  }

  #list({ server }: ToolContext): ToolOutput {
    const jobs = [...this.#jobs.values()];
    const lines = jobs.map((job) => `${job.id}\t${stateOf(job)}\t${toOneLine(job.launched.command)}`);
    const meta = jobs.map((job) => ({ job: job.id, state: stateOf(job), command: job.launched.command }));
    return {
      text: lines.join('\n') || `no background jobs${server === undefined ? '' : ` on this server, ${server}`}`,
      meta: { jobs: meta },
    };
  }
}

/** Makes the jobs of a session, for `session.use`. They end when the session ends. */
export function createJobs(): Jobs {
  return new Jobs();
}

function elsewhere(id: string, owner: string, server: string): ToolError {
  const [job, other] = [id, owner].map((text) => text.slice(0, MAX_SHOWN_ID));
  return new ToolError(
    'not_found',
    `${job} is on the server ${other}, and this is ${server}: jobs stay on their server`,
    {
      suggestion: `send it again, which may reach ${other}. The operator can keep each client at one server`,
    },
  );
}

async function end({ launched }: Job): Promise<void> {
  launched.stop('terminate');
  const timer = setTimeout(() => launched.stop('kill'), PATIENCE_MS);
  await launched.finished.catch(() => undefined);
  clearTimeout(timer);
}

function secondsToWait(timeout: number | undefined): number {
  return Math.min(timeout || DEFAULT_WAIT, MAX_SECONDS);
}

/** Waits until a job has written something and pauses, for a second at most. */
async function pauseOf({ launched, ...job }: Job, { signal }: ToolContext): Promise<void> {
  const { capture, finished } = launched;
  const start = capture.total;
  let seen = -1;
  for (let i = 0; i < LOOKS && !job.end && !signal?.aborted; i++) {
    if (capture.total === seen && seen > start) return;
    seen = capture.total;
    await Promise.race([new Promise((resolve) => setTimeout(resolve, LOOK_MS)), finished.catch(() => undefined)]);
  }
}

/** Reports the output of a job, and its end. Output that was reported together with the end is not repeated unless `since` or `max` asks for it. */
function showJob(job: Job, { since, max }: OutputView): ToolOutput {
  const { id, launched } = job;
  const next = launched.capture.total;
  const isReported = job.isEndReported && job.reported === next && since === undefined && max === undefined;
  const end = job.end?.({ since, max, isReported });
  if ((since ?? 0) <= job.reported) job.reported = next;
  job.isEndReported ||= end !== undefined;
  if (end) return end;
  const shown = launched.capture.show({ isEnd: false, isSuccess: true, max: max ?? launched.maxOutput, since });
  const denied = launched.findDenials();
  const { isHidden } = launched.typing?.() ?? { isHidden: false };
  const hidden = isHidden
    ? `\n[${id} hides what is typed, as for a password: ask the user to type it at the page of jinn ui]`
    : '';
  const about = `[${id} has been running for ${secondsOf(launched)} seconds. since: ${next} shows what comes next]`;
  return {
    text: [`${about}${hidden}\n${shown.text}`, ...decodedLine(shown), ...denied.map(toLine)].join('\n'),
    risk: launched.verdict.risk,
    ...(shown.truncated && { truncated: true }),
    meta: {
      job: id,
      running: true,
      next,
      ...(isHidden && { hidden: true }),
      ...toMeta(launched, shown),
      ...deniedMeta(denied),
    },
  };
}

function stateOf({ launched, finished, end }: Job): string {
  if (!end) return `running for ${secondsOf(launched)} s`;
  if (!finished) return 'could not be started';
  const { stopper, exitCode } = finished;
  return stopper === undefined ? `ended with ${exitCode}` : `ended by ${SIGNALS[stopper] ?? stopper}`;
}

function toOneLine(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim();
  return line.length <= SHOWN_COMMAND ? line : `${line.slice(0, SHOWN_COMMAND)}…`;
}
