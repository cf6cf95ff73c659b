import { ToolError } from '@jinn/core/errors';
import type { Limits } from '../people/team-settings.ts';
import { Rate } from './rate.ts';

const BYTES_IN_MB = 1024 * 1024;
/** When there are more accounts, those are forgotten that have been at rest for longer than rates remember. */
const MAX_ACCOUNTS = 1_000;
const REST_MS = 60_000;

/** What somebody uses. */
interface Account {
  readonly calls: Rate;
  readonly output: Rate;
  commands: number;
  jobs: number;
  /** When it was last used. */
  used: number;
}

/** What each person may use, for whom `owner` stands. */
export interface PersonLimits {
  /** The most sessions that each may have. */
  readonly sessions: number;
  /** Begins a call of a tool, and returns what ends it. Throws `resource_limit` if it is one too many. */
  beginCall(owner: string, effect: string): () => void;
  /** Counts the bytes of an answer, which `measure` finds out if anybody wants to know. */
  spend(owner: string, measure: () => number): void;
  /** Counts a background job, and returns what counts its end. Throws `resource_limit` if it is one too many. */
  beginJob(owner: string): () => void;
  /** Returns the control group of the person's commands; undefined if there is none. */
  controlGroupOf(owner: string): string | undefined;
}

/** Makes the limits that the operator has set. What is not set has none. */
export function createPersonLimits(limits: Limits, controlGroupOf: PersonLimits['controlGroupOf']): PersonLimits {
  const { calls_per_minute: calls = Infinity, output_mb_per_minute: output = Infinity } = limits;
  const { commands = Infinity, jobs = Infinity, sessions = Infinity } = limits;
  const accounts = new Map<string, Account>();
  const accountOf = (owner: string): Account => {
    const now = performance.now();
    const known = accounts.get(owner);
    if (known === undefined && accounts.size >= MAX_ACCOUNTS) forgetResting(accounts, now);
    const account = known ?? {
      calls: new Rate(calls, now),
      output: new Rate(output * BYTES_IN_MB, now),
      commands: 0,
      jobs: 0,
      used: now,
    };
    account.used = now;
    accounts.set(owner, account);
    return account;
  };
  return {
    sessions,
    controlGroupOf,
    beginCall: (owner, effect) => {
      const account = accountOf(owner);
      if (calls < Infinity) takeOf(account.calls, 1, `${calls} calls a minute are allowed`);
      if (output < Infinity) takeOf(account.output, 0, `${output} MB of answers a minute are allowed`);
      if (effect !== 'execute') return () => undefined;
      if (account.commands >= commands) throw tooMany(commands, 'commands', 'wait until one of yours has ended');
      account.commands++;
      return () => void account.commands--;
    },
    spend: (owner, measure) => {
      if (output < Infinity) accountOf(owner).output.take(measure(), performance.now());
    },
    beginJob: (owner) => {
      const account = accountOf(owner);
      if (account.jobs >= jobs) throw tooMany(jobs, 'background jobs', 'end one of yours, in whatever session it runs');
      account.jobs++;
      return () => void account.jobs--;
    },
  };
}

/** Takes from a rate what is there. Throws `resource_limit` if it is not. */
function takeOf(rate: Rate, amount: number, rule: string): void {
  const now = performance.now();
  const wait = rate.waitFor(amount, now);
  if (wait > 0) {
    throw new ToolError('resource_limit', `${rule}, and they are used up`, {
      suggestion: `wait ${Math.ceil(wait / 1_000)} seconds and send it again`,
    });
  }
  rate.take(amount, now);
}

function tooMany(count: number, what: string, suggestion: string): ToolError {
  return new ToolError('resource_limit', `${count} ${what} at once are allowed, and as many run`, { suggestion });
}

function forgetResting(accounts: Map<string, Account>, now: number): void {
  for (const [owner, { commands, jobs, used }] of accounts) {
    if (commands === 0 && jobs === 0 && now - used > REST_MS) accounts.delete(owner);
  }
}
