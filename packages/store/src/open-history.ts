import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  type History,
  type HistoryEntry,
  type PlannedChange,
  type PreparedOperation,
  type Snapshot,
  ToolError,
} from '@jinn/core';
import { and, type Column, count, desc, eq, lte, notInArray, type SQL, sql, sum } from 'drizzle-orm';
import { entries } from './entries.ts';
import { openStateDatabase, type StateDatabase } from './state-database.ts';

/** What is kept for one workspace; the oldest entries go first. */
export interface HistoryLimits {
  readonly entries: number;
  /** Of stored content. */
  readonly bytes: number;
}

const LIMITS: HistoryLimits = { entries: 200, bytes: 200 * 1024 * 1024 };
const OPERATION_PREFIX = 'op-';

const SHOWN = {
  id: entries.id,
  operationId: entries.operationId,
  tool: entries.tool,
  path: entries.path,
  created: entries.created,
  size: entries.size,
  beforeVersion: entries.beforeVersion,
  afterVersion: entries.afterVersion,
};

type Row = { [K in keyof typeof SHOWN]: (typeof entries.$inferSelect)[K] };

/**
 * Opens the undo history of the workspace with this real path, in `state.db` of the state directory. Throws
 * `write_failed` when it cannot be had, and says how to mend that.
 */
export function openHistory(directory: string | undefined, workspace: string, limits = LIMITS): History {
  return new SqliteHistory(openStateDatabase(directory), workspace, limits);
}

class SqliteHistory implements History {
  readonly #sqlite: StateDatabase['sqlite'];
  readonly #db: StateDatabase['db'];
  readonly #workspace: string;
  readonly #limits: HistoryLimits;

  constructor({ sqlite, db }: StateDatabase, workspace: string, limits: HistoryLimits) {
    this.#sqlite = sqlite;
    this.#db = db;
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
        const operation = this.#in('prepared', eq(entries.operationId, operationId));
        this.#db
          .delete(entries)
          .where(and(operation, notInArray(entries.path, [...paths])))
          .run();
        this.#db.update(entries).set({ state: 'committed' }).where(operation).run();
        this.#evict();
      }),
    );
  }

  unsettled(): readonly HistoryEntry[] {
    return this.#select(this.#in('prepared')).orderBy(entries.seq).all().map(toEntry);
  }

  settle(id: string, version: string | undefined): void {
    recorded(() => this.#settle(id, version));
  }

  list(limit = -1): readonly HistoryEntry[] {
    return this.#select(this.#in('committed')).orderBy(desc(entries.seq)).limit(limit).all().map(toEntry);
  }

  count(): number {
    return this.#db.select({ n: count() }).from(entries).where(this.#in('committed')).get()?.n ?? 0;
  }

  find(idOrPrefix: string): readonly HistoryEntry[] {
    const isOperation = idOrPrefix.startsWith(OPERATION_PREFIX);
    const matches = startsWith(isOperation ? entries.operationId : entries.id, idOrPrefix);
    const found = this.#select(this.#in('committed', matches)).orderBy(entries.seq).all().map(toEntry);
    const nameOf = ({ id, operationId }: HistoryEntry) => (isOperation ? operationId : id);
    const exact = found.filter((entry) => nameOf(entry) === idOrPrefix);
    if (exact.length > 0) return exact;
    const names = new Set(found.map(nameOf));
    if (names.size > 1) throw ambiguous(idOrPrefix, names);
    if (names.size === 0) throw unknown(idOrPrefix);
    return found;
  }

  snapshot(id: string): Snapshot | undefined {
    const { content, mode } = entries;
    const row = this.#db
      .select({ content, mode })
      .from(entries)
      .where(this.#in('committed', eq(entries.id, id)))
      .get();
    return row?.content && row.mode !== null ? { content: inflateRawSync(row.content), mode: row.mode } : undefined;
  }

  clear(): number {
    return recorded(() => {
      const { changes } = this.#db.delete(entries).where(this.#in('committed')).run();
      this.#sqlite.pragma('incremental_vacuum');
      return changes;
    });
  }

  /** Takes the right to write first, so that two processes wait for each other instead of failing half-way. */
  #transaction<T>(work: () => T): T {
    return this.#sqlite.transaction(work).immediate();
  }

  #in(state: 'prepared' | 'committed', ...more: SQL[]): SQL | undefined {
    return and(eq(entries.workspace, this.#workspace), eq(entries.state, state), ...more);
  }

  #select(where: SQL | undefined) {
    return this.#db.select(SHOWN).from(entries).where(where);
  }

  #insert(tool: string, changes: readonly PlannedChange[]): PreparedOperation {
    const operationId = `${OPERATION_PREFIX}${randomId()}`;
    const ids = new Map<string, string>();
    for (const change of changes) {
      const left = this.#select(this.#in('prepared', eq(entries.path, change.path))).all();
      for (const { id } of left) this.#settle(id, change.beforeVersion);
      const id = randomId();
      ids.set(change.path, id);
      const names = { id, operationId, workspace: this.#workspace, tool };
      this.#db.insert(entries).values(toRow(change, names)).run();
    }
    return { id: operationId, entries: ids };
  }

  /**
   * The change happened when the file has its new version, and did not when it has the old one. With neither, somebody
   * else wrote since, and the snapshot is kept: what it holds did stand there.
   */
  #settle(id: string, version: string | undefined): void {
    const entry = this.#in('prepared', eq(entries.id, id));
    const row = this.#select(entry).get();
    if (!row) return;
    const isUndone = (version ?? null) === row.beforeVersion && row.beforeVersion !== row.afterVersion;
    if (isUndone) this.#db.delete(entries).where(entry).run();
    else this.#db.update(entries).set({ state: 'committed' }).where(entry).run();
  }

  /** Removes the oldest entries beyond the limits. */
  #evict(): void {
    const committed = this.#in('committed');
    const { seq, stored } = entries;
    const kept = this.#db
      .select({ n: count(), bytes: sum(stored) })
      .from(entries)
      .where(committed)
      .get();
    if (!kept || (kept.n <= this.#limits.entries && Number(kept.bytes) <= this.#limits.bytes)) return;
    let bytes = 0;
    let number = 0;
    const last = this.#db
      .select({ seq, stored })
      .from(entries)
      .where(committed)
      .orderBy(desc(seq))
      .all()
      .find((row) => {
        bytes += row.stored;
        return ++number > this.#limits.entries || bytes > this.#limits.bytes;
      });
    if (last)
      this.#db
        .delete(entries)
        .where(and(committed, lte(seq, last.seq)))
        .run();
  }
}

/** Compared whole, so that no character of the prefix counts as a pattern. */
function startsWith(column: Column, prefix: string): SQL {
  return sql`substr(${column}, 1, ${prefix.length}) = ${prefix}`;
}

function toRow(
  { path, before, beforeVersion, afterVersion }: PlannedChange,
  names: Pick<typeof entries.$inferInsert, 'id' | 'operationId' | 'workspace' | 'tool'>,
): typeof entries.$inferInsert {
  const content = before ? deflateRawSync(before.content, { level: 1 }) : null;
  return {
    ...names,
    state: 'prepared',
    path,
    created: new Date(),
    beforeVersion,
    afterVersion,
    mode: before?.mode ?? null,
    size: before?.content.length ?? null,
    stored: content?.length ?? 0,
    content,
  };
}

function toEntry({ size, beforeVersion, afterVersion, ...row }: Row): HistoryEntry {
  return {
    ...row,
    size: size ?? undefined,
    beforeVersion: beforeVersion ?? undefined,
    afterVersion: afterVersion ?? undefined,
  };
}

/** Ids need not be secret, only short; the table refuses one that is there already. */
function randomId(): string {
  return Math.floor(Math.random() * 2 ** 40)
    .toString(16)
    .padStart(10, '0');
}

/** What SQLite's refusals mean, in words. */
const REASONS: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'no space left on the disk',
  SQLITE_BUSY: 'another process keeps it locked',
  SQLITE_READONLY: 'state.db is read-only',
  SQLITE_CORRUPT: 'state.db is damaged',
  SQLITE_NOTADB: 'state.db is damaged',
};

function recorded<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const code = (cause as { code?: string }).code ?? '';
    const reason = REASONS[code] ?? 'state.db cannot be written';
    throw new ToolError('write_failed', `the change cannot be recorded for undo: ${reason}`, {
      suggestion: 'tell the user; --no-history changes files without undo',
      cause,
    });
  }
}

function ambiguous(prefix: string, names: ReadonlySet<string>): ToolError {
  const shown = [...names].slice(0, 5).join(', ');
  return new ToolError('invalid_args', `id ${prefix} is ambiguous: ${names.size} ids begin with it (${shown})`, {
    suggestion: 'give more characters of the id',
  });
}

function unknown(id: string): ToolError {
  return new ToolError('not_found', `no snapshot with id ${id.slice(0, 60)}`, {
    suggestion: 'use {"action":"list"} to see the ids',
  });
}
