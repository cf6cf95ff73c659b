import { ToolError } from '@jinn/core/errors';
import type pg from 'pg';
import { SET_LIMIT } from './batch.ts';
import { checkServer } from './explain-fault.ts';

const LOCK = 7_337_001;

/** Schemas 1 to 3 were those of development versions, which were never published. */
const FIRST = 4;

// The text whose words are indexed: without accents, and with a blank for each mark at which SQLite's index ends a word.
function toPlain(column: string): string {
  const withoutAccents = String.raw`regexp_replace(normalize(${column}, NFD), '[\u0300-\u036f]', '', 'g')`;
  return String.raw`regexp_replace(${withoutAccents}, '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+', ' ', 'g')`;
}

/** A test holds that tables that SQLite has too have the same columns there. Texts are sorted by their bytes, as there. */
const FIRST_SCHEMA = `CREATE TABLE grants (
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
   );

   CREATE TEXT SEARCH DICTIONARY jinn_stems (TEMPLATE = snowball, LANGUAGE = english);
   CREATE TEXT SEARCH CONFIGURATION jinn_words (PARSER = "default");
   ALTER TEXT SEARCH CONFIGURATION jinn_words ADD MAPPING FOR
     asciiword, word, numword, hword, hword_part, hword_numpart, hword_asciipart, asciihword, numhword,
     int, uint, float, sfloat, version, email, host, url, url_path, file WITH jinn_stems;
   CREATE TABLE memory (
     scope TEXT COLLATE "C" NOT NULL,
     key TEXT COLLATE "C" NOT NULL,
     value TEXT NOT NULL,
     updated TEXT COLLATE "C" NOT NULL,
     expires BIGINT,
     pinned INTEGER NOT NULL,
     words TSVECTOR NOT NULL GENERATED ALWAYS AS (
       setweight(to_tsvector('jinn_words', ${toPlain('key')}), 'A') ||
       setweight(to_tsvector('jinn_words', ${toPlain('value')}), 'B')
     ) STORED,
     PRIMARY KEY (scope, key)
   );
   CREATE INDEX memory_by_expires ON memory (expires) WHERE expires IS NOT NULL;

   CREATE TABLE entries (
     seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     id TEXT COLLATE "C" NOT NULL UNIQUE,
     operation_id TEXT COLLATE "C" NOT NULL,
     workspace TEXT COLLATE "C" NOT NULL,
     person TEXT COLLATE "C" NOT NULL,
     state TEXT COLLATE "C" NOT NULL,
     tool TEXT COLLATE "C" NOT NULL,
     path TEXT COLLATE "C" NOT NULL,
     created BIGINT NOT NULL,
     before_version TEXT COLLATE "C",
     after_version TEXT COLLATE "C",
     mode INTEGER,
     size BIGINT,
     stored BIGINT NOT NULL,
     operation_size INTEGER,
     new_directories INTEGER NOT NULL,
     checksum TEXT NOT NULL
   );
   CREATE INDEX entries_by_workspace ON entries (workspace, state, person, seq);

   CREATE TABLE tokens (
     workspace TEXT COLLATE "C" NOT NULL,
     hash TEXT COLLATE "C" NOT NULL,
     person TEXT COLLATE "C" NOT NULL,
     scopes TEXT NOT NULL,
     expires BIGINT,
     created BIGINT NOT NULL,
     PRIMARY KEY (workspace, hash)
   );

   CREATE TABLE audit (
     id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     workspace TEXT COLLATE "C" NOT NULL,
     time TIMESTAMPTZ NOT NULL,
     event TEXT COLLATE "C" NOT NULL,
     person TEXT COLLATE "C" NOT NULL,
     facts JSON NOT NULL,
     row_id TEXT COLLATE "C" UNIQUE
   );
   CREATE INDEX audit_by_time ON audit (workspace, time);`;

/** The step to each schema from the one before. Each only adds, so that servers of the version before continue to work. */
const STEPS = [
  FIRST_SCHEMA,
  [
    `CREATE TABLE rates (
     workspace TEXT COLLATE "C" NOT NULL,
     owner TEXT COLLATE "C" NOT NULL,
     calls DOUBLE PRECISION NOT NULL,
     output DOUBLE PRECISION NOT NULL,
     PRIMARY KEY (workspace, owner)
   )`,
    `CREATE TABLE presence (
     workspace TEXT COLLATE "C" NOT NULL,
     server TEXT COLLATE "C" NOT NULL,
     owner TEXT COLLATE "C" NOT NULL,
     commands INTEGER NOT NULL,
     jobs INTEGER NOT NULL,
     sessions INTEGER NOT NULL,
     seen TIMESTAMPTZ NOT NULL,
     PRIMARY KEY (workspace, server, owner)
   )`,
  ].join(';'),
];
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
      : 'tell the operator: a development version made this database; make a new one';
  throw new ToolError('write_failed', message, { suggestion });
}
