import type { SQL } from 'drizzle-orm';
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import type { Query } from './statements.ts';

const dialect = new SQLiteSyncDialect();

/** Writes a query of drizzle as text with `?` for each value. */
export function toQuery(query: SQL): Query {
  const { sql, params } = dialect.sqlToQuery(query);
  return [sql, ...params];
}

export { type SQL, sql } from 'drizzle-orm';
