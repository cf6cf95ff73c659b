import { findPostgres, startPostgres } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openPostgres } from './open-postgres.ts';

const bin = findPostgres();
const SECOND_VERSION = `
  DROP TABLE memory, entries, tokens, audit;
  DROP TEXT SEARCH CONFIGURATION jinn_words;
  DROP TEXT SEARCH DICTIONARY jinn_stems;
  UPDATE jinn_schema SET version = 1`;

test.skipIf(bin === undefined)('servers that start at once make the tables once, and all of them go on', async () => {
  const { url, query } = startPostgres(bin as string);
  const servers = Array.from({ length: 8 }, () => openPostgres(url));
  const found = await Promise.all(servers.map((server) => server.read('SELECT count(*) AS n FROM grants')));
  expect(found).toEqual(servers.map(() => [{ n: 0 }]));
  expect(query('SELECT count(*) AS n FROM jinn_schema')).toEqual([{ n: 1 }]);
});

test.skipIf(bin === undefined)('a server waits while another one makes the tables', async () => {
  const { url, query, execute } = startPostgres(bin as string);
  const done: string[] = [];
  const holder = openPostgres(url);
  await holder.read('SELECT 1');
  execute(SECOND_VERSION);
  const first = holder.read('SELECT pg_advisory_xact_lock(7337001), pg_sleep(4)');
  const other = first.then(() => done.push('first'));
  await expect.poll(() => query("SELECT 1 AS n FROM pg_locks WHERE locktype = 'advisory'")).toHaveLength(1);
  await openPostgres(url).read('SELECT 1');
  done.push('second');
  await other;
  expect(done).toEqual(['first', 'second']);
});

test.skipIf(bin === undefined)('a database of an older jinn keeps its rows and gets what is new', async () => {
  const { url, query, execute } = startPostgres(bin as string);
  const older = openPostgres(url);
  await older.write('INSERT INTO spent (answer, until) VALUES (?, 1)', 'kept');
  const newest = query('SELECT version FROM jinn_schema');
  execute(SECOND_VERSION);
  const newer = openPostgres(url);
  expect(await newer.read('SELECT answer FROM spent')).toEqual([{ answer: 'kept' }]);
  expect(await newer.read('SELECT count(*) AS n FROM audit')).toEqual([{ n: 0 }]);
  expect(query('SELECT version FROM jinn_schema')).toEqual(newest);
});

test.skipIf(bin === undefined)('tables that could only be made in part are not made', async () => {
  const { url, query, execute } = startPostgres(bin as string);
  execute('CREATE TABLE tokens (hash TEXT)');
  await expect(openPostgres(url).read('SELECT 1')).rejects.toMatchObject({ code: 'unavailable' });
  expect(query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).toEqual([{ tablename: 'tokens' }]);
});
