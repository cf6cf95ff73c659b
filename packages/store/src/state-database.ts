import fs from 'node:fs';
import { makePrivateDirectory, versionOf } from '@jinn/workspace';
import type { OpenSqlite, Sqlite } from './node-sqlite.ts';
import {
  Connection,
  createTables,
  DatabaseFile,
  hasStrayLog,
  inTransaction,
  keepPrivate,
  limitLog,
  makePrivateFile,
  makeReserve,
  makeReserveIfRoom,
  namesOfDamaged,
  openReadOnly,
  removeDamaged,
  removeReserve,
  runAll,
  type SqliteSchema,
  schemaVersionOf,
  setAside,
} from './sqlite.ts';
import { ForeignDatabase, isDamage, isUnwritable, NoHome, toUndoError } from './state-fault.ts';
import STATEMENTS from './state-schema.sql';
import type { Statements } from './statements.ts';

const BUSY_MS = 10_000;
/** A process that leaves no more in the log need not wait for the disk at its end. The next one reads the log. */
const KEPT_LOG_BYTES = 64 * 1024;
const REPLACED =
  'the undo history (state.db) was deleted or replaced while jinn ran: ids that undo gave before are unknown now';

const CUT =
  'the log of the undo history (state.db-wal) was damaged and is cut: the last changes before that cannot be undone, and the last approvals are asked for again';

/** `state.db`, opened or created at its first use. A damaged file is set aside, and the work is done on a new one. */
export class StateDatabase extends DatabaseFile {
  readonly #directory: string | undefined;

  constructor(directory: string | undefined, open: OpenSqlite) {
    super(`${directory}/state.db`, open);
    this.#directory = directory;
  }

  read<T>(work: (connection: Connection) => T): T {
    return this.#mending(() => {
      const { connection, isCopy } = this.#toRead();
      try {
        return work(connection);
      } finally {
        if (isCopy) connection.close();
      }
    });
  }

  /** With `isSynced`, the changes survive a power loss when it returns. */
  write<T>(work: (connection: Connection) => T, { isSynced = false } = {}): T {
    return this.#mending(() => {
      const connection = this.#toWrite();
      connection.sqlite.exec(`PRAGMA synchronous = ${isSynced ? 'FULL' : 'NORMAL'}`);
      return inTransaction(connection.sqlite, () => work(connection));
    });
  }

  freeSpace(): void {
    if (this.#directory === undefined) return;
    removeReserve(this.#directory);
    removeDamaged(this.#directory, 0);
  }

  /** Moves the log into the database, so that the space it took is free, and makes the reserve again if there is room for it. */
  compact(): void {
    this.#toWrite().sqlite.pragma('wal_checkpoint(TRUNCATE)');
    makeReserveIfRoom(this.#directory as string);
  }

  damaged(): readonly string[] {
    return this.#directory === undefined ? [] : namesOfDamaged(this.#directory);
  }

  isForeign(): boolean {
    const uid = process.getuid?.();
    try {
      return uid !== undefined && (this.stat()?.uid ?? uid) !== uid;
    } catch {
      return false; // No one can tell.
    }
  }

  #toRead(): { readonly connection: Connection; readonly isCopy?: boolean } {
    this.#dropIfReplaced();
    if (this.kept) return this.kept;
    try {
      return { connection: this.#openToWrite() };
    } catch (error) {
      const inode = isUnwritable(error) ? this.stat()?.ino : undefined;
      if (inode === undefined) throw error;
      const options = { file: this.file, timeout: BUSY_MS, schema: SCHEMA };
      const { sqlite, isCopy } = openReadOnly(this.open, options);
      const connection = new Connection(sqlite);
      if (!isCopy) this.kept = { connection, inode, isWritable: false };
      return { connection, isCopy };
    }
  }

  #toWrite(): Connection {
    this.#dropIfReplaced();
    if (this.kept?.isWritable) return this.kept.connection;
    this.drop();
    return this.#openToWrite();
  }

  #openToWrite(): Connection {
    const directory = this.#directory;
    if (directory === undefined) throw new NoHome();
    if (hasStrayLog(directory)) this.#setAside(() => hasStrayLog(directory));
    const { file } = this;
    this.warnIfLogCut(CUT);
    const before = this.stat();
    if (!before) {
      makePrivateDirectory(directory);
      makePrivateFile(file);
    } else if ((before.mode & 0o077) !== 0) keepPrivate(file, 0o600);
    const inode = (before ?? this.stat())?.ino ?? 0;
    const sqlite = this.open(file, { timeout: BUSY_MS });
    const connection = new Connection(sqlite, { file: `${file}-wal`, mayKeep: KEPT_LOG_BYTES });
    this.kept = { connection, inode, isWritable: true };
    try {
      if (prepareState(connection.sqlite)) makeReserve(directory);
    } catch (error) {
      // What is damaged stays known by its inode until it is set aside.
      if (!isDamage(error)) this.drop();
      throw error;
    }
    return connection;
  }

  #dropIfReplaced(): void {
    if (this.dropIfReplaced()) this.warnings.push(REPLACED);
  }

  /** Runs work. If the database turns out to be damaged, runs it once more on a new one. */
  #mending<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const inode = this.kept?.inode;
      if (inode === undefined || !isDamage(error)) throw error;
      this.drop();
      try {
        this.#setAside(() => this.stat()?.ino === inode);
      } catch {
        throw error;
      }
      return work();
    }
  }

  #setAside(isDamaged: () => boolean): void {
    setAside(this.open, this.#directory as string, isDamaged);
    const name = this.damaged().at(-1);
    const kept = name === undefined ? '' : `. The damaged file is kept as ${name} in jinn's configuration directory`;
    this.warnings.push(
      `the undo history (state.db) was damaged and starts again: earlier changes cannot be undone, and saved approvals are lost${kept}`,
    );
  }
}

/** Runs statements on a database. */
export function statementsOf(database: StateDatabase): Statements {
  const writeAll: Statements['writeAll'] = async (queries, { isSynced = true } = {}) =>
    database.write((connection) => runAll(connection, queries), { isSynced });
  return {
    read: async (text, ...values) => database.read((connection) => connection.sql(text).all(...values)),
    write: async (...query) => (await writeAll([query]))[0] as number,
    writeAll,
  };
}

/** Runs work on the history. Turns the errors of SQLite and the system into `write_failed`. */
export async function explained<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw toUndoError(what, cause);
  }
}

/** Reports whether `state.db`, or what a deleted one left, is in a directory. Opens nothing. */
export function stateExists(directory: string | undefined): boolean {
  return directory !== undefined && ['', '-wal'].some((suffix) => fs.existsSync(`${directory}/state.db${suffix}`));
}

/** `content` is that before the change, deflated if `stored`, its bytes, is below `size`. Versions 1 to 5 were never published. */
const SCHEMA: SqliteSchema = { version: 6, statements: STATEMENTS };

/** Returns true if it created the tables. Throws OtherSchema, ForeignDatabase or SQLite's own error. */
function prepareState(sqlite: Sqlite): boolean {
  if (schemaVersionOf(sqlite) === SCHEMA.version) {
    limitLog(sqlite);
    return false;
  }
  if (!isOurs(sqlite)) throw new ForeignDatabase();
  createTables(sqlite, SCHEMA);
  return true;
}

// A database without a version is ours only while it is empty. One with any other version has our table. The order matters: another
// process may create tables and version, at once, between the two looks.
function isOurs(sqlite: Sqlite): boolean {
  const tables = sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
  return tables.some(({ name }) => name === 'entries') ? schemaVersionOf(sqlite) > 0 : tables.length === 0;
}

/** Ids of operations start with this. Ids of entries do not. */
export const OPERATION_PREFIX = 'op-';

/** Makes a short id. It need not be secret, and the table refuses an id that it already has. */
export function randomId(): string {
  return Math.floor(Math.random() * 2 ** 40)
    .toString(16)
    .padStart(10, '0');
}

/** The part of a row of `entries` that its checksum covers. `beforeVersion` covers the content. */
export interface EntryFacts {
  readonly id: string;
  readonly operationId: string;
  readonly workspace: string;
  readonly tool: string;
  readonly path: string;
  readonly created: number;
  readonly beforeVersion: string | null;
  readonly afterVersion: string | null;
  readonly mode: number | null;
  readonly size: number | null;
  readonly newDirectories: number;
  readonly person: string;
}

/** Returns a sum over what a restore relies on. A CRC-32 is enough against accidents. Node:crypto takes milliseconds to load. */
export function checksumOfEntry(entry: EntryFacts): string {
  const { id, operationId, workspace, tool, path, created, beforeVersion, afterVersion, mode, size } = entry;
  const { newDirectories, person } = entry;
  return sumOf([
    ...[id, operationId, workspace, tool, path, created, beforeVersion, afterVersion, mode, size],
    ...[newDirectories, person],
  ]);
}

/** Returns the length and CRC-32 of values as a short text. */
export function sumOf(values: readonly (string | number | null)[]): string {
  return versionOf(Buffer.from(JSON.stringify(values)));
}
