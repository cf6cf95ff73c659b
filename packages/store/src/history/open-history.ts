import { readConfig } from '@jinn/core/read-config';
import {
  type Archive,
  createStateFiles,
  type History,
  type PlannedChange,
  type PreparedOperation,
} from '@jinn/workspace';
import type { OpenSqlite } from '../node-sqlite.ts';
import { loadSqlite, type SqliteMissing } from '../sqlite.ts';
import {
  checksumOfEntry,
  explained,
  OPERATION_PREFIX,
  randomId,
  StateDatabase,
  statementsOf,
} from '../state-database.ts';
import { goOnWithoutUndo, isWithoutPlace, toUndoError } from '../state-fault.ts';
import type { Query, Statements } from '../statements.ts';
import type { SnapshotFiles } from './open-archive.ts';

const PREPARED = 'workspace = ? AND state = ?';
const COMMITTED = "workspace = ? AND person = ? AND state = 'committed'";
/** Smaller contents are stored as they are: a database takes its space in pages. */
const MIN_PACKED_BYTES = 2048;
const SAMPLE_BYTES = 64 * 1024;
const MB = 1024 * 1024;
const CANNOT_RECORD = 'the change cannot be recorded for undo';

/** The limits for one person in one workspace. The oldest operations are removed first, and each as a whole. */
export interface HistoryLimits {
  /** An operation is kept while the newer ones have fewer entries than this. */
  readonly entries: number;
  readonly bytes: number;
}

const LIMITS: HistoryLimits = { entries: 200, bytes: 200 * MB };

/** Opens the undo history in `state.db`. One that records nothing without SQLite. Throws `write_failed` with what to do about it. */
export async function openHistory(
  directory: string | undefined,
  workspace: string,
  { person = '', limits = LIMITS }: { readonly person?: string; readonly limits?: HistoryLimits } = {},
): Promise<History> {
  const setting = () => readHistorySetting(directory);
  let open: OpenSqlite;
  try {
    open = await loadSqlite();
  } catch (error) {
    const { openHistoryWithoutSqlite } = await import('./history-without-sqlite.ts');
    return openHistoryWithoutSqlite(setting(), error as SqliteMissing);
  }
  const database = new StateDatabase(directory, open);
  const statements = statementsOf(database);
  const history = new StoredHistory(
    {
      statements,
      prepared: 'prepared',
      isForeign: () => database.isForeign(),
      archive: async () => (await import('./open-archive.ts')).archiveIn(database, statements, { workspace, person }),
      takeWarnings: () => database.takeWarnings(),
    },
    { workspace, person, limits, setting },
  );
  await history.open(() => database.read(() => {}));
  return history;
}

/** Returns "history" of config.json in the state directory: undefined if there is none, "require" if it cannot be read. */
export function readHistorySetting(directory: string | undefined): unknown {
  try {
    return readConfig(createStateFiles(directory))['history'];
  } catch {
    return 'require';
  }
}

interface HistoryStore extends Pick<History, 'archive' | 'takeWarnings'> {
  readonly statements: Statements;
  readonly prepared: string;
  readonly snapshots?: SnapshotFiles;
  isForeign(): boolean;
  /** Removes, after changes, the contents of entries that are gone. */
  tidy?(): Promise<void>;
}

interface HistoryOwner {
  readonly workspace: string;
  readonly person: string;
  readonly limits?: HistoryLimits;
  setting(): unknown;
}

/** The history of the user. Plain SQL: loading and warming up drizzle takes as long as the rest of a change. */
export class StoredHistory implements History {
  readonly #store: HistoryStore;
  readonly #owner: Required<HistoryOwner>;
  /** True if the last change could not be recorded, and a warning has said so. */
  #isWithoutUndo = false;
  readonly #warnings: string[] = [];

  constructor(store: HistoryStore, owner: HistoryOwner) {
    this.#store = store;
    this.#owner = { limits: LIMITS, ...owner };
  }

  async open(work: () => void): Promise<void> {
    await this.#orWithoutUndo('undo is unavailable', work);
  }

  /** Records changes before they are made. Returns undefined, with a warning, if they are too large or there is no place for them. */
  async prepare(tool: string, changes: readonly PlannedChange[]): Promise<PreparedOperation | undefined> {
    const packed = packAll(changes, this.#owner.limits.bytes);
    if (!packed) {
      const bytes = changes.reduce((sum, { before }) => sum + (before?.content.length ?? 0), 0);
      const [held, most] = [Math.ceil(bytes / MB), Math.floor(this.#owner.limits.bytes / MB)];
      this.#warnings.push(
        `this change cannot be undone: its files held ${held} MB, and the history keeps at most ${most} MB`,
      );
      return undefined;
    }
    return this.#orWithoutUndo(CANNOT_RECORD, async () => {
      const operation = await this.#insert({ tool, changes, packed });
      this.#isWithoutUndo = false;
      return operation;
    });
  }

  /** Marks the changes of these paths as done, and forgets the others. It is not synced: after a power loss the disk settles it. */
  async commit(operationId: string, paths: readonly string[]): Promise<boolean> {
    const ofOperation = [...this.#prepared, operationId];
    const done = paths.map(
      (path): Query => [
        `UPDATE entries SET state = 'committed', operation_size = ? WHERE ${PREPARED} AND operation_id = ? AND path = ?`,
        ...[paths.length, ...ofOperation, path],
      ],
    );
    const forget: Query = [`DELETE FROM entries WHERE ${PREPARED} AND operation_id = ?`, ...ofOperation];
    return explained(CANNOT_RECORD, async () => {
      const counts = await this.#change([...done, forget]);
      await this.#evict();
      return paths.every((_, i) => counts[i] === 1);
    });
  }

  async unsettled(): Promise<readonly { id: string; path: string }[]> {
    const find = () => this.#store.statements.read(`SELECT id, path FROM entries WHERE ${PREPARED}`, ...this.#prepared);
    return ((await this.#orWithoutUndo('undo is unavailable', find)) ?? []) as { id: string; path: string }[];
  }

  async settle(id: string, version: string | undefined): Promise<void> {
    await explained(CANNOT_RECORD, async () => {
      await this.#change(settleEntries('id', this.#prepared, { named: id, version }));
      await this.#evict();
    });
  }

  archive(): Promise<Archive> {
    return this.#store.archive();
  }

  takeWarnings(): readonly string[] {
    return [...this.#warnings.splice(0), ...this.#store.takeWarnings()];
  }

  get #prepared(): readonly string[] {
    return [this.#owner.workspace, this.#store.prepared];
  }

  #change(queries: readonly Query[]): Promise<readonly number[]> {
    return this.#store.statements.writeAll(queries, { isSynced: false });
  }

  /** Runs work. Without a place, changes continue without undo. Security: a database of another user is never passed by. */
  async #orWithoutUndo<T>(what: string, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (cause) {
      if (!isWithoutPlace(cause) || this.#store.isForeign()) throw toUndoError(what, cause);
      const warning = goOnWithoutUndo(what, cause, this.#owner.setting());
      if (!this.#isWithoutUndo) this.#warnings.push(warning);
      this.#isWithoutUndo = true;
      return undefined;
    }
  }

  async #insert(change: PackedChanges): Promise<PreparedOperation> {
    const { snapshots, statements } = this.#store;
    const operationId = `${OPERATION_PREFIX}${randomId()}`;
    const ids = new Map(change.changes.map(({ path }) => [path, randomId()]));
    const left = change.changes.flatMap(({ path, beforeVersion }) =>
      settleEntries('path', this.#prepared, { named: path, version: beforeVersion }),
    );
    const rows = change.changes.map((_, i) => this.#toInsert(change, i, { operationId, ids }));
    try {
      await snapshots?.keep(
        change.changes.flatMap(({ path }, i) => {
          const content = change.packed[i];
          return content ? [[ids.get(path) as string, content] as const] : [];
        }),
      );
    } catch (error) {
      await snapshots?.remove(ids.values());
      throw error;
    }
    // If the answer is lost, the entries may be there, and need the contents. What no entry needs is removed later.
    await statements.writeAll([...left, ...rows]);
    return { id: operationId, entries: ids };
  }

  #toInsert(
    { tool, changes, packed }: PackedChanges,
    index: number,
    { operationId, ids }: { operationId: string; ids: ReadonlyMap<string, string> },
  ): Query {
    const { path, before, beforeVersion = null, afterVersion = null, newDirectories } = changes[index] as PlannedChange;
    const { workspace, person } = this.#owner;
    const content = packed[index] ?? null;
    const facts = {
      ...{ id: ids.get(path) as string, operationId, workspace, tool, path, created: Date.now() },
      ...{ beforeVersion, afterVersion, mode: before?.mode ?? null, size: before?.content.length ?? null },
      ...{ newDirectories, person },
    };
    const isInTable = this.#store.snapshots === undefined;
    const columns = `id, operation_id, workspace, tool, path, created, before_version, after_version, mode, size, new_directories, person,
      state, checksum, stored${isInTable ? ', content' : ''}`;
    const kept = [this.#store.prepared, checksumOfEntry(facts), content?.length ?? 0, ...(isInTable ? [content] : [])];
    const values = [...Object.values(facts), ...kept];
    return [`INSERT INTO entries (${columns}) VALUES (${values.map(() => '?').join()})`, ...values];
  }

  /** Removes the oldest operations beyond the limits. The newest one stays. */
  async #evict(): Promise<void> {
    const { statements, snapshots } = this.#store;
    await this.#store.tidy?.();
    const owner = [this.#owner.workspace, this.#owner.person];
    const [kept] = (await statements.read(
      `SELECT count(*) AS entries, CAST(coalesce(sum(stored), 0) AS BIGINT) AS bytes FROM entries WHERE ${COMMITTED}`,
      ...owner,
    )) as readonly [HistoryLimits];
    if (kept.entries <= this.#owner.limits.entries && kept.bytes <= this.#owner.limits.bytes) return;
    // What to remove is judged by only this look: another process may have removed some since the other one.
    const rows = await statements.read(
      `SELECT id, operation_id AS operation, stored FROM entries WHERE ${COMMITTED} ORDER BY seq`,
      ...owner,
    );
    const beyond = operationsBeyond(rows as readonly StoredEntry[], this.#owner.limits);
    const remove = `DELETE FROM entries WHERE ${COMMITTED} AND operation_id = ?`;
    await this.#change(beyond.map(({ id }) => [remove, ...owner, id]));
    await snapshots?.remove(beyond.flatMap(({ ids }) => ids));
  }
}

interface StoredEntry {
  readonly id: string;
  readonly operation: string;
  readonly stored: number;
}

function operationsBeyond(rows: readonly StoredEntry[], limits: HistoryLimits): { id: string; ids: string[] }[] {
  const operations = new Map<string, { id: string; ids: string[]; bytes: number }>();
  for (const { id, operation, stored } of rows) {
    const known = operations.get(operation) ?? { id: operation, ids: [], bytes: 0 };
    operations.set(operation, known);
    known.ids.push(id);
    known.bytes += stored;
  }
  const all = [...operations.values()];
  let entries = rows.length;
  let bytes = rows.reduce((sum, { stored }) => sum + stored, 0);
  const first = all.findIndex((operation, i) => {
    entries -= operation.ids.length;
    const isKept = i === all.length - 1 || (entries < limits.entries && bytes <= limits.bytes);
    bytes -= operation.bytes;
    return isKept;
  });
  return all.slice(0, first);
}

interface PackedChanges {
  readonly tool: string;
  readonly changes: readonly PlannedChange[];
  readonly packed: readonly (Buffer | null)[];
}

// A change happened if its file has the new version, and did not if it has the old one. With any other version, someone wrote since, and
// the snapshot is kept: the file did have that content.
function settleEntries(
  column: 'id' | 'path',
  prepared: readonly string[],
  { named, version = null }: { readonly named: string; readonly version: string | null | undefined },
): Query[] {
  const isUndone = 'before_version IS NOT DISTINCT FROM ? AND after_version IS DISTINCT FROM before_version';
  return [
    [`DELETE FROM entries WHERE ${PREPARED} AND ${column} = ? AND ${isUndone}`, ...prepared, named, version],
    [`UPDATE entries SET state = 'committed' WHERE ${PREPARED} AND ${column} = ?`, ...prepared, named],
  ];
}

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

// A content whose stored bytes are as many as its bytes is stored as it is.
function pack(content: Buffer): Buffer {
  if (content.length < MIN_PACKED_BYTES) return content;
  // Deflating 50 MB of noise takes a second, for nothing: the middle shows whether it is worth it.
  const middle = content.length >> 1;
  const isNoise = () => deflate(content.subarray(middle, middle + SAMPLE_BYTES)).length >= 0.9 * SAMPLE_BYTES;
  if (content.length >= 16 * SAMPLE_BYTES && isNoise()) return content;
  const packed = deflate(content);
  return packed.length < content.length ? packed : content;
}

function deflate(content: Uint8Array): Buffer {
  return process.getBuiltinModule('node:zlib').deflateRawSync(content, { level: 1 });
}
