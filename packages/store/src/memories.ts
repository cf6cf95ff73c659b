import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** The texts of all scopes. `memory-database.ts` creates the table, and the index of words beside it. */
export const memories = sqliteTable('memory', {
  id: integer('id').primaryKey(),
  /** "global", or the real path of a project. */
  scope: text('scope').notNull(),
  key: text('key').notNull(),
  value: text('value').notNull(),
  /** RFC 3339. */
  updated: text('updated').notNull(),
  /** Null for never. */
  expires: integer('expires', { mode: 'timestamp_ms' }),
  pinned: integer('pinned', { mode: 'boolean' }).notNull(),
});
