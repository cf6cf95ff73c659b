import type { Statements } from '@jinn/store/statements';
import { findPostgres, startPostgres } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openPostgres } from '../database/open-postgres.ts';
import { auditInDatabase, forgetOldEvents } from './audit-in-database.ts';

const bin = findPostgres();

test.skipIf(bin === undefined)(
  'what strangers do while the database is away leaves room for people, and what is lost is counted',
  async () => {
    const { url, start, stop, query } = startPostgres(bin as string);
    const log = auditInDatabase(openPostgres(url), { workspace: 'shop', onFailure: () => undefined });
    await log.assure('start', { person: 'ann' });
    stop();
    for (let i = 0; i < 6_000; i++) log.event('refusal', { i });
    for (let i = 0; i < 5_500; i++) log.event('call', { i, person: 'ann' });
    start();
    const count = () => query('SELECT event, count(*) AS n FROM audit GROUP BY event ORDER BY event');
    await expect.poll(count, { timeout: 30_000 }).toEqual([
      { event: 'call', n: 5_000 },
      { event: 'lost', n: 1 },
      { event: 'refusal', n: 5_000 },
      { event: 'start', n: 1 },
    ]);
    expect(query("SELECT facts FROM audit WHERE event = 'lost'")).toEqual([{ facts: { events: 1_500 } }]);
  },
);

test.skipIf(bin === undefined)('what the end of the process leaves unwritten is told', async () => {
  const { url, stop } = startPostgres(bin as string);
  const told: string[] = [];
  const onFailure = (error: unknown) => void told.push((error as Error).message);
  const log = auditInDatabase(openPostgres(url), { workspace: 'shop', onFailure });
  await log.assure('start', { person: 'ann' });
  stop();
  for (let i = 0; i < 7; i++) log.event('call', { person: 'ann' });
  await log.close();
  expect(told.at(-1)).toBe('7 events of the audit log were not written');
});

test.skipIf(bin === undefined)('what was written although the answer was lost is there once', async () => {
  const { url, query } = startPostgres(bin as string);
  const statements = openPostgres(url);
  let lostAnswers = 0;
  const write: Statements['write'] = async (...query) => {
    const count = await statements.write(...query);
    if (++lostAnswers <= 2) throw new Error('the connection was lost before the answer');
    return count;
  };
  const log = auditInDatabase({ ...statements, write }, { workspace: 'shop', onFailure: () => undefined });
  for (let i = 0; i < 11_000; i++) log.event('call', { i, person: 'ann' });
  const count = () => query('SELECT event, count(*) AS n FROM audit GROUP BY event ORDER BY event');
  const all = [
    { event: 'call', n: 10_000 },
    { event: 'lost', n: 1 },
  ];
  await expect.poll(count, { timeout: 30_000 }).toEqual(all);
  await log.close();
  expect(count()).toEqual(all);
});

test.skipIf(bin === undefined)('old events are removed in parts, and only those of the workspace', async () => {
  const { url, query, execute } = startPostgres(bin as string);
  const statements = openPostgres(url);
  await statements.read('SELECT 1');
  const add = (workspace: string, age: string, count: number) =>
    execute(`INSERT INTO audit (workspace, time, event, person, facts)
      SELECT '${workspace}', now() - interval '${age}', 'call', '', '{}' FROM generate_series(1, ${count})`);
  add('shop', '31 days', 20_001);
  add('shop', '29 days', 3);
  add('bank', '31 days', 2);
  expect(await forgetOldEvents(statements, 'shop', 30)).toBe(20_001);
  expect(query('SELECT workspace, count(*) AS n FROM audit GROUP BY workspace ORDER BY workspace')).toEqual([
    { workspace: 'bank', n: 2 },
    { workspace: 'shop', n: 3 },
  ]);
});
