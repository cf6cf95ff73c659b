import fs from 'node:fs';
import path from 'node:path';
import { makePrivateDirectory } from '@jinn/workspace';
import { isLogCut, keepPrivate, makePrivateFile } from '../database-files.ts';
import { openToRead } from '../open-to-read.ts';
import { Connection, migrate, type OpenSqlite } from '../sqlite.ts';

/** How long a statement waits for another process. */
const BUSY_MS = 5_000;

/**
 * Statements that bring the schema from version i to i + 1. Published ones never change. They are the one place that states the
 * tables. A `scope` is "global" or the real path of a project, after the name of its person and a colon, if that has one;
 * `updated` is RFC 3339, `expires` is in milliseconds.
 */
const MIGRATIONS: readonly string[] = [
  // Older versions created the first table, without a schema version. They can go on with the new one, which has its columns.
  `CREATE TABLE IF NOT EXISTS memory (
     scope TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, updated TEXT NOT NULL, PRIMARY KEY (scope, key)
   );
   ALTER TABLE memory RENAME TO memory_without_version;
   CREATE TABLE memory (
     id INTEGER PRIMARY KEY,
     scope TEXT NOT NULL,
     key TEXT NOT NULL,
     value TEXT NOT NULL,
     updated TEXT NOT NULL,
     expires INTEGER,
     pinned INTEGER NOT NULL DEFAULT 0,
     UNIQUE (scope, key)
   ) STRICT;
   INSERT INTO memory (scope, key, value, updated)
     SELECT CAST(scope AS TEXT), CAST(key AS TEXT), CAST(value AS TEXT), CAST(coalesce(updated, '') AS TEXT)
     FROM memory_without_version;
   DROP TABLE memory_without_version;
   CREATE INDEX memory_by_expires ON memory (expires) WHERE expires IS NOT NULL;

   CREATE VIRTUAL TABLE memory_words USING fts5(
     key, value, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
   );
   INSERT INTO memory_words (rowid, key, value) SELECT id, key, value FROM memory;
   CREATE TRIGGER memory_inserted AFTER INSERT ON memory BEGIN
     INSERT INTO memory_words (rowid, key, value) VALUES (new.id, new.key, new.value);
   END;
   CREATE TRIGGER memory_deleted AFTER DELETE ON memory BEGIN
     DELETE FROM memory_words WHERE rowid = old.id;
   END;
   CREATE TRIGGER memory_updated AFTER UPDATE OF key, value ON memory BEGIN
     DELETE FROM memory_words WHERE rowid = old.id;
     INSERT INTO memory_words (rowid, key, value) VALUES (new.id, new.key, new.value);
   END;

   CREATE TABLE imports (sha256 TEXT PRIMARY KEY, imported TEXT NOT NULL) STRICT;`,
];

const CUT =
  'the log of the memory (memory.db-wal) was damaged and is cut: what was saved last is missing; tell the user, who may have a copy of the configuration directory';

/** The connection that stays open. */
interface OpenConnection {
  readonly connection: Connection;
  readonly inode: number;
  readonly isWritable: boolean;
}

/** `memory.db` of a directory: opened read-only until the first write, which creates it. */
export class MemoryDatabase {
  readonly #directory: string;
  readonly #file: string;
  readonly #open: OpenSqlite;
  #kept: OpenConnection | undefined;
  #isLogChecked = false;
  #warnings: string[] = [];

  constructor(directory: string, open: OpenSqlite) {
    this.#directory = directory;
    this.#file = path.join(directory, 'memory.db');
    this.#open = open;
  }

  exists(): boolean {
    return this.#inode() !== undefined;
  }

  /** Runs work that only reads. Returns undefined if there is no database. Throws NewerSchema, or SQLite's own error. */
  read<T>(work: (connection: Connection) => T): T | undefined {
    const kept = this.#stillThere();
    if (kept) return work(kept.connection);
    const inode = this.#inode();
    if (inode === undefined) return undefined;
    this.#checkLog();
    const { sqlite, isCopy } = openToRead(this.#open, {
      file: this.#file,
      timeout: BUSY_MS,
      migrations: MIGRATIONS,
    });
    if (!isCopy) return work(this.#keep({ connection: new Connection(sqlite), inode, isWritable: false }));
    try {
      return work(new Connection(sqlite));
    } finally {
      sqlite.close();
    }
  }

  /**
   * Returns a connection that can write; creates the database if it is missing. Throws NewerSchema, or SQLite's or the
   * system's own error.
   */
  writer(): Connection {
    const kept = this.#stillThere();
    if (kept?.isWritable) return kept.connection;
    this.#drop();
    this.#checkLog();
    makePrivateDirectory(this.#directory);
    keepPrivate(this.#directory, 0o700);
    makePrivateFile(this.#file);
    keepPrivate(this.#file, 0o600);
    const sqlite = this.#open(this.#file, { timeout: BUSY_MS });
    migrate(sqlite, MIGRATIONS);
    // Each commit is synced: a text that was reported as saved survives a power loss.
    sqlite.pragma('synchronous = FULL');
    return this.#keep({
      connection: new Connection(sqlite, { isWritable: true }),
      inode: this.#inode() ?? 0,
      isWritable: true,
    });
  }

  /** Returns the faults beside the work so far, each once. */
  takeWarnings(): readonly string[] {
    const warnings = this.#warnings;
    this.#warnings = [];
    return warnings;
  }

  #checkLog(): void {
    if (this.#isLogChecked) return;
    this.#isLogChecked = true;
    if (isLogCut(`${this.#file}-wal`)) this.#warnings.push(CUT);
  }

  #keep(kept: OpenConnection): Connection {
    this.#kept = kept;
    return kept.connection;
  }

  /** Drops the connection if the database was deleted or replaced. */
  #stillThere(): OpenConnection | undefined {
    if (this.#kept && this.#kept.inode !== this.#inode()) this.#drop();
    return this.#kept;
  }

  #drop(): void {
    this.#kept?.connection.close();
    this.#kept = undefined;
  }

  #inode(): number | undefined {
    const stat = statIfThere(this.#file);
    if (stat && !stat.isFile()) throw new Error('memory.db is not a regular file'); // SQLite would wait for a FIFO.
    return stat?.ino;
  }
}

/**
 * Returns the stat of a file; undefined if there is none. Without a directory there is no file: a home such as
 * /dev/null has no memory, which reading then reports.
 */
function statIfThere(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}
