import { findPostgres, startPostgres } from '@jinn/testkit';
import { expect, test } from 'vitest';
import type { ShareUse, Use } from '../limits/person-limits.ts';
import { openSharedState } from './shared-state.ts';

const bin = findPostgres();
const SECOND = 1_000;
const use = (owner: string, more: Partial<Use>): Use => ({
  ...{ owner, calls: 0, output: 0, commands: 0, jobs: 0, sessions: 0 },
  ...more,
});

const find = (all: readonly Use[]) => all.find(({ owner }) => owner === 'person ann');

function openServers(url: string): { one: ShareUse; other: ShareUse; foreign: ShareUse } {
  const at = (workspace: string, server: string) => openSharedState({ url, workspace }).useAt(server);
  return { one: at('shop', 'a:1'), other: at('shop', 'b:1'), foreign: at('shop.other', 'a:1') };
}

test.skipIf(bin === undefined)(
  'rates add up over servers, and run out again; what runs is told to the others',
  async () => {
    const { url, execute } = startPostgres(bin as string);
    const { one, other, foreign } = openServers(url);
    await one.exchange([use('person ann', { calls: 30 * SECOND, jobs: 2, sessions: 1 })]);
    const seen = find(await other.exchange([use('person ann', { calls: 10 * SECOND, output: SECOND, commands: 1 })]));
    expect(seen).toMatchObject({ owner: 'person ann', commands: 0, jobs: 2, sessions: 1 });
    expect(seen?.calls).toBeGreaterThan(38 * SECOND);
    expect(seen?.calls).toBeLessThanOrEqual(40 * SECOND);
    expect(seen?.output).toBeLessThanOrEqual(SECOND);
    const apart = find(await foreign.exchange([use('person ann', { jobs: 1 })]));
    expect(apart).toMatchObject({ jobs: 0 });
    expect(apart?.calls).toBe(0);
    const row = { owner: 'person ann' };
    expect(await one.list()).toEqual([
      { ...row, server: 'a:1', commands: 0, jobs: 2, sessions: 1 },
      { ...row, server: 'b:1', commands: 1, jobs: 0, sessions: 0 },
    ]);
    // What was used is over, and a server that says nothing has ended.
    execute(`UPDATE rates SET calls = calls - 100000; UPDATE presence SET seen = seen - interval '20 seconds'`);
    expect(find(await other.exchange([use('person ann', { calls: SECOND })]))).toMatchObject({
      calls: SECOND,
      jobs: 0,
    });
    expect(await one.list()).toHaveLength(1);
    execute(`UPDATE presence SET seen = seen - interval '2 days' WHERE server = 'a:1'`);
    expect(await other.exchange([])).toEqual([]);
    expect(await one.list()).toEqual([]);
  },
);

test.skipIf(bin === undefined)('rows of people are written only when something changes', async () => {
  const { url, query } = startPostgres(bin as string);
  const { one, other } = openServers(url);
  const mine = [use('person ann', { calls: SECOND, jobs: 1 })];
  await one.exchange(mine);
  const places = () =>
    query('SELECT owner, ctid::text FROM presence UNION SELECT owner, ctid::text FROM rates ORDER BY 1, 2');
  const before = places().filter(({ owner }) => owner !== '');
  expect(before).toHaveLength(2);
  const found = find(await one.exchange([use('person ann', { jobs: 1 })]));
  expect(found?.calls).toBeGreaterThan(0);
  expect(places().filter(({ owner }) => owner !== '')).toEqual(before);
  expect(find(await other.exchange([use('person ann', {})]))).toMatchObject({ jobs: 1 });
});

test.skipIf(bin === undefined)('many servers that tell of the same people at once wait for each other', async () => {
  const { url } = startPostgres(bin as string);
  const servers = Array.from({ length: 6 }, (_, i) => openSharedState({ url, workspace: 'shop' }).useAt(`s:${i}`));
  const people = Array.from({ length: 40 }, (_, i) => `person ${i}`);
  const mine = (i: number) => (i % 2 ? people : people.toReversed()).map((owner) => use(owner, { calls: SECOND }));
  await Promise.all(Array.from({ length: 10 }, () => servers.map((server, i) => server.exchange(mine(i)))).flat());
  const found = await servers[0]?.exchange(mine(0));
  const told = found?.filter(({ owner }) => owner !== '') ?? [];
  expect(told).toHaveLength(40);
  for (const { calls } of told) expect(calls).toBeGreaterThan(50 * SECOND);
});
