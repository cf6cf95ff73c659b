import type { Archive, History, PlannedChange, PreparedOperation } from '@jinn/core';
import { OPERATION_PREFIX, randomId } from './entry-id.ts';
import type { Sqlite, Statement } from './load-sqlite.ts';
import { openStateDatabase } from './open-state-database.ts';
import { recorded } from './recorded.ts';

const PREPARED = "workspace = ? AND state = 'prepared'";
const COMMITTED = "workspace = ? AND state = 'committed'";
/** Less is stored as it is: a database takes its room in pages. */
const MIN_PACKED_BYTES = 2048;

/** What is kept for one workspace; the oldest entries go first. */
interface HistoryLimits {
  readonly entries: number;
  /** Of stored content. */
  readonly bytes: number;
}

const LIMITS: HistoryLimits = { entries: 200, bytes: 200 * 1024 * 1024 };

/**
 * Opens the undo history of the workspace with this real path, in `state.db` of the state directory. Throws
 * `write_failed` when it cannot be had, and says how to mend that.
 */
export async function openHistory(directory: string | undefined, workspace: string, limits = LIMITS): Promise<History> {
  return new SqliteHistory(await openStateDatabase(directory), workspace, limits);
}

/** Plain SQL: drizzle takes as long to load and to warm up as all the rest of a change. */
class SqliteHistory implements History {
  readonly #sqlite: Sqlite;
  readonly #workspace: string;
  readonly #limits: HistoryLimits;
  readonly #statements = new Map<string, Statement>();

  constructor(sqlite: Sqlite, workspace: string, limits: HistoryLimits) {
    this.#sqlite = sqlite;
    this.#workspace = workspace;
    this.#limits = limits;
  }

  /**
   * With synchronous = FULL the log is synced before this returns, and so before any file is touched. A commit is not
   * synced: when a power loss takes it, the entry is found prepared, and the disk settles it.
   */
  prepare(tool: string, changes: readonly PlannedChange[]): PreparedOperation {
    return recorded(() => {
      this.#sqlite.pragma('synchronous = FULL');
      try {
        return this.#transaction(() => this.#insert(tool, changes));
      } finally {
        this.#sqlite.pragma('synchronous = NORMAL');
      }
    });
  }

  commit(operationId: string, paths: readonly string[]): void {
    recorded(() =>
      this.#transaction(() => {
        const commit = this.#sql(
          `UPDATE entries SET state = 'committed' WHERE ${PREPARED} AND operation_id = ? AND path = ?`,
        );
        for (const path of paths) commit.run(this.#workspace, operationId, path);
        this.#sql(`DELETE FROM entries WHERE ${PREPARED} AND operation_id = ?`).run(this.#workspace, operationId);
        this.#evict();
      }),
    );
  }

  unsettled(): readonly { id: string; path: string }[] {
    return this.#sql(`SELECT id, path FROM entries WHERE ${PREPARED}`).all(this.#workspace) as {
      id: string;
      path: string;
    }[];
  }

  settle(id: string, version: string | undefined): void {
    recorded(() =>
      this.#transaction(() => {
        this.#settle(id, version);
        this.#evict();
      }),
    );
  }

  async archive(): Promise<Archive> {
    return (await import('./open-archive.ts')).openArchive(this.#sqlite, this.#workspace);
  }

  #sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#sqlite.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /** Takes the right to write first, so that two processes wait for each other instead of failing half-way. */
  #transaction<T>(work: () => T): T {
    return this.#sqlite.transaction(work).immediate();
  }

  #insert(tool: string, changes: readonly PlannedChange[]): PreparedOperation {
    const operationId = `${OPERATION_PREFIX}${randomId()}`;
    const insert = this.#sql(`INSERT INTO entries
      (id, operation_id, workspace, state, tool, path, created, before_version, after_version, mode, size, stored, content)
      VALUES (?, ?, ?, 'prepared', ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    const left = this.unsettled();
    const ids = new Map<string, string>();
    for (const { path, before, beforeVersion = null, afterVersion = null } of changes) {
      for (const entry of left) if (entry.path === path) this.#settle(entry.id, beforeVersion ?? undefined);
      const id = randomId();
      ids.set(path, id);
      const content = before ? pack(before.content) : null;
      const kept = [before?.mode ?? null, before?.content.length ?? null, content?.length ?? 0, content];
      insert.run(id, operationId, this.#workspace, tool, path, Date.now(), beforeVersion, afterVersion, ...kept);
    }
    return { id: operationId, entries: ids };
  }

  /**
   * The change happened when the file has its new version, and did not when it has the old one. With neither, somebody
   * else wrote since, and the snapshot is kept: what it holds did stand there.
   */
  #settle(id: string, version: string | undefined): void {
    const isUndone = "before_version IS ? AND after_version IS NOT before_version AND state = 'prepared'";
    this.#sql(`DELETE FROM entries WHERE id = ? AND ${isUndone}`).run(id, version ?? null);
    this.#sql("UPDATE entries SET state = 'committed' WHERE id = ?").run(id);
  }

  /** Removes the oldest entries beyond the limits. */
  #evict(): void {
    const kept = this.#sql(`SELECT count(*) AS n, total(stored) AS bytes FROM entries WHERE ${COMMITTED}`).get(
      this.#workspace,
    ) as { n: number; bytes: number };
    if (kept.n <= this.#limits.entries && kept.bytes <= this.#limits.bytes) return;
    this.#sql(`DELETE FROM entries WHERE seq IN (
      SELECT seq FROM (
        SELECT seq, row_number() OVER newest AS n, sum(stored) OVER newest AS bytes FROM entries WHERE ${COMMITTED}
        WINDOW newest AS (ORDER BY seq DESC)
      ) WHERE n > ? OR bytes > ?)`).run(this.#workspace, this.#limits.entries, this.#limits.bytes);
  }
}

/** Deflates what is worth it. What takes as much room as it has bytes is stored as it is; `snapshot` goes by that. */
function pack(content: Buffer): Buffer {
  if (content.length < MIN_PACKED_BYTES) return content;
  const packed = process.getBuiltinModule('node:zlib').deflateRawSync(content, { level: 1 });
  return packed.length < content.length ? packed : content;
}
