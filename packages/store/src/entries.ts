import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** The undo history of all workspaces; `state-database.ts` creates the table. */
export const entries = sqliteTable('entries', {
  /** The order in which entries were prepared. */
  seq: integer('seq').primaryKey(),
  id: text('id').notNull(),
  operationId: text('operation_id').notNull(),
  /** The real path of the workspace root. */
  workspace: text('workspace').notNull(),
  state: text('state', { enum: ['prepared', 'committed'] }).notNull(),
  tool: text('tool').notNull(),
  path: text('path').notNull(),
  created: integer('created', { mode: 'timestamp_ms' }).notNull(),
  /** Null if there was no file. */
  beforeVersion: text('before_version'),
  afterVersion: text('after_version'),
  mode: integer('mode'),
  size: integer('size'),
  /** Bytes of `content`. */
  stored: integer('stored').notNull(),
  /** The content before the change; deflated if it has fewer bytes than `size`. */
  content: blob('content', { mode: 'buffer' }),
  /** Entries that the operation has; null if it was interrupted, or is of an older jinn. */
  operationSize: integer('operation_size'),
  /** How many of the directories above the file the change made. */
  newDirectories: integer('new_directories').notNull(),
  /** Of everything above but `state`, `stored` and `content`; null if it is of an older jinn. */
  checksum: text('checksum'),
});
