import { expect, test } from 'vitest';
import { createPersonLimits, Rate } from './person-limits.ts';

const none = () => undefined;
const [ann, bob] = [{ person: 'ann' }, { person: 'bob' }];

test('a rate fills up evenly, and never beyond a minute', () => {
  const rate = new Rate(60, 0);
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
  const limits = createPersonLimits({}, () => '/a/group');
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
