import { inflateRawSync } from 'node:zlib';
import { ToolError } from '@jinn/core/errors';
import { type Archive, type HistoryEntry, type Snapshot, versionOf } from '@jinn/workspace';
import {
  checksumOfEntry,
  type EntryFacts,
  explained,
  OPERATION_PREFIX,
  type StateDatabase,
} from '../state-database.ts';
import { isFull } from '../state-fault.ts';
import type { Statements } from '../statements.ts';
import { type SQL, sql, toQuery } from '../to-query.ts';

interface Row extends EntryFacts {
  readonly seq: number;
  readonly operationSize: number | null;
  readonly checksum: string;
  readonly content?: Buffer | null;
}

const FACTS = sql`seq, id, operation_id AS "operationId", workspace, tool, path, created, before_version AS "beforeVersion",
  after_version AS "afterVersion", mode, size, operation_size AS "operationSize", new_directories AS "newDirectories", person, checksum`;

/** Keeps contents by the ids of their entries. */
export interface SnapshotFiles {
  /** Keeps contents. Rejects with the error of the system. When it resolves, the contents survive a power loss. */
  keep(contents: readonly (readonly [id: string, content: Buffer])[]): Promise<void>;
  read(id: string): Buffer | undefined;
  remove(ids: Iterable<string>): Promise<void>;
}

interface ArchiveStore extends Pick<Archive, 'damaged' | 'clear'> {
  readonly statements: Statements;
  readonly snapshots?: Pick<SnapshotFiles, 'read'>;
}

interface ArchiveOwner {
  readonly workspace: string;
  readonly person: string;
}

/** Makes the archive of a workspace: its committed entries. Its own module keeps a change from loading drizzle. */
export function openArchive(store: ArchiveStore, { workspace, person }: ArchiveOwner): Archive {
  const toEntry = (row: Row) => toEntryFor(person, row);
  const committed = sql`workspace = ${workspace} AND state = 'committed'`;
  const read = async <T>(query: SQL) =>
    (await explained('undo is unavailable', () => store.statements.read(...toQuery(query)))) as readonly T[];
  const select = (where: SQL) => read<Row>(sql`SELECT ${FACTS} FROM entries WHERE ${where}`);
  return {
    list: async (limit) => {
      const most = limit === undefined ? sql`` : sql` LIMIT ${limit}`;
      return (await select(sql`${committed} ORDER BY seq DESC${most}`)).filter(isIntact).map(toEntry);
    },
    count: async () => {
      const [row] = await read<{ n: number }>(sql`SELECT count(*) AS n FROM entries WHERE ${committed}`);
      return row?.n ?? 0;
    },
    find: async (idOrPrefix) => {
      const isOperation = idOrPrefix.startsWith(OPERATION_PREFIX);
      const name = isOperation ? sql`operation_id` : sql`id`;
      // The prefix is compared as it is, so that no character of it counts as a pattern.
      const matches = sql`substr(${name}, 1, ${idOrPrefix.length}) = ${idOrPrefix}`;
      const rows = await select(sql`${committed} AND ${matches} ORDER BY seq`);
      const found = findOne(rows, idOrPrefix, isOperation);
      if (found.length === 0) throw unknown(idOrPrefix, store.damaged());
      for (const row of found) if (!isIntact(row)) throw damaged(row.id);
      if (isOperation) rejectIncomplete(found);
      return found.map(toEntry);
    },
    newer: async ({ path, order }) => {
      const rows = await select(sql`${committed} AND path = ${path} AND seq > ${order} ORDER BY seq`);
      return rows.filter(isIntact).map(toEntry);
    },
    snapshot: async (id) => {
      const content = store.snapshots ? sql`` : sql`, content`;
      const [row] = await read<Row>(sql`SELECT ${FACTS}${content} FROM entries WHERE ${committed} AND id = ${id}`);
      return row && toSnapshot(id, row, store.snapshots);
    },
    clear: () => explained('the history cannot be cleared', () => store.clear()),
    damaged: () => store.damaged(),
  };
}

function findOne(rows: readonly Row[], idOrPrefix: string, isOperation: boolean): readonly Row[] {
  const nameOf = ({ id, operationId }: Row) => (isOperation ? operationId : id);
  const exact = rows.filter((row) => nameOf(row) === idOrPrefix);
  if (exact.length > 0) return exact;
  const names = new Set(rows.map(nameOf));
  if (names.size > 1) throw ambiguous(idOrPrefix, names);
  return rows;
}

function isIntact(row: Row): boolean {
  return row.checksum === checksumOfEntry(row);
}

function toSnapshot(id: string, row: Row, files: ArchiveStore['snapshots']): Snapshot | undefined {
  if (row.id !== id || !isIntact(row)) throw damaged(id);
  if (row.size === null) return undefined;
  const stored = files ? files.read(id) : (row.content ?? null);
  if (stored === undefined) {
    throw new ToolError('not_found', `the content of ${id} is not on this server (nothing was changed)`, {
      suggestion: 'tell the user: the server of this workspace that made the change keeps it in its state directory',
    });
  }
  const content = unpack(stored, row.size);
  if (!content || row.mode === null || versionOf(content) !== row.beforeVersion) throw damaged(id);
  return { content, mode: row.mode };
}

function unpack(stored: Buffer | null, size: number): Buffer | undefined {
  if (!Buffer.isBuffer(stored) || stored.length === size) return stored ?? undefined;
  try {
    return inflateRawSync(stored, { maxOutputLength: size });
  } catch {
    return undefined;
  }
}

function toEntryFor(person: string, row: Row): HistoryEntry {
  const { id, seq: order, operationId, tool, path, created, size, beforeVersion, afterVersion, newDirectories } = row;
  return {
    ...{ id, order, operationId, tool, path, created: new Date(created), newDirectories },
    size: size ?? undefined,
    beforeVersion: beforeVersion ?? undefined,
    afterVersion: afterVersion ?? undefined,
    otherPerson: row.person === person ? undefined : row.person,
  };
}

// An operation is restored whole or not at all. Its size is not known if it was interrupted.
function rejectIncomplete(rows: readonly Row[]): void {
  const size = Math.max(...rows.map((row) => row.operationSize ?? 0));
  if (rows.length >= size) return;
  const left = rows.map(({ id, path }) => `${path} (${id})`);
  const more = left.length > 10 ? `, and ${left.length - 10} more` : '';
  throw new ToolError(
    'not_found',
    `the operation changed ${size} files, and the snapshots of ${size - rows.length} of them are gone (nothing was changed)`,
    { suggestion: `restore the others one by one: ${left.slice(0, 10).join(', ')}${more}` },
  );
}

function damaged(id: string): ToolError {
  return new ToolError('not_found', `the snapshot ${id} is damaged and cannot be restored (nothing was changed)`, {
    suggestion: 'tell the user; use {"action":"list"} to see the snapshots that are intact',
  });
}

function ambiguous(prefix: string, names: ReadonlySet<string>): ToolError {
  const shown = [...names].slice(0, 5).join(', ');
  return new ToolError('invalid_args', `id ${prefix} is ambiguous: ${names.size} ids start with it (${shown})`, {
    suggestion: 'give more characters of the id',
  });
}

function unknown(id: string, setAside: readonly string[]): ToolError {
  const lost = setAside.length > 0 ? `. A damaged history was set aside (${setAside.join(', ')})` : '';
  return new ToolError('not_found', `no snapshot with id ${id.slice(0, 60)}${lost}`, {
    suggestion: 'use {"action":"list"} to see the ids',
  });
}

/** Makes the archive of a workspace in `state.db`. */
export function archiveIn(database: StateDatabase, statements: Statements, owner: ArchiveOwner): Archive {
  return openArchive(
    { statements, clear: async () => clear(database, owner), damaged: () => database.damaged() },
    owner,
  );
}

function clear(database: StateDatabase, { workspace, person }: ArchiveOwner): number {
  const deleteAll = () =>
    database.write((connection) => {
      const { changes } = connection
        .sql("DELETE FROM entries WHERE workspace = ? AND person = ? AND state = 'committed'")
        .run(workspace, person);
      // In the same transaction: a log that did not fit into the database fits it then.
      connection.sqlite.pragma('incremental_vacuum');
      return changes;
    });
  let removed: number;
  try {
    removed = deleteAll();
  } catch (error) {
    if (!isFull(error)) throw error;
    // On a full disk SQLite cannot even delete: other files of ours make the space that it needs.
    database.freeSpace();
    removed = deleteAll();
  }
  database.compact();
  return removed;
}
