import { ToolError, type ToolOutput } from '@jinn/core';
import { type Finished, type Launched, secondsOf } from './launch.ts';
import { reportEnd, toMeta, whyRisky } from './report.ts';

const MAX_RUNNING = 16;
/** How many jobs that have ended are remembered; the oldest are forgotten first. */
const MAX_ENDED = 32;
const SHOWN_COMMAND = 80;

interface Job {
  readonly id: string;
  readonly launched: Launched;
  finished?: Finished;
  /** Makes the answer about the end of the job, once; absent while it runs. */
  end?: () => ToolOutput;
}

/** The background jobs of one session. */
export class Jobs {
  readonly #jobs = new Map<string, Job>();
  #count = 0;

  /** Throws `resource_limit` if as many jobs run as may run at once. */
  refuseTooMany(): void {
    if (this.#running().length < MAX_RUNNING) return;
    throw new ToolError('resource_limit', `${MAX_RUNNING} background jobs are running`, {
      suggestion: 'end one with {"action":"kill","job":…}; {"action":"list"} shows them',
    });
  }

  add(launched: Launched): ToolOutput {
    const job: Job = { id: `job-${++this.#count}`, launched };
    this.#jobs.set(job.id, job);
    void launched.finished.then(
      (finished) => this.#end(job, () => reportEnd(launched, finished), finished),
      (error: unknown) => this.#end(job, () => rethrow(error)),
    );
    const calls = ['output', 'kill'].map((action) => JSON.stringify({ job: job.id, action }));
    return {
      text: `[started ${job.id}]\nread what it writes with ${calls[0]}, end it with ${calls[1]}; it ends with the session`,
      classification: 'success',
      risk: launched.verdict.risk,
      meta: { job: job.id, sandbox: launched.sandbox, ...whyRisky(launched.verdict) },
    };
  }

  async act({ job: id, action }: { job?: string | undefined; action?: string | undefined }): Promise<ToolOutput> {
    if (action === 'list') return this.#list();
    const job = this.#find(id);
    if (action === 'kill') {
      job.launched.stop('kill');
      await job.launched.finished.catch(() => undefined);
    }
    return job.end ? job.end() : showRunning(job);
  }

  async close(): Promise<void> {
    const running = this.#running();
    for (const { launched } of running) launched.stop('kill');
    await Promise.allSettled(running.map(({ launched }) => launched.finished));
  }

  #running(): Job[] {
    return [...this.#jobs.values()].filter(({ end }) => end === undefined);
  }

  #end(job: Job, report: () => ToolOutput, finished?: Finished): void {
    if (finished) job.finished = finished;
    job.end = once(report);
    const ended = [...this.#jobs.values()].filter(({ end }) => end !== undefined);
    for (const { id } of ended.slice(0, -MAX_ENDED)) this.#jobs.delete(id);
  }

  #find(id: string | undefined): Job {
    const job = id ? this.#jobs.get(id) : undefined;
    if (job) return job;
    const known = [...this.#jobs.keys()].join(', ');
    throw new ToolError('not_found', !id ? 'job is missing' : `no such job: ${id.slice(0, 40)}`, {
      suggestion: known ? `the jobs of this session are ${known}` : 'no job was started in this session',
    });
  }

  #list(): ToolOutput {
    const jobs = [...this.#jobs.values()];
    const lines = jobs.map((job) => `${job.id}\t${stateOf(job)}\t${oneLine(job.launched.command)}`);
    const meta = jobs.map((job) => ({ job: job.id, state: stateOf(job), command: job.launched.command }));
    return { text: lines.join('\n') || 'no background jobs', meta: { jobs: meta } };
  }
}

/** For `session.use`: the jobs of a session end when it ends. */
export function createJobs(): Jobs {
  return new Jobs();
}

function showRunning({ id, launched }: Job): ToolOutput {
  const shown = launched.capture.show({ isEnd: false });
  return {
    text: `[${id} has been running for ${secondsOf(launched)} seconds]\n${shown.text}`,
    risk: launched.verdict.risk,
    ...(shown.truncated && { truncated: true }),
    meta: { job: id, running: true, ...toMeta(launched, shown) },
  };
}

function stateOf({ launched, finished, end }: Job): string {
  if (!end) return `running for ${secondsOf(launched)} s`;
  if (!finished) return 'could not be started';
  return finished.stopper === undefined ? `ended with ${finished.exitCode}` : `ended by ${finished.stopper}`;
}

function oneLine(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim();
  return line.length <= SHOWN_COMMAND ? line : `${line.slice(0, SHOWN_COMMAND)}…`;
}

/** Makes a function that makes an answer at its first call and returns, or throws, the same from then on. */
function once(report: () => ToolOutput): () => ToolOutput {
  let answer: (() => ToolOutput) | undefined;
  return () => {
    answer ??= settle(report);
    return answer();
  };
}

function settle(report: () => ToolOutput): () => ToolOutput {
  try {
    const output = report();
    return () => output;
  } catch (error) {
    return () => rethrow(error);
  }
}

function rethrow(error: unknown): never {
  throw error;
}
