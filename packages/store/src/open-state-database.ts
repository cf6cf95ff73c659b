import fs from 'node:fs';
import { ToolError } from '@jinn/core';
import { loadSqlite, type Sqlite, SqliteMissing } from './load-sqlite.ts';
import { migrate, NewerSchema } from './migrate.ts';

/** How long a statement waits for another process. */
const BUSY_MS = 10_000;

/** Statements that bring the schema from version i to i + 1. Published ones never change. */
const MIGRATIONS: readonly string[] = [
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
];

/** Opens `state.db` in a private directory, and brings its schema up to date. Throws `write_failed`. */
export async function openStateDatabase(directory: string | undefined): Promise<Sqlite> {
  try {
    if (directory === undefined) throw new Error('neither JINN_CONFIG_DIR nor HOME is set');
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const open = await loadSqlite();
    const sqlite = open(`${directory}/state.db`, { timeout: BUSY_MS });
    migrate(sqlite, MIGRATIONS);
    return sqlite;
  } catch (cause) {
    const [message, suggestion] = explain(cause);
    throw new ToolError('write_failed', `undo is unavailable: ${message}`, {
      suggestion: `${suggestion}; --no-history changes files without undo`,
      cause,
    });
  }
}

function explain(fault: unknown): [message: string, suggestion: string] {
  if (fault instanceof SqliteMissing) return [fault.message, SqliteMissing.SUGGESTION];
  if (fault instanceof NewerSchema) return ['state.db was written by a newer jinn', 'use that version of jinn'];
  const suggestion = 'make the state directory writable, or set JINN_CONFIG_DIR to one that is';
  return ['the history (state.db) cannot be opened', suggestion];
}
