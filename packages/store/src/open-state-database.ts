import fs from 'node:fs';
import { ToolError } from '@jinn/core';
import { openSqlite, type Sqlite } from './load-sqlite.ts';

/** How long a statement waits for another process. */
const BUSY_MS = 10_000;
/** Pages in the log beyond which a commit moves them into the database; each start reads the log, so it is short. */
const CHECKPOINT_PAGES = 250;

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
    const sqlite = await openSqlite(`${directory}/state.db`, { timeout: BUSY_MS });
    migrate(sqlite);
    return sqlite;
  } catch (cause) {
    if (cause instanceof ToolError) throw cause;
    throw new ToolError('write_failed', 'undo is unavailable: the history (state.db) cannot be opened', {
      suggestion:
        'make the state directory writable, or set JINN_CONFIG_DIR to one that is; --no-history changes files without undo',
      cause,
    });
  }
}

function migrate(sqlite: Sqlite): void {
  sqlite.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const version = () => sqlite.pragma('user_version', { simple: true }) as number;
  if (version() < MIGRATIONS.length) {
    retryBusy(() => {
      sqlite.pragma('auto_vacuum = INCREMENTAL');
      sqlite.pragma('journal_mode = WAL');
    });
    sqlite
      .transaction(() => {
        for (const statements of MIGRATIONS.slice(version())) sqlite.exec(statements);
        sqlite.pragma(`user_version = ${MIGRATIONS.length}`);
      })
      .immediate();
  }
  if (version() > MIGRATIONS.length) {
    throw new ToolError('write_failed', 'undo is unavailable: state.db was written by a newer jinn', {
      suggestion: 'use that version of jinn, or start this one with --no-history to change files without undo',
    });
  }
}

/** SQLite does not wait its busy timeout when several processes switch a new file to WAL at once. */
function retryBusy(work: () => void): void {
  const deadline = Date.now() + BUSY_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== 'SQLITE_BUSY' || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
