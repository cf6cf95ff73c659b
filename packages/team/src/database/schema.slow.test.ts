import { MemoryDatabase } from '@jinn/store/memory/memory-database';
import { type Connection, loadSqlite } from '@jinn/store/sqlite';
import { StateDatabase } from '@jinn/store/state-database';
import { findPostgres, makeTempDirectory, startPostgres } from '@jinn/testkit';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgres } from './open-postgres.ts';

const bin = findPostgres();
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
  const { url, query } = startPostgres(bin as string);
  const holder = new pg.Client(url);
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('BEGIN');
  await holder.query('SELECT pg_advisory_xact_lock(7337001)');
  const work = openPostgres(url).read('SELECT version FROM jinn_schema');
  await expect.poll(() => query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).toHaveLength(1);
  expect(query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  await holder.query('COMMIT');
  expect(await work).toEqual([{ version: 5 }]);
});

test.skipIf(bin === undefined)('a database of a development version is refused, and keeps its rows', async () => {
  const { url, query, execute } = startPostgres(bin as string);
  await openPostgres(url).write('INSERT INTO spent (answer, until) VALUES (?, 1)', 'kept');
  for (const version of [1, 2, 3]) {
    execute(`UPDATE jinn_schema SET version = ${version}`);
    await expect(openPostgres(url).read('SELECT answer FROM spent')).rejects.toMatchObject({
      code: 'write_failed',
      message: `the team's database has the schema ${version}, and this jinn knows 5`,
      suggestion: expect.stringContaining('a development version made this database'),
    });
    expect(query('SELECT answer FROM spent')).toEqual([{ answer: 'kept' }]);
  }
});

test.skipIf(bin === undefined)('tables that could only be made in part are not made', async () => {
  const { url, query, execute } = startPostgres(bin as string);
  execute('CREATE TABLE tokens (hash TEXT)');
  await expect(openPostgres(url).read('SELECT 1')).rejects.toMatchObject({ code: 'unavailable' });
  expect(query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).toEqual([{ tablename: 'tokens' }]);
});

test.skipIf(bin === undefined)(
  'the tables of the schema before are brought up to date, and keep their rows',
  async () => {
    const { url, query, execute } = startPostgres(bin as string);
    await openPostgres(url).write('INSERT INTO spent (answer, until) VALUES (?, 1)', 'kept');
    execute('DROP TABLE rates; DROP TABLE presence; UPDATE jinn_schema SET version = 4');
    const servers = Array.from({ length: 4 }, () => openPostgres(url));
    await Promise.all(servers.map((server) => server.read('SELECT owner FROM presence')));
    expect(query('SELECT version FROM jinn_schema')).toEqual([{ version: 5 }]);
    expect(query('SELECT answer FROM spent')).toEqual([{ answer: 'kept' }]);
  },
);
