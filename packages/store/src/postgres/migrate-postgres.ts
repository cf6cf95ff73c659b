import { ToolError } from '@jinn/errors';
import type pg from 'pg';

/** Servers that start at once wait for each other. */
const LOCK = 7_337_001;

/**
 * Statements that bring the schema from version i to i + 1. Published ones never change. The tables are those of `state.db`
 * that several servers may share; texts are compared and sorted by their bytes, as SQLite does.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE grants (
     workspace TEXT COLLATE "C" NOT NULL,
     tool TEXT COLLATE "C" NOT NULL,
     type TEXT COLLATE "C" NOT NULL,
     key TEXT COLLATE "C" NOT NULL,
     fingerprint TEXT COLLATE "C" NOT NULL,
     created BIGINT NOT NULL,
     checksum TEXT NOT NULL,
     PRIMARY KEY (workspace, tool, type, key)
   );
   CREATE TABLE spent (
     answer TEXT COLLATE "C" PRIMARY KEY,
     until BIGINT NOT NULL
   );`,
];

/** Brings a database up to date, completely or not at all. Throws `write_failed` for one of a newer jinn. */
export async function migratePostgres(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await migrate(client);
    await client.query('COMMIT');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function migrate(client: pg.PoolClient): Promise<void> {
  await client.query('CREATE TABLE IF NOT EXISTS jinn_schema (version INTEGER NOT NULL)');
  const { rows } = await client.query('SELECT version FROM jinn_schema');
  const version: number = rows[0]?.version ?? 0;
  if (version > MIGRATIONS.length) throw newer(version);
  for (const statements of MIGRATIONS.slice(version)) await client.query(statements);
  if (version === MIGRATIONS.length) return;
  await client.query('DELETE FROM jinn_schema');
  await client.query('INSERT INTO jinn_schema (version) VALUES ($1)', [MIGRATIONS.length]);
}

function newer(version: number): ToolError {
  const message = `the team's database has the schema ${version}, and this jinn knows ${MIGRATIONS.length}`;
  return new ToolError('write_failed', message, { suggestion: 'tell the operator to use the newer jinn everywhere' });
}
