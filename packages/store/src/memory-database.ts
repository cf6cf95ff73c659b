import fs from 'node:fs';
import path from 'node:path';
import type { OpenSqlite, Sqlite, Statement } from './load-sqlite.ts';
import { migrate, versionOf } from './migrate.ts';

/** How long a statement waits for another process (seeds/jinn-tool-reference.txt). */
const BUSY_MS = 5_000;
/** Where the header of a database says that it has a log beside it. */
const LOG_FLAGS = [18, 19];

/** Statements that bring the schema from version i to i + 1. Published ones never change. */
const MIGRATIONS: readonly string[] = [
  // The first table is what older jinns made, without a version. The new one has its columns, for them to go on with.
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

/** An open database, with the statements that were prepared for it. */
export class Connection {
  readonly sqlite: Sqlite;
  readonly #statements = new Map<string, Statement>();

  constructor(sqlite: Sqlite) {
    this.sqlite = sqlite;
  }

  sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.sqlite.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

interface Kept {
  readonly connection: Connection;
  readonly inode: number;
  readonly isWritable: boolean;
}

/** `memory.db` of a directory: made by the first write, and opened read-only until then. */
export class MemoryDatabase {
  readonly #directory: string;
  readonly #file: string;
  readonly #open: OpenSqlite;
  #kept: Kept | undefined;

  constructor(directory: string, open: OpenSqlite) {
    this.#directory = directory;
    this.#file = path.join(directory, 'memory.db');
    this.#open = open;
  }

  exists(): boolean {
    return this.#inode() !== undefined;
  }

  /** Gives undefined when there is no database. Throws NewerSchema, or SQLite's own error. */
  read<T>(work: (connection: Connection) => T): T | undefined {
    const kept = this.#stillThere();
    if (kept) return work(kept.connection);
    const inode = this.#inode();
    if (inode === undefined) return undefined;
    const found = this.#openToRead();
    if (!Buffer.isBuffer(found)) {
      return work(this.#keep({ connection: new Connection(found), inode, isWritable: false }));
    }
    const copy = this.#openCopy(found);
    try {
      return work(new Connection(copy));
    } finally {
      copy.close();
    }
  }

  /** To write; makes what is missing. Throws NewerSchema, or SQLite's or the system's own error. */
  writer(): Connection {
    const kept = this.#stillThere();
    if (kept?.isWritable) return kept.connection;
    this.#drop();
    fs.mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    keepPrivate(this.#directory, 0o700);
    makeFile(this.#file);
    keepPrivate(this.#file, 0o600);
    const sqlite = this.#open(this.#file, { timeout: BUSY_MS });
    migrate(sqlite, MIGRATIONS);
    // Each commit is synced: what was said to be saved survives a power loss.
    sqlite.pragma('synchronous = FULL');
    return this.#keep({ connection: new Connection(sqlite), inode: this.#inode() ?? 0, isWritable: true });
  }

  #keep(kept: Kept): Connection {
    this.#kept = kept;
    return kept.connection;
  }

  /** A database that was deleted or put in the place of another is not the one that is open. */
  #stillThere(): Kept | undefined {
    if (this.#kept && this.#kept.inode !== this.#inode()) this.#drop();
    return this.#kept;
  }

  #drop(): void {
    this.#kept?.connection.sqlite.close();
    this.#kept = undefined;
  }

  #inode(): number | undefined {
    const stat = fs.statSync(this.#file, { throwIfNoEntry: false });
    if (stat && !stat.isFile()) throw new Error('memory.db is no regular file'); // SQLite would wait for a FIFO.
    return stat?.ino;
  }

  /**
   * The database, or its bytes where it must not be read in place: one of an older jinn, which the next write brings
   * up to date, or one whose directory is read-only, where SQLite cannot open what has a log.
   */
  #openToRead(): Sqlite | Buffer {
    let sqlite: Sqlite | undefined;
    try {
      sqlite = this.#open(this.#file, { readonly: true, timeout: BUSY_MS });
      if (versionOf(sqlite) === MIGRATIONS.length) return sqlite;
      const bytes = sqlite.serialize();
      sqlite.close();
      return bytes;
    } catch (error) {
      sqlite?.close();
      if (!isRefused(error) || sizeOf(`${this.#file}-wal`) > 0) throw error;
      return fs.readFileSync(this.#file);
    }
  }

  #openCopy(bytes: Buffer): Sqlite {
    if (bytes.length > 0) for (const offset of LOG_FLAGS) bytes[offset] = 1;
    const sqlite = this.#open(bytes);
    migrate(sqlite, MIGRATIONS);
    return sqlite;
  }
}

function isRefused(error: unknown): boolean {
  return /^SQLITE_(CANTOPEN|READONLY)/.test((error as { code?: string }).code ?? '');
}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** SQLite would make it by the umask, and its log by the mode that it has then. */
function makeFile(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** By name, never through a descriptor: closing one would drop the locks that SQLite has on the file. */
function keepPrivate(file: string, mode: number): void {
  try {
    if ((fs.statSync(file).mode & 0o077) !== 0) fs.chmodSync(file, mode);
  } catch {
    // Some file systems have no modes.
  }
}
