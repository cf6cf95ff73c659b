import type { Sqlite } from './load-sqlite.ts';

/** How long a switch to WAL is tried again. */
const BUSY_MS = 10_000;
/** Pages in the log beyond which a commit moves them into the database; each start reads the log, so it is short. */
const CHECKPOINT_PAGES = 250;

/** The database was written by a version of jinn that this one does not know. */
export class NewerSchema extends Error {}

/**
 * Brings a database up to date: `migrations[i]` are the statements from version i to i + 1, and published ones never
 * change. All of them happen, or none does. Throws NewerSchema.
 */
export function migrate(sqlite: Sqlite, migrations: readonly string[]): void {
  sqlite.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
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
