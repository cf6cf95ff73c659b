import { expect, onTestFinished, test, vi } from 'vitest';
import type { LimitSettings } from '../people/team-settings.ts';
import { createPersonLimits, type PersonLimits, type Use } from './person-limits.ts';
import { Rate } from './rate.ts';

const none = { server: 'here' };
const [ann, bob] = [{ person: 'ann' }, { person: 'bob' }];

test('a rate fills up evenly, and never beyond a minute', () => {
  const rate = new Rate(60);
  rate.take(60, 0);
  expect(rate.waitFor(1, 0)).toBe(1_000);
  expect(rate.waitFor(1, 1_000)).toBe(0);
  rate.take(100, 1_000);
  expect(rate.waitFor(0, 1_000)).toBe(99_000);
  expect(rate.waitFor(60, 1_000_000)).toBe(0);
  expect(rate.waitFor(61, 1_000_000)).toBe(1_000);
});

test('calls, commands, jobs and output are counted for each person alone', () => {
  const calls = createPersonLimits({ calls_per_minute: 2 }, none);
  calls.beginCall(ann, 'read');
  calls.beginCall(ann, 'read');
  expect(() => calls.beginCall(ann, 'read')).toThrow('2 calls a minute are allowed, and they are used up');
  calls.beginCall(bob, 'read');
  const commands = createPersonLimits({ commands: 1 }, none);
  const end = commands.beginCall(ann, 'execute');
  commands.beginCall(ann, 'write');
  expect(() => commands.beginCall(ann, 'execute')).toThrow('1 commands at once are allowed');
  commands.beginCall(bob, 'execute');
  end();
  commands.beginCall(ann, 'execute');
  const jobs = createPersonLimits({ jobs: 1 }, none);
  const endJob = jobs.beginJob(ann);
  expect(() => jobs.beginJob(ann)).toThrow('1 background jobs at once are allowed');
  jobs.beginJob(bob);
  endJob();
  jobs.beginJob(ann);
  const output = createPersonLimits({ output_mb_per_minute: 1 }, none);
  output.spend(ann, () => 2 * 1024 * 1024);
  expect(() => output.beginCall(ann, 'read')).toThrow('1 MB of answers a minute are allowed');
  output.beginCall(bob, 'read');
});

test('without limits there are none', () => {
  const limits = createPersonLimits({}, { ...none, groupOf: () => '/a/group' });
  for (let i = 0; i < 2_000; i++) limits.beginCall({ person: `person ${i % 7}` }, 'execute');
  for (let i = 0; i < 2_000; i++) limits.beginCall({ person: `person ${i}` }, 'read');
  limits.beginJob(ann);
  expect([limits.sessionsOf(ann), limits.controlGroupOf(ann)]).toEqual([Infinity, '/a/group']);
});

test('claims set limits of their own, and settings that are read again count at once', () => {
  const limits = createPersonLimits({ calls_per_minute: 2, jobs: 1 }, none);
  const admin = { person: 'eve', limits: { calls_per_minute: 4 } };
  const use = (who: object, count: number) => {
    for (let i = 0; i < count; i++) limits.beginCall({ person: '', ...who }, 'read');
  };
  use(admin, 4);
  expect(() => use(admin, 1)).toThrow('4 calls a minute are allowed');
  limits.beginJob(admin);
  expect(() => limits.beginJob(admin)).toThrow('1 background jobs');
  use(ann, 2);
  expect([limits.sessionsOf(ann), limits.sessionsOf({ ...ann, limits: { sessions: 3 } })]).toEqual([Infinity, 3]);
  limits.change({ calls_per_minute: 5, sessions: 7 });
  use(ann, 3);
  expect(() => use(ann, 1)).toThrow('5 calls a minute are allowed');
  limits.beginJob(admin);
  expect(limits.sessionsOf(ann)).toBe(7);
  limits.change({ calls_per_minute: 1 });
  use(bob, 1);
  expect(() => use(bob, 1)).toThrow('1 calls a minute are allowed');
  limits.change({});
  use(bob, 100);
  limits.change({ calls_per_minute: 1 });
  use(bob, 1);
  expect(() => use(bob, 1)).toThrow('1 calls a minute are allowed');
});

/** Servers that share what people use in one table, as in a database, which may be away. */
function openShared(count: number, limits: LimitSettings) {
  const rates = new Map<string, { calls: number; output: number }>();
  const table = { isAway: false };
  const servers = Array.from({ length: count }, (_, i) => {
    const exchange = async (mine: readonly Use[]) => {
      if (table.isAway) throw new Error('away');
      return mine.map(({ owner, calls, output }) => {
        const known = rates.get(owner) ?? { calls: 0, output: 0 };
        const next = { calls: known.calls + calls, output: known.output + output };
        rates.set(owner, next);
        return { owner, ...next, commands: 0, jobs: i, sessions: i };
      });
    };
    return createPersonLimits(limits, { server: `server ${i}`, share: { exchange, list: async () => [] } });
  });
  return { servers, table };
}

test('what is used at one server is missing at the others, a second later', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { servers, table } = openShared(2, { calls_per_minute: 10, jobs: 2, sessions: 2 });
  const [one, other] = servers as [PersonLimits, PersonLimits];
  const use = (limits: PersonLimits, times: number) => {
    for (let i = 0; i < times; i++) limits.beginCall(ann, 'read');
  };
  use(one, 6);
  use(other, 1);
  await vi.advanceTimersByTimeAsync(2_100);
  use(other, 3);
  expect(() => use(other, 1)).toThrow('10 calls a minute');
  other.beginJob(ann);
  expect(() => other.beginJob(ann)).toThrow('2 background jobs');
  expect([one.sessionsOf(ann), other.sessionsOf(ann), other.sessionsOf(bob)]).toEqual([2, 1, 2]);
  table.isAway = true;
  await vi.advanceTimersByTimeAsync(60_000);
  use(other, 10);
  expect(() => use(other, 1)).toThrow('10 calls a minute');
  other.beginJob(ann);
});
