import fs from 'node:fs';
import path from 'node:path';
import { makePrivateDirectory } from '@jinn/workspace';
import type { OpenSqlite } from '../node-sqlite.ts';
import {
  Connection,
  createTables,
  isLogCut,
  keepPrivate,
  makePrivateFile,
  openReadOnly,
  type SqliteSchema,
} from '../sqlite.ts';

const BUSY_MS = 5_000;

/** A `scope` is "global" or a real path, after the name of its person. A test holds that a team's database has the same columns. */
export const MEMORY_SCHEMA: SqliteSchema = {
  version: 1,
  statements: `
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
    CREATE INDEX memory_by_expires ON memory (expires) WHERE expires IS NOT NULL;

    CREATE VIRTUAL TABLE memory_words USING fts5(
      key, value, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
    );
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
};

const CUT =
  'the log of the memory (memory.db-wal) was damaged and is cut: what was saved last is missing. Tell the user, who may have a copy of the configuration directory';

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
  readonly #warnings: string[] = [];

  constructor(directory: string, open: OpenSqlite) {
    this.#directory = directory;
    this.#file = path.join(directory, 'memory.db');
    this.#open = open;
  }

  exists(): boolean {
    return this.#inode() !== undefined;
  }

  read<T>(work: (connection: Connection) => T): T | undefined {
    const kept = this.#stillThere();
    if (kept) return work(kept.connection);
    const inode = this.#inode();
    if (inode === undefined) return undefined;
    this.#checkLog();
    const { sqlite, isCopy } = openReadOnly(this.#open, { file: this.#file, timeout: BUSY_MS, schema: MEMORY_SCHEMA });
    if (!isCopy) return work(this.#keep({ connection: new Connection(sqlite), inode, isWritable: false }));
    try {
      return work(new Connection(sqlite));
    } finally {
      sqlite.close();
    }
  }

  /** Creates the database if it is missing. Throws OtherSchema, or SQLite's or the system's own error. */
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
    createTables(sqlite, MEMORY_SCHEMA);
    // Each commit is synced: a text that was reported as saved survives a power loss.
    sqlite.pragma('synchronous = FULL');
    const connection = new Connection(sqlite, { file: `${this.#file}-wal`, mayKeep: 0 });
    return this.#keep({ connection, inode: this.#inode() ?? 0, isWritable: true });
  }

  takeWarnings(): readonly string[] {
    return this.#warnings.splice(0);
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

// A home such as /dev/null has no memory, which reading then reports.
function statIfThere(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}
