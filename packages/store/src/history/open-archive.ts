import { inflateRawSync } from 'node:zlib';
import { ToolError } from '@jinn/errors';
import { type Archive, type HistoryEntry, type Snapshot, versionOf } from '@jinn/guard';
import { type SQL, sql } from 'drizzle-orm';
import {
  checksumOfEntry,
  type EntryFacts,
  explained,
  OPERATION_PREFIX,
  type StateDatabase,
} from '../state-database.ts';
import { isFull } from '../state-fault.ts';
import { toDrizzle } from '../to-drizzle.ts';

/** What an entry has but its content. */
interface Row extends EntryFacts {
  /** The order in which entries were prepared. */
  readonly seq: number;
  /** Entries that the operation has; null if it was interrupted, or is of an older jinn. */
  readonly operationSize: number | null;
  /** Of all facts; null if it is of an older jinn. */
  readonly checksum: string | null;
}

const FACTS = sql`seq, id, operation_id AS operationId, workspace, tool, path, created, before_version AS beforeVersion,
  after_version AS afterVersion, mode, size, operation_size AS operationSize, new_directories AS newDirectories, person, checksum`;

type Drizzle = ReturnType<typeof toDrizzle>;

/** Makes the archive of a workspace: its committed entries. Its own module keeps a change from loading drizzle. */
export function openArchive(database: StateDatabase, workspace: string, person: string): Archive {
  const toEntry = (row: Row) => toEntryFor(person, row);
  const committed = sql`workspace = ${workspace} AND state = 'committed'`;
  const read = <T>(work: (db: Drizzle) => T) =>
    explained('undo is unavailable', () => database.read(({ sqlite }) => work(toDrizzle(sqlite))));
  const select = (where: SQL) => read((db) => db.all<Row>(sql`SELECT ${FACTS} FROM entries WHERE ${where}`));
  return {
    list: (limit = -1) => select(sql`${committed} ORDER BY seq DESC LIMIT ${limit}`).filter(isIntact).map(toEntry),
    count: () => read((db) => db.get<{ n: number }>(sql`SELECT count(*) AS n FROM entries WHERE ${committed}`).n),
    find: (idOrPrefix) => {
      const isOperation = idOrPrefix.startsWith(OPERATION_PREFIX);
      const name = isOperation ? sql`operation_id` : sql`id`;
      // The prefix is compared as it is, so that no character of it counts as a pattern.
      const matches = sql`substr(${name}, 1, ${idOrPrefix.length}) = ${idOrPrefix}`;
      const rows = select(sql`${committed} AND ${matches} ORDER BY seq`);
      const found = findOne(rows, idOrPrefix, isOperation);
      if (found.length === 0) throw unknown(idOrPrefix, database.damaged());
      for (const row of found) if (!isIntact(row)) throw damaged(row.id);
      if (isOperation) rejectIncomplete(found);
      return found.map(toEntry);
    },
    newer: ({ path, order }) =>
      select(sql`${committed} AND path = ${path} AND seq > ${order} ORDER BY seq`).filter(isIntact).map(toEntry),
    snapshot: (id) => {
      const query = sql`SELECT ${FACTS}, content FROM entries WHERE ${committed} AND id = ${id}`;
      const [row] = read((db) => db.all<Row & { content: Buffer | null }>(query));
      return toSnapshot(id, row);
    },
    clear: () => explained('the history cannot be cleared', () => clear(database, workspace, person)),
    damaged: () => database.damaged(),
  };
}

/**
 * Returns the rows with this id or operation id, or with the only one that begins so. Throws `invalid_args` for
 * several.
 */
function findOne(rows: readonly Row[], idOrPrefix: string, isOperation: boolean): readonly Row[] {
  const nameOf = ({ id, operationId }: Row) => (isOperation ? operationId : id);
  const exact = rows.filter((row) => nameOf(row) === idOrPrefix);
  if (exact.length > 0) return exact;
  const names = new Set(rows.map(nameOf));
  if (names.size > 1) throw ambiguous(idOrPrefix, names);
  return rows;
}

/** Entries of versions of jinn that wrote no checksum count as intact; their content is still checked. */
function isIntact(row: Row): boolean {
  return row.checksum === null || row.checksum === checksumOfEntry(row);
}

/** Throws `not_found` unless the content is, byte for byte, what was recorded. */
function toSnapshot(id: string, row: (Row & { content: Buffer | null }) | undefined): Snapshot | undefined {
  if (!row) return undefined;
  if (row.id !== id || !isIntact(row)) throw damaged(id);
  if (row.size === null) return undefined;
  const content = unpack(row.content, row.size);
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

type Owner = readonly [workspace: string, person: string];

/**
 * Removes the committed entries of a workspace; returns how many there were. On a full disk, SQLite cannot even delete:
 * then other files of ours make the space that it needs.
 */
function clear(database: StateDatabase, ...owner: Owner): number {
  let removed: number;
  try {
    removed = deleteAll(database, owner);
  } catch (error) {
    if (!isFull(error)) throw error;
    database.freeSpace();
    removed = deleteAll(database, owner);
  }
  database.compact();
  return removed;
}

/**
 * Deletes the committed entries of a workspace; returns how many there were. The pages are given back in the same
 * transaction: a log that did not fit into the database fits it then.
 */
function deleteAll(database: StateDatabase, owner: Owner): number {
  return database.write((connection) => {
    const { changes } = connection
      .sql("DELETE FROM entries WHERE workspace = ? AND person = ? AND state = 'committed'")
      .run(...owner);
    connection.sqlite.pragma('incremental_vacuum');
    return changes;
  });
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

/**
 * Refuses an operation of which snapshots are gone: it is restored whole or not at all. Its size is not known if it was
 * interrupted, or is of an older jinn.
 */
function rejectIncomplete(rows: readonly Row[]): void {
  const size = Math.max(...rows.map((row) => row.operationSize ?? 0));
  if (rows.length >= size) return;
  const left = rows.map(({ id, path }) => `${path} (${id})`);
  const more = left.length > 10 ? `, and ${left.length - 10} more` : '';
  throw new ToolError(
    'not_found',
    `the operation changed ${size} files, and the snapshots of ${size - rows.length} of them are gone; nothing was changed`,
    { suggestion: `restore the others one by one: ${left.slice(0, 10).join(', ')}${more}` },
  );
}

function damaged(id: string): ToolError {
  return new ToolError('not_found', `the snapshot ${id} is damaged and cannot be restored; nothing was changed`, {
    suggestion: 'tell the user; use {"action":"list"} to see the snapshots that are intact',
  });
}

function ambiguous(prefix: string, names: ReadonlySet<string>): ToolError {
  const shown = [...names].slice(0, 5).join(', ');
  return new ToolError('invalid_args', `id ${prefix} is ambiguous: ${names.size} ids begin with it (${shown})`, {
    suggestion: 'give more characters of the id',
  });
}

function unknown(id: string, setAside: readonly string[]): ToolError {
  const lost = setAside.length > 0 ? `; a damaged history was set aside (${setAside.join(', ')})` : '';
  return new ToolError('not_found', `no snapshot with id ${id.slice(0, 60)}${lost}`, {
    suggestion: 'use {"action":"list"} to see the ids',
  });
}
