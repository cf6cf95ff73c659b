import { ToolError } from '@jinn/core/errors';
import type pg from 'pg';
import { SET_LIMIT } from './batch.ts';
import { checkServer } from './explain-fault.ts';
import SCHEMA_4 from './team-schema-4.sql';
import SCHEMA_5 from './team-schema-5.sql';

const LOCK = 7_337_001;

/** Schemas 1 to 3 were those of development versions, which were never published. */
const FIRST = 4;

/** The step to each schema from the one before. Each only adds, so that servers of the version before continue to work. */
const STEPS = [SCHEMA_4, SCHEMA_5];
const VERSION = FIRST + STEPS.length - 1;

/** Brings the tables of a database to this schema, all or none. Throws `write_failed` for one with a schema that it does not know. */
export async function ensureSchema(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SELECT ${SET_LIMIT}`);
    await checkServer(client);
    // If nothing is to be done, this needs no right to do it, and waits for no lock.
    const { rows } = await client.query("SELECT to_regclass('jinn_schema') IS NOT NULL AS is_there");
    if (!rows[0].is_there || (await readVersion(client)) < VERSION) await update(client);
    await client.query('COMMIT');
  } catch (error) {
    client.release(true);
    throw error;
  }
  client.release();
}

async function update(client: pg.PoolClient): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
  // Another server may have been faster. This statement also lets the transaction see its tables.
  await client.query('CREATE TABLE IF NOT EXISTS jinn_schema (version INTEGER NOT NULL)');
  const version = await readVersion(client);
  if (version === VERSION) return;
  for (const step of STEPS.slice(version - FIRST + 1)) await client.query(step);
  await client.query('DELETE FROM jinn_schema');
  await client.query('INSERT INTO jinn_schema (version) VALUES ($1)', [VERSION]);
}

/** Returns the version of the tables, or the one before the first without any. */
async function readVersion(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query('SELECT version FROM jinn_schema');
  const version: number = rows[0]?.version ?? FIRST - 1;
  if (rows.length === 0 || (version >= FIRST && version <= VERSION)) return version;
  const message = `the team's database has the schema ${version}, and this jinn knows ${VERSION}`;
  const suggestion =
    version > VERSION
      ? 'tell the operator to use the newer jinn everywhere'
      : 'tell the operator: a development version made this database. Make a new one';
  throw new ToolError('write_failed', message, { suggestion });
}
