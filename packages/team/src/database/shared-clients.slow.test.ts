import { findPostgres, startPostgres } from '@jinn/testkit';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { SharedClients } from './open-postgres.ts';

const bin = findPostgres();

/** Its severity is ERROR: what a server in another language says of its end is no `FATAL` either. */
const failWith = (code: string) => `DO $$ BEGIN RAISE EXCEPTION 'failed' USING ERRCODE = '${code}'; END $$`;

test.skipIf(bin === undefined).for([
  ['57P01', 'not joined any more'],
  ['08006', 'not joined any more'],
  ['57014', 'joined'],
] as const)('a connection with the error %s is %s', async ([code, expected]) => {
  const pool = new pg.Pool({ connectionString: startPostgres(bin as string).url, max: 2 });
  onTestFinished(() => pool.end());
  const clients = new SharedClients(pool, 1);
  await clients.use(async (first) => {
    await expect(clients.use((client) => client.query(failWith(code)))).rejects.toMatchObject({ code });
    const next = await clients.use(async (client) => client);
    expect(next === first ? 'joined' : 'not joined any more').toBe(expected);
  });
});
