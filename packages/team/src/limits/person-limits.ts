import { ToolError } from '@jinn/core/errors';
import { type LimitOwner, ownerOf } from '../people/asker.ts';
import type { LimitSettings } from '../people/team-settings.ts';

const BYTES_IN_MB = 1024 * 1024;
/** When there are more accounts, those are forgotten that have been at rest for longer than rates remember. */
const MAX_ACCOUNTS = 1_000;
const REST_MS = 60_000;

interface Account {
  readonly calls: Rate;
  readonly output: Rate;
  commands: number;
  jobs: number;
  used: number;
}

/** What each person may use. */
export interface PersonLimits {
  sessionsOf(who: LimitOwner): number;
  /** Counts a call of a tool, and returns a function that ends it. Throws `resource_limit` if it is one too many. */
  beginCall(who: LimitOwner, effect: string): () => void;
  /** Counts the bytes of an answer, which `measure` computes if there is a limit. */
  spend(who: LimitOwner, measure: () => number): void;
  /** Counts a background job, and returns a function that ends it. Throws `resource_limit` if it is one too many. */
  beginJob(who: LimitOwner): () => void;
  controlGroupOf(who: LimitOwner): string | undefined;
  /** Counts by other limits from now on. */
  change(limits: LimitSettings): void;
}

/** Opens the limits of the settings, and warns of those that this system cannot hold. */
export async function openLimits(limits: LimitSettings, warn: (line: string) => void): Promise<PersonLimits> {
  const { memory_mb, cpus, processes } = limits;
  if (memory_mb === undefined && cpus === undefined && processes === undefined) {
    return createPersonLimits(limits, () => undefined);
  }
  const { openControlGroups } = await import('./control-groups.ts');
  const groups = openControlGroups(limits);
  if ('why' in groups) warn(`memory, cpus and processes of commands have no limits here: ${groups.why}`);
  return createPersonLimits(limits, 'why' in groups ? () => undefined : groups.groupOf);
}

/** Makes the limits of the settings. What is not set has none. `groupOf` returns the control group of an owner. */
export function createPersonLimits(
  limits: LimitSettings,
  groupOf: (owner: string) => string | undefined,
): PersonLimits {
  let forAll = limits;
  const limitsOf = (who: LimitOwner) => {
    const own = { ...forAll, ...who.limits };
    const { commands = Infinity, jobs = Infinity, sessions = Infinity } = own;
    return {
      calls: own.calls_per_minute ?? Infinity,
      output: own.output_mb_per_minute ?? Infinity,
      ...{ commands, jobs, sessions },
    };
  };
  const accounts = new Map<string, Account>();
  const accountOf = (who: LimitOwner): Account => {
    const owner = ownerOf(who);
    const now = performance.now();
    const known = accounts.get(owner);
    if (known === undefined && accounts.size >= MAX_ACCOUNTS) forgetResting(accounts, now);
    const { calls, output } = limitsOf(who);
    const rates = () => ({ calls: new Rate(calls, now), output: new Rate(output * BYTES_IN_MB, now) });
    const account = known ?? { ...rates(), commands: 0, jobs: 0, used: now };
    account.calls.change(calls, now);
    account.output.change(output * BYTES_IN_MB, now);
    account.used = now;
    accounts.set(owner, account);
    return account;
  };
  return {
    sessionsOf: (who) => limitsOf(who).sessions,
    change: (next) => {
      forAll = next;
    },
    controlGroupOf: (who) => groupOf(ownerOf(who)),
    beginCall: (who, effect) => {
      const account = accountOf(who);
      const { calls, output, commands } = limitsOf(who);
      if (calls < Infinity) takeOf(account.calls, 1, `${calls} calls a minute are allowed`);
      if (output < Infinity) takeOf(account.output, 0, `${output} MB of answers a minute are allowed`);
      if (effect !== 'execute') return () => undefined;
      if (account.commands >= commands) throw tooMany(commands, 'commands', 'wait until one of yours has ended');
      account.commands++;
      return () => void account.commands--;
    },
    spend: (who, measure) => {
      if (limitsOf(who).output < Infinity) accountOf(who).output.take(measure(), performance.now());
    },
    beginJob: (who) => {
      const account = accountOf(who);
      const { jobs } = limitsOf(who);
      if (account.jobs >= jobs) throw tooMany(jobs, 'background jobs', 'end one of yours, in whatever session it runs');
      account.jobs++;
      return () => void account.jobs--;
    },
  };
}

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

const MINUTE_MS = 60_000;

/** A limit per minute: a bucket that fills evenly. */
export class Rate {
  #perMinute: number;
  #left: number;
  #since: number;

  constructor(perMinute: number, now: number) {
    this.#perMinute = perMinute;
    this.#left = perMinute;
    this.#since = now;
  }

  /** Sets another limit. A larger one leaves room for what it adds. */
  change(perMinute: number, now: number): void {
    if (perMinute === this.#perMinute) return;
    this.#fill(now);
    this.#left = Number.isFinite(this.#perMinute) ? this.#left + perMinute - this.#perMinute : perMinute;
    this.#perMinute = perMinute;
  }

  /** Returns how long to wait until there is so much, in milliseconds, or 0 if there is. */
  waitFor(amount: number, now: number): number {
    this.#fill(now);
    return Math.max(0, Math.ceil(((amount - this.#left) / this.#perMinute) * MINUTE_MS));
  }

  /** Takes so much, whether it is there or not. */
  take(amount: number, now: number): void {
    this.#fill(now);
    this.#left -= amount;
  }

  #fill(now: number): void {
    const filled = this.#left + ((now - this.#since) / MINUTE_MS) * this.#perMinute;
    this.#left = Math.min(this.#perMinute, filled);
    this.#since = now;
  }
}
