import { later, subject } from '@jinn/store/fixture/test-grants';
import { change, record } from '@jinn/store/fixture/test-history';
import { text } from '@jinn/store/fixture/test-memory';
import { findPostgres, hasPooler, makeTempDirectory, startPooler, startPostgres } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openPostgres } from './open-postgres.ts';
import { openSharedState } from './shared-state.ts';

const bin = hasPooler() ? findPostgres() : undefined;

test.skipIf(bin === undefined)('works behind PgBouncer in transaction mode', async () => {
  const { url, query } = startPostgres(bin as string);
  const { url: pooled } = await startPooler(url);
  const state = openSharedState({ url: pooled, workspace: 'shop' });
  const own = state.stateOf({ root: '/w', person: 'ann', directory: makeTempDirectory() });
  const grants = await own.grants();
  await grants.add(subject);
  expect(await grants.find(subject)).toBeDefined();
  expect([await grants.spend('a', later()), await grants.spend('a', later())]).toEqual([true, false]);
  const memory = await own.memory();
  await memory.save('/w', text('k', 'v'));
  expect(await memory.recall('/w', 'k')).toMatchObject({ value: 'v' });
  const history = await own.history();
  const { id } = await record(history, [change('a', 'text'), change('b', 'text')]);
  expect(await (await history.archive()).find(id)).toHaveLength(2);
  expect(query('SELECT state FROM entries')).toHaveLength(2);
});

test.skipIf(bin === undefined)(
  'what several send at once through PgBouncer is done once, or refused alone',
  async () => {
    const { url, query } = startPostgres(bin as string);
    const servers = [await startPooler(url)].flatMap((pooled) => [openPostgres(pooled.url), openPostgres(pooled.url)]);
    const note = `INSERT INTO spent (answer, until) VALUES (? || current_setting('synchronous_commit'), ?)`;
    const write = (i: number) =>
      servers[i % 2]?.writeAll([[note, `${i} `, i % 10 === 9 ? null : i]], { isSynced: i % 3 !== 0 });
    const results = await Promise.allSettled(Array.from({ length: 100 }, (_, i) => write(i)));
    const expected = Array.from({ length: 100 }, (_, i) => i).filter((i) => i % 10 !== 9);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(expected.length);
    expect(query('SELECT answer FROM spent ORDER BY until')).toEqual(
      expected.map((i) => ({ answer: `${i} ${i % 3 === 0 ? 'off' : 'on'}` })),
    );
    expect(query("SELECT pid FROM pg_stat_activity WHERE application_name = 'jinn-mcp'").length).toBeLessThanOrEqual(2);
  },
);
