import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** The undo history of all workspaces; `open-state-database.ts` makes the table. */
export const entries = sqliteTable('entries', {
  /** Order of preparation. */
  seq: integer('seq').primaryKey(),
  id: text('id').notNull(),
  operationId: text('operation_id').notNull(),
  /** The real path of the workspace root. */
  workspace: text('workspace').notNull(),
  state: text('state', { enum: ['prepared', 'committed'] }).notNull(),
  tool: text('tool').notNull(),
  path: text('path').notNull(),
  created: integer('created', { mode: 'timestamp_ms' }).notNull(),
  /** Null where there was no file. */
  beforeVersion: text('before_version'),
  afterVersion: text('after_version'),
  mode: integer('mode'),
  size: integer('size'),
  /** Bytes that the content takes here. */
  stored: integer('stored').notNull(),
  /** Deflated when it takes fewer bytes than `size`. */
  content: blob('content', { mode: 'buffer' }),
});
