import type { Archive } from '@jinn/workspace';
import type { StateDatabase } from '../state-database.ts';
import { isFull } from '../state-fault.ts';
import type { Statements } from '../statements.ts';
import { type ArchiveOwner, openArchive } from './open-archive.ts';

/** Makes the archive of a workspace in `state.db`. */
export function archiveIn(database: StateDatabase, statements: Statements, owner: ArchiveOwner): Archive {
  return openArchive(
    {
      statements,
      clear: async () => clear(database, owner),
      damaged: () => database.damaged(),
    },
    owner,
  );
}

/**
 * Removes the committed entries of a workspace; returns how many there were. On a full disk, SQLite cannot even delete:
 * then other files of ours make the space that it needs.
 */
function clear(database: StateDatabase, owner: ArchiveOwner): number {
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
function deleteAll(database: StateDatabase, { workspace, person }: ArchiveOwner): number {
  return database.write((connection) => {
    const { changes } = connection
      .sql("DELETE FROM entries WHERE workspace = ? AND person = ? AND state = 'committed'")
      .run(workspace, person);
    connection.sqlite.pragma('incremental_vacuum');
    return changes;
  });
}
