import { findPostgres, startPostgres, startRelay } from '@jinn/testkit';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgres } from './open-postgres.ts';

const bin = findPostgres();
const insert = (answer: string) => ['INSERT INTO spent (answer, until) VALUES (?, 1)', answer] as const;

/** Gives the connections that are opened from now on a clock that can be set. */
const OWN_CLOCK = `
  CREATE TABLE shift (by INTERVAL NOT NULL);
  INSERT INTO shift VALUES ('0');
  CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql
    AS 'SELECT pg_catalog.clock_timestamp() + by FROM public.shift';
  ALTER ROLE postgres SET search_path = public, pg_catalog`;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test.skipIf(bin === undefined)(
  'when the clock of the database is set forward, no change is refused for it',
  async () => {
    const { url, query, execute } = startPostgres(bin as string);
    execute(OWN_CLOCK);
    const statements = openPostgres(url);
    for (const by of ['0', '4 seconds', '1 hour']) {
      execute(`UPDATE shift SET by = '${by}'`);
      expect(await statements.write(...insert(by))).toBe(1);
    }
    expect(query('SELECT answer FROM spent')).toHaveLength(3);
  },
);

test.skipIf(bin === undefined)('a clock that was read slowly is read again', async () => {
  const { url, execute } = startPostgres(bin as string);
  execute(OWN_CLOCK);
  execute(
    `CREATE OR REPLACE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql
       AS 'SELECT pg_catalog.clock_timestamp() FROM pg_sleep(0.15)'`,
  );
  const relay = await startRelay(url);
  const statements = openPostgres(relay.url);
  await statements.write(...insert('first'));
  expect(await relay.countAnswers(() => statements.write(...insert('second')))).toBe(2);
});

test.skipIf(bin === undefined)(
  'statements that each wait for a lock are not done after they were refused',
  async () => {
    const { url, query } = startPostgres(bin as string);
    const statements = openPostgres(url);
    await statements.writeAll([insert('a'), insert('b')]);
    const holders = await Promise.all(['a', 'b'].map(() => connect(url)));
    for (const [i, answer] of ['a', 'b'].entries()) {
      await holders[i]?.query('BEGIN');
      await holders[i]?.query('SELECT FROM spent WHERE answer = $1 FOR UPDATE', [answer]);
    }
    const remove = (answer: string) => ['DELETE FROM spent WHERE answer = ?', answer] as const;
    const work = statements.writeAll([remove('a'), remove('b')]);
    const isRefused = expect(work).rejects.toMatchObject({ code: 'unavailable' });
    await new Promise((resolve) => setTimeout(resolve, 3_700));
    await holders[0]?.query('COMMIT');
    await new Promise((resolve) => setTimeout(resolve, 3_600));
    await holders[1]?.query('COMMIT');
    await isRefused;
    const busy = "SELECT FROM pg_stat_activity WHERE application_name = 'jinn-mcp' AND state <> 'idle'";
    await expect.poll(() => query(busy)).toEqual([]);
    expect(query('SELECT answer FROM spent')).toHaveLength(2);
  },
);

test.skipIf(bin === undefined)(
  'the first change is done although it takes seconds to connect',
  { retry: 2 },
  async () => {
    const relay = await startRelay(startPostgres(bin as string).url);
    relay.freeze();
    const work = openPostgres(relay.url).write(...insert('first'));
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    relay.thaw();
    expect(await work).toBe(1);
  },
);
