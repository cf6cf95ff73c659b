import type { RunResult } from 'better-sqlite3';
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session';
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import type { Sqlite } from './load-sqlite.ts';

/**
 * What drizzle's own entry makes of an open database; that one loads a package by the name `better-sqlite3`, which
 * Node 20 cannot have.
 */
export function toDrizzle(sqlite: Sqlite): BaseSQLiteDatabase<'sync', RunResult> {
  const dialect = new SQLiteSyncDialect();
  const session = new BetterSQLiteSession<Record<string, never>, Record<string, never>>(sqlite, dialect, undefined, {});
  return new BaseSQLiteDatabase('sync', dialect, session, undefined);
}
