import type { Sqlite } from './load-sqlite.ts';
import { limitLog, migrate, versionOf } from './migrate.ts';

/** Statements that bring the schema from version i to i + 1. Published ones never change. */
export const STATE_MIGRATIONS: readonly string[] = [
  `CREATE TABLE entries (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     operation_id TEXT NOT NULL,
     workspace TEXT NOT NULL,
     state TEXT NOT NULL,
     tool TEXT NOT NULL,
     path TEXT NOT NULL,
     created INTEGER NOT NULL,
     before_version TEXT,
     after_version TEXT,
     mode INTEGER,
     size INTEGER,
     stored INTEGER NOT NULL,
     content BLOB
   ) STRICT;
   CREATE INDEX entries_by_workspace ON entries (workspace, state, seq, stored);`,

  `ALTER TABLE entries ADD COLUMN operation_size INTEGER;
   ALTER TABLE entries ADD COLUMN checksum TEXT;
   CREATE TABLE grants (
     workspace TEXT NOT NULL,
     tool TEXT NOT NULL,
     type TEXT NOT NULL,
     key TEXT NOT NULL,
     fingerprint TEXT NOT NULL,
     created INTEGER NOT NULL,
     checksum TEXT NOT NULL,
     PRIMARY KEY (workspace, tool, type, key)
   ) STRICT, WITHOUT ROWID;`,
];

/** The file is a SQLite database that another program made. */
export class ForeignDatabase extends Error {}

/** Brings the schema up to date; true if it was not. Throws NewerSchema, ForeignDatabase or SQLite's own error. */
export function migrateState(sqlite: Sqlite): boolean {
  if (versionOf(sqlite) === STATE_MIGRATIONS.length) {
    limitLog(sqlite);
    return false;
  }
  if (!isOurs(sqlite)) throw new ForeignDatabase();
  migrate(sqlite, STATE_MIGRATIONS);
  return true;
}

/**
 * A database without a version is ours only while it is empty; with any other version it has our table. The order
 * matters: another process may create tables and version, at once, between the two looks.
 */
function isOurs(sqlite: Sqlite): boolean {
  const names = sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  return names.includes('entries') ? versionOf(sqlite) > 0 : names.length === 0;
}
