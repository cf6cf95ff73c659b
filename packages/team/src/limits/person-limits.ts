import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '@jinn/core/errors';
import { type LimitOwner, ownerOf } from '../people/asker.ts';
import type { LimitSettings } from '../people/team-settings.ts';
import { Rate } from './rate.ts';

const BYTES_IN_MB = 1024 * 1024;
/** When there are more accounts, those are forgotten that have been at rest for longer than rates remember. */
const MAX_ACCOUNTS = 1_000;
const REST_MS = 60_000;
const SHARE_MS = 1_000;
const CLOSE_MS = 500;

/** A count of what runs for one user. */
export interface Running {
  readonly commands: number;
  readonly jobs: number;
  readonly sessions: number;
}

/** The use of one owner: `calls` and `output` in milliseconds of their rates. */
export interface Use extends Running {
  readonly owner: string;
  readonly calls: number;
  readonly output: number;
}

export interface UseByServer extends Running {
  readonly server: string;
  readonly owner: string;
}

/** Shares use between servers. */
export interface ShareUse {
  /** Adds what was used here since the last time, and returns what is used in all, and what runs at other servers. */
  exchange(mine: readonly Use[]): Promise<readonly Use[]>;
  list(): Promise<readonly UseByServer[]>;
}

export const NOTHING: Running = { commands: 0, jobs: 0, sessions: 0 };

interface Account {
  readonly calls: Rate;
  readonly output: Rate;
  readonly here: { -readonly [name in keyof Running]: number };
  others: Running;
  used: number;
}

/** The limits of each user. */
export interface PersonLimits {
  sessionsOf(who: LimitOwner): number;
  /** Counts a call of a tool, and returns a function that ends it. Throws `resource_limit` if it is one too many. */
  beginCall(who: LimitOwner, effect: string): () => void;
  /** Counts the bytes of an answer, which `measure` computes if there is a limit. */
  spend(who: LimitOwner, measure: () => number): void;
  /** Counts a background job, and returns a function that ends it. Throws `resource_limit` if it is one too many. */
  beginJob(who: LimitOwner): () => void;
  /** Counts a session, and returns a function that ends it. `owner` is what `ownerOf` returns. */
  beginSession(owner: string): () => void;
  controlGroupOf(who: LimitOwner): string | undefined;
  /** Counts by other limits from now on. */
  change(limits: LimitSettings): void;
  /** Returns what runs now, by user and server. */
  people(): Promise<readonly UseByServer[]>;
  /** Returns what runs at this server. */
  running(): Running;
  /** Tells other servers that nothing runs here any more. */
  close(): Promise<unknown>;
}

export interface LimitOptions {
  readonly server: string;
  readonly share?: ShareUse | undefined;
  groupOf?(owner: string): string | undefined;
}

/** Opens the limits of the settings, and warns of those that this system cannot hold. */
export async function openLimits(
  limits: LimitSettings,
  options: LimitOptions & { warn(line: string): void },
): Promise<PersonLimits> {
  const { memory_mb, cpus, processes } = limits;
  if (memory_mb === undefined && cpus === undefined && processes === undefined) {
    return createPersonLimits(limits, options);
  }
  const { openControlGroups } = await import('./control-groups.ts');
  const groups = openControlGroups(limits);
  if ('groupOf' in groups) return createPersonLimits(limits, { ...options, ...groups });
  options.warn(`memory, cpus and processes of commands have no limits here: ${groups.why}`);
  return createPersonLimits(limits, options);
}

/** Makes the limits of the settings. What is not set has none. `groupOf` returns the control group of an owner. */
export function createPersonLimits(limits: LimitSettings, { server, share, groupOf }: LimitOptions): PersonLimits {
  let forAll = limits;
  const accounts = new Map<string, Account>();
  const allowedTo = (who: LimitOwner) => ({ ...forAll, ...who.limits });
  const open = (owner: string): Account => {
    const now = performance.now();
    const known = accounts.get(owner);
    if (known === undefined && accounts.size >= MAX_ACCOUNTS) forgetResting(accounts, now);
    const fresh = () => ({ calls: new Rate(), output: new Rate(), here: { ...NOTHING }, others: NOTHING, used: now });
    const account = known ?? fresh();
    account.used = now;
    accounts.set(owner, account);
    return account;
  };
  const accountOf = (who: LimitOwner) => {
    const account = open(ownerOf(who));
    const { calls_per_minute: calls = Infinity, output_mb_per_minute: output = Infinity } = allowedTo(who);
    account.calls.change(calls, account.used);
    account.output.change(output * BYTES_IN_MB, account.used);
    return account;
  };
  const begin = (account: Account, what: keyof Running) => {
    account.here[what]++;
    return () => void account.here[what]--;
  };
  /** Counts one more, unless as many run here and at other servers. */
  const beginOne = (who: LimitOwner, what: 'commands' | 'jobs', [name, suggestion]: readonly [string, string]) => {
    const account = accountOf(who);
    const most = allowedTo(who)[what] ?? Infinity;
    if (account.here[what] + account.others[what] >= most) {
      throw new ToolError('resource_limit', `${most} ${name} at once are allowed, and as many run`, { suggestion });
    }
    return begin(account, what);
  };
  const closeShare = share && shareUse(accounts, share);
  const running = (): Running => {
    const sum = (what: keyof Running) => [...accounts.values()].reduce((all, { here }) => all + here[what], 0);
    return { commands: sum('commands'), jobs: sum('jobs'), sessions: sum('sessions') };
  };
  return {
    running,
    change: (next) => {
      forAll = next;
    },
    // One session is always there, so that its user can end others.
    sessionsOf: (who) => {
      const most = allowedTo(who).sessions ?? Infinity;
      return Math.max(1, most - (accounts.get(ownerOf(who))?.others.sessions ?? 0));
    },
    controlGroupOf: (who) => groupOf?.(ownerOf(who)),
    beginCall: (who, effect) => {
      const account = accountOf(who);
      const { calls_per_minute: calls, output_mb_per_minute: output } = allowedTo(who);
      if (calls !== undefined) takeOf(account.calls, 1, `${calls} calls a minute are allowed`);
      if (output !== undefined) takeOf(account.output, 0, `${output} MB of answers a minute are allowed`);
      if (effect !== 'execute') return () => undefined;
      return beginOne(who, 'commands', ['commands', 'wait until one of yours has ended']);
    },
    spend: (who, measure) => {
      if (allowedTo(who).output_mb_per_minute === undefined) return;
      accountOf(who).output.take(measure(), performance.now());
    },
    beginJob: (who) => beginOne(who, 'jobs', ['background jobs', 'end one of yours, in any session or server']),
    beginSession: (owner) => begin(open(owner), 'sessions'),
    people: async () => {
      if (share) return share.list();
      const rows = [...accounts].map(([owner, { here }]) => ({ server, owner, ...here }));
      return rows.filter(({ commands, jobs, sessions }) => commands + jobs + sessions > 0);
    },
    close: async () => closeShare?.(),
  };
}

/** Exchanges what is used with other servers, once a second while something is. Calls never wait for it. */
function shareUse(accounts: ReadonlyMap<string, Account>, share: ShareUse): () => Promise<unknown> {
  let isBusy = false;
  let wasActive = false;
  const exchange = async (active: readonly (readonly [string, Account])[]) => {
    const mine = active.map(([owner, { calls, output, here }]) => ({
      ...here,
      owner,
      calls: calls.takeUnshared(),
      output: output.takeUnshared(),
    }));
    try {
      for (const { owner, calls, output, ...others } of await share.exchange(mine)) {
        const account = accounts.get(owner);
        account?.calls.merge(calls, performance.now());
        account?.output.merge(output, performance.now());
        if (account) account.others = others;
      }
    } catch {
      // While the database is away, each server counts by itself.
      for (const { owner, calls, output } of mine) {
        const account = accounts.get(owner);
        account?.calls.putBack(calls);
        account?.output.putBack(output);
        if (account) account.others = NOTHING;
      }
    }
  };
  const timer = setInterval(async () => {
    const now = performance.now();
    const active = [...accounts].filter(([, account]) => !isResting(account, now));
    for (const account of accounts.values()) if (isResting(account, now)) account.others = NOTHING;
    if (isBusy || (active.length === 0 && !wasActive)) return;
    isBusy = true;
    wasActive = active.length > 0;
    await exchange(active);
    isBusy = false;
  }, SHARE_MS).unref();
  return async () => {
    clearInterval(timer);
    await Promise.race([exchange([]), sleep(CLOSE_MS)]);
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

function isResting({ here, used }: Account, now: number): boolean {
  return here.commands === 0 && here.jobs === 0 && here.sessions === 0 && now - used > REST_MS;
}

function forgetResting(accounts: Map<string, Account>, now: number): void {
  for (const [owner, account] of accounts) if (isResting(account, now)) accounts.delete(owner);
}
