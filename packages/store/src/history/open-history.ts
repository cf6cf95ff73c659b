import type { Archive, History, PlannedChange, PreparedOperation } from '@jinn/guard';
import { readHistorySetting } from '../read-config.ts';
import { type Connection, loadSqlite, type OpenSqlite, type SqliteMissing } from '../sqlite.ts';
import { checksumOfEntry, explained, OPERATION_PREFIX, randomId, StateDatabase } from '../state-database.ts';
import { goOnWithoutUndo, isWithoutPlace, toUndoError } from '../state-fault.ts';

const PREPARED = "workspace = ? AND state = 'prepared'";
const COMMITTED = "workspace = ? AND person = ? AND state = 'committed'";
/** Smaller contents are stored as they are: a database takes its space in pages. */
const MIN_PACKED_BYTES = 2048;
const SAMPLE_BYTES = 64 * 1024;
const MB = 1024 * 1024;
const CANNOT_RECORD = 'the change cannot be recorded for undo';

/** What is kept for one person in one workspace. The oldest operations are removed first, and each as a whole. */
interface HistoryLimits {
  /** An operation is kept while the newer ones have fewer entries than this. */
  readonly entries: number;
  /** Stored bytes of content, of all operations together. */
  readonly bytes: number;
}

const LIMITS: HistoryLimits = { entries: 200, bytes: 200 * MB };

interface HistoryOptions {
  /** Whose calls record changes; empty for a person without a name. */
  readonly person?: string;
  readonly limits?: HistoryLimits;
}

/**
 * Opens the undo history of the workspace with this real path, in `state.db` of the state directory; without SQLite, one that
 * records nothing. Throws `write_failed` if it cannot be opened although there is a place for it, or must be by the settings,
 * and says what to do about it.
 */
export async function openHistory(
  directory: string | undefined,
  workspace: string,
  { person = '', limits = LIMITS }: HistoryOptions = {},
): Promise<History> {
  // Only a fault needs it.
  const setting = () => (directory === undefined ? undefined : readHistorySetting(directory));
  let open: OpenSqlite;
  try {
    open = await loadSqlite();
  } catch (error) {
    const { openHistoryWithoutSqlite } = await import('./history-without-sqlite.ts');
    return openHistoryWithoutSqlite(setting(), error as SqliteMissing);
  }
  const history = new SqliteHistory(new StateDatabase(directory, open), { workspace, person, limits, setting });
  history.open();
  return history;
}

interface HistoryPlace {
  readonly workspace: string;
  readonly person: string;
  readonly limits: HistoryLimits;
  /** Reads "history" of config.json. */
  setting(): unknown;
}

/** Plain SQL: loading and warming up drizzle takes as long as the rest of a change. */
class SqliteHistory implements History {
  readonly #database: StateDatabase;
  readonly #workspace: string;
  readonly #person: string;
  readonly #limits: HistoryLimits;
  readonly #setting: () => unknown;
  /** The last change could not be recorded, and a warning has said so. */
  #isWithoutUndo = false;
  /** How many entries this process prepared, by operation. */
  readonly #prepared = new Map<string, number>();
  #warnings: string[] = [];

  constructor(database: StateDatabase, { workspace, person, limits, setting }: HistoryPlace) {
    this.#database = database;
    this.#workspace = workspace;
    this.#person = person;
    this.#limits = limits;
    this.#setting = setting;
  }

  /** Opens the database to write, or else to read. */
  open(): void {
    this.#orWithoutUndo('undo is unavailable', () => this.#database.read(() => {}));
  }

  /**
   * Records the changes of an operation before they are made; undefined if they are too large, or there is no place for them,
   * which becomes a warning. The log is synced before any file is touched.
   */
  prepare(tool: string, changes: readonly PlannedChange[]): PreparedOperation | undefined {
    const packed = packAll(changes, this.#limits.bytes);
    if (!packed) {
      this.#warnings.push(tooLarge(changes, this.#limits.bytes));
      return undefined;
    }
    return this.#orWithoutUndo(CANNOT_RECORD, () => {
      const operation = this.#database.writeSynced((connection) => this.#insert(connection, { tool, changes, packed }));
      this.#isWithoutUndo = false;
      return operation;
    });
  }

  /**
   * Marks the changes of an operation as done for these paths, and forgets the others. It is not synced: if a power
   * loss takes it, the entry is prepared again, and the disk settles it.
   */
  commit(operationId: string, paths: readonly string[]): boolean {
    return recorded(() =>
      this.#database.write((connection) => {
        const commit = connection.sql(
          `UPDATE entries SET state = 'committed', operation_size = ? WHERE ${PREPARED} AND operation_id = ? AND path = ?`,
        );
        let done = 0;
        for (const path of paths) done += commit.run(paths.length, this.#workspace, operationId, path).changes;
        if (done < (this.#prepared.get(operationId) ?? Infinity)) {
          const forget = `DELETE FROM entries WHERE ${PREPARED} AND operation_id = ?`;
          connection.sql(forget).run(this.#workspace, operationId);
        }
        this.#prepared.delete(operationId);
        this.#evict(connection);
        return done === paths.length;
      }),
    );
  }

  unsettled(): readonly { id: string; path: string }[] {
    const find = () => this.#database.read((connection) => this.#findUnsettled(connection));
    return this.#orWithoutUndo('undo is unavailable', find) ?? [];
  }

  settle(id: string, version: string | undefined): void {
    recorded(() =>
      this.#database.write((connection) => {
        settleEntry(connection, id, version);
        this.#evict(connection);
      }),
    );
  }

  async archive(): Promise<Archive> {
    return (await import('./open-archive.ts')).openArchive(this.#database, this.#workspace, this.#person);
  }

  takeWarnings(): readonly string[] {
    const warnings = [...this.#warnings, ...this.#database.takeWarnings()];
    this.#warnings = [];
    return warnings;
  }

  /**
   * Runs work on the history. If there is no place for it, the change goes on without undo, a warning says so once, and the result
   * is undefined. Security: a database of another user is never passed by.
   */
  #orWithoutUndo<T>(what: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (cause) {
      if (!isWithoutPlace(cause) || this.#database.isForeign()) throw toUndoError(what, cause);
      const warning = goOnWithoutUndo(what, cause, this.#setting());
      if (!this.#isWithoutUndo) this.#warnings.push(warning);
      this.#isWithoutUndo = true;
      return undefined;
    }
  }

  #findUnsettled(connection: Connection): { id: string; path: string }[] {
    const rows = connection.sql(`SELECT id, path FROM entries WHERE ${PREPARED}`).all(this.#workspace);
    return rows as { id: string; path: string }[];
  }

  #insert(connection: Connection, { tool, changes, packed }: PackedChanges): PreparedOperation {
    const operationId = `${OPERATION_PREFIX}${randomId()}`;
    const insert = connection.sql(`INSERT INTO entries
      (id, operation_id, workspace, state, tool, path, created, before_version, after_version, mode, size, stored, content, new_directories,
       checksum, person)
      VALUES (?, ?, ?, 'prepared', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    const left = this.#findUnsettled(connection);
    const ids = new Map<string, string>();
    const created = Date.now();
    changes.forEach(({ path, before, beforeVersion = null, afterVersion = null, newDirectories }, i) => {
      for (const entry of left) if (entry.path === path) settleEntry(connection, entry.id, beforeVersion ?? undefined);
      const id = randomId();
      ids.set(path, id);
      const { mode, size } = { mode: before?.mode ?? null, size: before?.content.length ?? null };
      const [workspace, person] = [this.#workspace, this.#person];
      const named = { id, operationId, workspace, tool, path, created, person };
      const facts = { ...named, beforeVersion, afterVersion, mode, size, newDirectories };
      const content = packed[i] ?? null;
      insert.run(
        ...[id, operationId, workspace, tool, path, created, beforeVersion, afterVersion, mode, size],
        ...[content?.length ?? 0, content, newDirectories, checksumOfEntry(facts), person],
      );
    });
    this.#prepared.set(operationId, changes.length);
    return { id: operationId, entries: ids };
  }

  /** Removes the oldest operations beyond the limits; the newest one stays. */
  #evict(connection: Connection): void {
    const kept = connection
      .sql(`SELECT count(*) AS entries, total(stored) AS bytes FROM entries WHERE ${COMMITTED}`)
      .get(this.#workspace, this.#person) as HistoryLimits;
    if (kept.entries <= this.#limits.entries && kept.bytes <= this.#limits.bytes) return;
    const rows = connection
      .sql(`SELECT seq, operation_id AS operation, stored FROM entries WHERE ${COMMITTED} ORDER BY seq`)
      .iterate(this.#workspace, this.#person) as Iterable<StoredEntry>;
    const last = lastBeyond(rows, kept, this.#limits);
    connection.sql(`DELETE FROM entries WHERE ${COMMITTED} AND seq <= ?`).run(this.#workspace, this.#person, last);
  }
}

interface StoredEntry {
  readonly seq: number;
  readonly operation: string;
  /** Stored bytes of content. */
  readonly stored: number;
}

/**
 * Returns the number of the last entry beyond the limits, 0 if there is none. `rows` come oldest first, and those of an
 * operation, which were inserted together, come together; `kept` is what all of them hold.
 */
function lastBeyond(rows: Iterable<StoredEntry>, kept: HistoryLimits, limits: HistoryLimits): number {
  let { entries: left, bytes } = kept;
  let last = 0;
  let operation = { id: '', entries: 0, bytes: 0, last };
  for (const row of rows) {
    if (row.operation !== operation.id) {
      const newer = left - operation.entries;
      if (newer < limits.entries && bytes <= limits.bytes) break;
      last = operation.last;
      left = newer;
      bytes -= operation.bytes;
      operation = { id: row.operation, entries: 0, bytes: 0, last };
    }
    operation.entries += 1;
    operation.bytes += row.stored;
    operation.last = row.seq;
  }
  return last;
}

interface PackedChanges {
  readonly tool: string;
  readonly changes: readonly PlannedChange[];
  /** The content before, of each change, as it is stored; null if there was no file. */
  readonly packed: readonly (Buffer | null)[];
}

/**
 * Settles an entry by the version that its file has. The change happened if that is the new version, and did not if it
 * is the old one. If it is neither, somebody else wrote since, and the snapshot is kept: the file did have that
 * content.
 */
function settleEntry(connection: Connection, id: string, version: string | undefined): void {
  const isUndone = "before_version IS ? AND after_version IS NOT before_version AND state = 'prepared'";
  connection.sql(`DELETE FROM entries WHERE id = ? AND ${isUndone}`).run(id, version ?? null);
  connection.sql("UPDATE entries SET state = 'committed' WHERE id = ?").run(id);
}

/** Returns the contents before the changes, as they are stored; undefined if they take more than `limit` bytes. */
function packAll(changes: readonly PlannedChange[], limit: number): (Buffer | null)[] | undefined {
  const packed: (Buffer | null)[] = [];
  let room = limit;
  for (const { before } of changes) {
    const content = before ? pack(before.content) : null;
    room -= content?.length ?? 0;
    if (room < 0) return undefined;
    packed.push(content);
  }
  return packed;
}

/** Deflates content if that makes it smaller. Content with as many stored bytes as it has bytes is stored as it is. */
function pack(content: Buffer): Buffer {
  if (content.length < MIN_PACKED_BYTES || !isWorthPacking(content)) return content;
  const packed = deflate(content);
  return packed.length < content.length ? packed : content;
}

/** Judges a large content by its middle: to deflate 50 MB of noise takes a second, for nothing. */
function isWorthPacking(content: Buffer): boolean {
  if (content.length < 16 * SAMPLE_BYTES) return true;
  const middle = content.length >> 1;
  return deflate(content.subarray(middle, middle + SAMPLE_BYTES)).length < 0.9 * SAMPLE_BYTES;
}

function deflate(content: Uint8Array): Buffer {
  return process.getBuiltinModule('node:zlib').deflateRawSync(content, { level: 1 });
}

function recorded<T>(work: () => T): T {
  return explained(CANNOT_RECORD, work);
}

function tooLarge(changes: readonly PlannedChange[], limit: number): string {
  const bytes = changes.reduce((sum, { before }) => sum + (before?.content.length ?? 0), 0);
  const [held, most] = [Math.ceil(bytes / MB), Math.floor(limit / MB)];
  return `this change cannot be undone: its files held ${held} MB, and the history keeps at most ${most} MB`;
}
