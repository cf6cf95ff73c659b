import type { Database, RunResult } from 'better-sqlite3';
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session';
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import type { Sqlite } from './sqlite.ts';

/**
 * Wraps an open database as drizzle's own entry point does. That entry point loads a package named `better-sqlite3`,
 * which cannot be installed on Node 20.
 */
export function toDrizzle(sqlite: Sqlite): BaseSQLiteDatabase<'sync', RunResult> {
  const client = sqlite as unknown as Database; // It uses no more of it than `Sqlite` has.
  const dialect = new SQLiteSyncDialect();
  const session = new BetterSQLiteSession<Record<string, never>, Record<string, never>>(client, dialect, undefined, {});
  return new BaseSQLiteDatabase('sync', dialect, session, undefined);
}
