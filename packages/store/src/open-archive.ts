import { inflateRawSync } from 'node:zlib';
import { type Archive, type HistoryEntry, type Snapshot, ToolError, versionOf } from '@jinn/core';
import { and, type Column, count, desc, eq, gt, type SQL, sql } from 'drizzle-orm';
import { entries } from './entries.ts';
import { checksumOfEntry, OPERATION_PREFIX } from './entry-facts.ts';
import type { StateDatabase } from './state-database.ts';
import { explained, isFull } from './state-fault.ts';
import { toDrizzle } from './to-drizzle.ts';

/** What an entry has but its content. */
const FACTS = {
  seq: entries.seq,
  id: entries.id,
  operationId: entries.operationId,
  workspace: entries.workspace,
  tool: entries.tool,
  path: entries.path,
  created: entries.created,
  beforeVersion: entries.beforeVersion,
  afterVersion: entries.afterVersion,
  mode: entries.mode,
  size: entries.size,
  operationSize: entries.operationSize,
  newDirectories: entries.newDirectories,
  checksum: entries.checksum,
};

type Row = { [K in keyof typeof FACTS]: (typeof entries.$inferSelect)[K] };
type Drizzle = ReturnType<typeof toDrizzle>;

/** The committed entries of a workspace. A module of its own, so that a change does not load drizzle. */
export function openArchive(database: StateDatabase, workspace: string): Archive {
  const committed = and(eq(entries.workspace, workspace), eq(entries.state, 'committed'));
  const read = <T>(work: (db: Drizzle) => T) =>
    explained('undo is unavailable', () => database.read(({ sqlite }) => work(toDrizzle(sqlite))));
  const select = (db: Drizzle, where: SQL | undefined) => db.select(FACTS).from(entries).where(where);
  return {
    list: (limit = -1) =>
      read((db) => select(db, committed).orderBy(desc(entries.seq)).limit(limit).all().filter(isIntact).map(toEntry)),
    count: () => read((db) => db.select({ n: count() }).from(entries).where(committed).get()?.n ?? 0),
    find: (idOrPrefix) => {
      const isOperation = idOrPrefix.startsWith(OPERATION_PREFIX);
      const matches = startsWith(isOperation ? entries.operationId : entries.id, idOrPrefix);
      const rows = read((db) => select(db, and(committed, matches)).orderBy(entries.seq).all());
      const found = findOne(rows, idOrPrefix, isOperation);
      if (found.length === 0) throw unknown(idOrPrefix, database.damaged());
      for (const row of found) if (!isIntact(row)) throw damaged(row.id);
      if (isOperation) refuseIncomplete(found);
      return found.map(toEntry);
    },
    newer: ({ path, order }) => {
      const where = and(committed, eq(entries.path, path), gt(entries.seq, order));
      return read((db) => select(db, where).orderBy(entries.seq).all().filter(isIntact).map(toEntry));
    },
    snapshot: (id) => {
      const where = and(committed, eq(entries.id, id));
      const facts = { ...FACTS, content: entries.content };
      return toSnapshot(
        id,
        read((db) => db.select(facts).from(entries).where(where).get()),
      );
    },
    clear: () => explained('the history cannot be cleared', () => clear(database, workspace)),
    damaged: () => database.damaged(),
  };
}

/** The rows with this id or operation id, or with the only one that begins so. Throws `invalid_args` for several. */
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
  return row.checksum === null || row.checksum === checksumOfEntry({ ...row, created: row.created.getTime() });
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

/** On a full disk, SQLite cannot even delete: then other files of ours make the space that it needs. */
function clear(database: StateDatabase, workspace: string): number {
  let removed: number;
  try {
    removed = deleteAll(database, workspace);
  } catch (error) {
    if (!isFull(error)) throw error;
    database.freeSpace();
    removed = deleteAll(database, workspace);
  }
  database.compact();
  return removed;
}

/** The pages are given back in the same transaction: a log that did not fit into the database fits it then. */
function deleteAll(database: StateDatabase, workspace: string): number {
  return database.write((connection) => {
    const { changes } = connection
      .sql("DELETE FROM entries WHERE workspace = ? AND state = 'committed'")
      .run(workspace);
    connection.sqlite.pragma('incremental_vacuum');
    return changes;
  });
}

/** Compares the prefix as it is, so that no character of it counts as a pattern. */
function startsWith(column: Column, prefix: string): SQL {
  return sql`substr(${column}, 1, ${prefix.length}) = ${prefix}`;
}

function toEntry(row: Row): HistoryEntry {
  const { id, seq: order, operationId, tool, path, created, size, beforeVersion, afterVersion, newDirectories } = row;
  return {
    ...{ id, order, operationId, tool, path, created, newDirectories },
    size: size ?? undefined,
    beforeVersion: beforeVersion ?? undefined,
    afterVersion: afterVersion ?? undefined,
  };
}

/** An operation is restored whole or not at all. Its size is not known if it was interrupted, or is of an older jinn. */
function refuseIncomplete(rows: readonly Row[]): void {
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
