import { findPostgres, makeTempDirectory, startPostgres } from '@jinn/testkit';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { MemoryDatabase } from '../memory/memory-database.ts';
import { type Connection, loadSqlite } from '../sqlite.ts';
import { StateDatabase } from '../state-database.ts';
import { openPostgres } from './open-postgres.ts';

const bin = findPostgres();
const SECOND_VERSION = `
  DROP TABLE memory, entries, tokens, audit;
  DROP TEXT SEARCH CONFIGURATION jinn_words;
  DROP TEXT SEARCH DICTIONARY jinn_stems;
  UPDATE jinn_schema SET version = 1`;

/** The columns that only one of the two has: contents lie in files beside PostgreSQL, and the words in a table of SQLite. */
const ONLY_SQLITE = ['entries.content blob', 'memory.id integer'];
const ONLY_POSTGRES = ['memory.words tsvector'];
const SHARED = ['entries', 'grants', 'memory', 'spent'];

/** Returns the columns of the tables that both kinds of databases have, each with its type. */
function columnsIn(connection: Connection): string[] {
  return connection
    .sql(
      `SELECT tables.name || '.' || columns.name || ' ' || lower(columns.type) AS line
       FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND tables.name IN (${SHARED.map((name) => `'${name}'`).join()})`,
    )
    .all()
    .map((row) => (row as { line: string }).line);
}

test.skipIf(bin === undefined)('the tables have the same columns as those of a state directory', async () => {
  const { url, query } = startPostgres(bin as string);
  await openPostgres(url).read('SELECT 1');
  const shared = query(
    `SELECT table_name || '.' || column_name || ' ' || replace(data_type, 'bigint', 'integer') AS line
     FROM information_schema.columns WHERE table_name IN (${SHARED.map((name) => `'${name}'`).join()})`,
  ).map(({ line }) => line);
  const state = makeTempDirectory();
  const sqlite = await loadSqlite();
  const own = [
    ...new StateDatabase(state, sqlite).write(columnsIn),
    ...columnsIn(new MemoryDatabase(state, sqlite).writer()),
  ];
  expect([...own, ...ONLY_POSTGRES].toSorted()).toEqual([...shared, ...ONLY_SQLITE].toSorted());
});

test.skipIf(bin === undefined)('servers that start at once make the tables once, and all of them go on', async () => {
  const { url, query } = startPostgres(bin as string);
  const servers = Array.from({ length: 8 }, () => openPostgres(url));
  const found = await Promise.all(servers.map((server) => server.read('SELECT count(*) AS n FROM grants')));
  expect(found).toEqual(servers.map(() => [{ n: 0 }]));
  expect(query('SELECT count(*) AS n FROM jinn_schema')).toEqual([{ n: 1 }]);
});

test.skipIf(bin === undefined)('a server waits while another one makes the tables', async () => {
  const { url, query, execute } = startPostgres(bin as string);
  await openPostgres(url).read('SELECT 1');
  execute(SECOND_VERSION);
  const holder = new pg.Client(url);
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('BEGIN');
  await holder.query('SELECT pg_advisory_xact_lock(7337001)');
  const work = openPostgres(url).read('SELECT version FROM jinn_schema');
  await expect.poll(() => query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).toHaveLength(1);
  expect(query('SELECT version FROM jinn_schema')).toEqual([{ version: 1 }]);
  await holder.query('COMMIT');
  expect(await work).toEqual([{ version: 3 }]);
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
