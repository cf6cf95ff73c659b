import { makePrivateDirectory } from '@jinn/workspace';
import type { OpenSqlite } from '../node-sqlite.ts';
import {
  Connection,
  createTables,
  DatabaseFile,
  keepPrivate,
  makePrivateFile,
  openReadOnly,
  type SqliteSchema,
} from '../sqlite.ts';
import STATEMENTS from './memory-schema.sql';

const BUSY_MS = 5_000;

/** A `scope` is "global" or a real path, after the name of its person. A test holds that a team's database has the same columns. */
export const MEMORY_SCHEMA: SqliteSchema = { version: 1, statements: STATEMENTS };

const CUT =
  'the log of the memory (memory.db-wal) was damaged and is cut: what was saved last is missing. Tell the user, who may have a copy of the configuration directory';

/** `memory.db` of a directory: opened read-only until the first write, which creates it. */
export class MemoryDatabase extends DatabaseFile {
  readonly #directory: string;
  #isLogChecked = false;

  constructor(directory: string, open: OpenSqlite) {
    super(`${directory}/memory.db`, open);
    this.#directory = directory;
  }

  exists(): boolean {
    return this.stat() !== undefined;
  }

  read<T>(work: (connection: Connection) => T): T | undefined {
    this.dropIfReplaced();
    if (this.kept) return work(this.kept.connection);
    const inode = this.stat()?.ino;
    if (inode === undefined) return undefined;
    this.#checkLog();
    const { sqlite, isCopy } = openReadOnly(this.open, { file: this.file, timeout: BUSY_MS, schema: MEMORY_SCHEMA });
    const connection = new Connection(sqlite);
    if (!isCopy) this.kept = { connection, inode, isWritable: false };
    try {
      return work(connection);
    } finally {
      if (isCopy) connection.close();
    }
  }

  /** Creates the database if it is missing. Throws OtherSchema, or SQLite's or the system's own error. */
  writer(): Connection {
    this.dropIfReplaced();
    if (this.kept?.isWritable) return this.kept.connection;
    this.drop();
    this.#checkLog();
    makePrivateDirectory(this.#directory);
    keepPrivate(this.#directory, 0o700);
    makePrivateFile(this.file);
    keepPrivate(this.file, 0o600);
    const sqlite = this.open(this.file, { timeout: BUSY_MS });
    createTables(sqlite, MEMORY_SCHEMA);
    // Each commit is synced: a text that was reported as saved survives a power loss.
    sqlite.pragma('synchronous = FULL');
    const connection = new Connection(sqlite, { file: `${this.file}-wal`, mayKeep: 0 });
    this.kept = { connection, inode: this.stat()?.ino ?? 0, isWritable: true };
    return connection;
  }

  #checkLog(): void {
    if (!this.#isLogChecked) this.warnIfLogCut(CUT);
    this.#isLogChecked = true;
  }
}
