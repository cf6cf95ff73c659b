import type { Sqlite } from './load-sqlite.ts';

/** How long a switch to WAL is retried. */
const BUSY_MS = 10_000;
/** A commit that leaves more pages in the log moves them into the database. The log is short, since each start reads it. */
const CHECKPOINT_PAGES = 250;

/** A newer version of jinn wrote the database. */
export class NewerSchema extends Error {}

/**
 * Brings a database up to date, completely or not at all. `migrations[i]` holds the statements from version i to i + 1;
 * published ones never change. Throws NewerSchema.
 */
export function migrate(sqlite: Sqlite, migrations: readonly string[]): void {
  limitLog(sqlite);
  if (versionOf(sqlite) < migrations.length) {
    retryBusy(() => {
      sqlite.pragma('auto_vacuum = INCREMENTAL');
      sqlite.pragma('journal_mode = WAL');
    });
    sqlite
      .transaction(() => {
        for (const statements of migrations.slice(versionOf(sqlite))) sqlite.exec(statements);
        if (versionOf(sqlite) < migrations.length) sqlite.pragma(`user_version = ${migrations.length}`);
      })
      .immediate();
  }
  if (versionOf(sqlite) > migrations.length) throw new NewerSchema();
}

/** Keeps the log of this connection short. `migrate` does so too. */
export function limitLog(sqlite: Sqlite): void {
  sqlite.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
}

/** The schema version of a database; 0 if it has none. */
export function versionOf(sqlite: Sqlite): number {
  return sqlite.pragma('user_version', { simple: true }) as number;
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
