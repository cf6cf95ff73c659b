import { openSharedState } from '@jinn/store/postgres';
import { findPostgres, startPostgres } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { auditInDatabase } from './audit-in-database.ts';

const bin = findPostgres();

test.skipIf(bin === undefined)(
  'what strangers do while the database is away leaves room for people, and what is lost is counted',
  async () => {
    const { url, start, stop, query } = startPostgres(bin as string);
    const { audit } = openSharedState({ url, workspace: 'shop' });
    const log = auditInDatabase(audit, () => undefined);
    await log.assure({ person: 'ann' });
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
  const { audit } = openSharedState({ url, workspace: 'shop' });
  const told: string[] = [];
  const log = auditInDatabase(audit, (error) => told.push((error as Error).message));
  await log.assure({ person: 'ann' });
  stop();
  for (let i = 0; i < 7; i++) log.event('call', { person: 'ann' });
  await log.close();
  expect(told.at(-1)).toBe('7 events of the audit log were not written');
});
