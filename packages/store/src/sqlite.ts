import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

/** How long a switch to WAL is retried. */
const BUSY_MS = 10_000;
/** A commit that leaves more pages in the log moves them into the database. The log is short, since each start reads it. */
const CHECKPOINT_PAGES = 250;

export interface Statement {
  run(...values: unknown[]): { readonly changes: number };
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  iterate(...values: unknown[]): Iterable<unknown>;
}

/**
 * An open database: the part of better-sqlite3 that jinn uses. An error has SQLite's name as `code`, such as
 * SQLITE_BUSY.
 */
export interface Sqlite {
  readonly inTransaction: boolean;
  exec(text: string): unknown;
  prepare(text: string): Statement;
  pragma(text: string, options?: { readonly simple?: boolean }): unknown;
  /** Returns the bytes of the database. */
  serialize(): Buffer;
  close(): unknown;
}

export interface OpenOptions {
  readonly readonly?: boolean;
  /** How long a statement waits for another process, in milliseconds. */
  readonly timeout?: number;
}

/** Opens a SQLite file, or a copy of its bytes. Throws SQLite's own error. */
export type OpenSqlite = (file: string | Buffer, options?: OpenOptions) => Sqlite;

/** There is no SQLite: the native module is missing, or was not built, and Node has none. */
export class SqliteMissing extends Error {
  static readonly SUGGESTION =
    'run it on Node 22.13 or newer, which has SQLite, or install its tarball again with install scripts allowed (npm 12: --allow-scripts=better-sqlite3-node20)';
}

/**
 * Loads the build of better-sqlite3 that fits this Node, or else the SQLite of Node. The build for N-API 10 crashes the
 * process on Node 20, which has N-API 9, and no `catch` sees that; so the choice is made before anything is loaded.
 * Throws SqliteMissing.
 */
export async function loadSqlite(): Promise<OpenSqlite> {
  try {
    const { Driver, nativeBinding } = await loadDriver();
    return (file, options) => new Driver(file, { ...options, ...(nativeBinding && { nativeBinding }) });
  } catch (cause) {
    const open = (await import('./node-sqlite.ts')).openerOfNode();
    if (open) return open;
    throw new SqliteMissing('the SQLite module better-sqlite3 cannot be loaded', { cause });
  }
}

/** Returns what is missing without SQLite, and how to get it; undefined if there is one. */
export async function explainNoSqlite(): Promise<string | undefined> {
  try {
    await loadSqlite();
    return undefined;
  } catch (error) {
    return `${(error as Error).message}: no undo, no memory, and no answer is remembered; ${SqliteMissing.SUGGESTION}`;
  }
}

interface Driver {
  readonly Driver: typeof BetterSqlite3;
  readonly nativeBinding?: string;
}

async function loadDriver(): Promise<Driver> {
  const require = createRequire(import.meta.url);
  if (Number(process.versions['napi']) >= 10) return { Driver: require('better-sqlite3') };
  // The code is bundled and the binary is named here: resolving the files one by one takes longer than a change.
  const nativeBinding = require('better-sqlite3-node20/build/Release/better_sqlite3.node');
  return { Driver: (await import('better-sqlite3-node20')).default, nativeBinding };
}

/** Databases that are open for writing. */
const written = new Set<Sqlite>();

/**
 * Moves the logs into the databases, so that each is whole in its own file, and a copy of that file is a copy of all.
 * The empty logs stay: on a full or read-only disk nobody could make them to read. It does not wait for other
 * processes, which do the same at their end.
 */
function emptyLogs(): void {
  for (const sqlite of written) {
    try {
      sqlite.pragma('busy_timeout = 0');
      sqlite.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // The log stays as it is, and the next process reads it.
    }
  }
}

/** An open database, and the statements that were prepared for it. */
export class Connection {
  readonly sqlite: Sqlite;
  readonly #statements = new Map<string, Statement>();

  /** Ensures that the log of a writable database is emptied when the process ends. */
  constructor(sqlite: Sqlite, { isWritable = false } = {}) {
    this.sqlite = sqlite;
    if (!isWritable) return;
    if (written.size === 0) process.once('exit', emptyLogs);
    written.add(sqlite);
  }

  close(): void {
    written.delete(this.sqlite);
    if (written.size === 0) process.off('exit', emptyLogs);
    this.sqlite.close();
  }

  /** Prepares a statement, once for each text. */
  sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.sqlite.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

/** A newer version of jinn wrote the database. */
export class NewerSchema extends Error {}

/**
 * Brings a database up to date, completely or not at all. `migrations[i]` holds the statements from version i to i + 1;
 * published ones never change. Throws NewerSchema.
 */
export function migrate(sqlite: Sqlite, migrations: readonly string[]): void {
  limitLog(sqlite);
  if (schemaVersionOf(sqlite) < migrations.length) {
    retryBusy(() => {
      sqlite.pragma('auto_vacuum = INCREMENTAL');
      sqlite.pragma('journal_mode = WAL');
    });
    inTransaction(sqlite, () => {
      for (const statements of migrations.slice(schemaVersionOf(sqlite))) sqlite.exec(statements);
      if (schemaVersionOf(sqlite) < migrations.length) sqlite.pragma(`user_version = ${migrations.length}`);
    });
  }
  if (schemaVersionOf(sqlite) > migrations.length) throw new NewerSchema();
}

/**
 * Runs work in a transaction that may write from its start, so that two processes wait for each other. better-sqlite3's own
 * function would prepare nine statements before its first one.
 */
export function inTransaction<T>(sqlite: Sqlite, work: () => T): T {
  sqlite.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    sqlite.exec('COMMIT');
    return result;
  } finally {
    if (sqlite.inTransaction) sqlite.exec('ROLLBACK');
  }
}

/** Keeps the log of this connection short. `migrate` does so too. */
export function limitLog(sqlite: Sqlite): void {
  sqlite.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
}

/** Returns the schema version of a database; 0 if it has none. */
export function schemaVersionOf(sqlite: Sqlite): number {
  return sqlite.pragma('user_version', { simple: true }) as number;
}

/**
 * Runs work, and repeats it while the database is busy: SQLite does not wait its busy timeout when several processes
 * switch a new file to WAL at once.
 */
function retryBusy(work: () => void): void {
  const deadline = Date.now() + BUSY_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== 'SQLITE_BUSY' || Date.now() > deadline) throw error;
      waitFor(5);
    }
  }
}

/** Blocks the thread for some milliseconds. */
export function waitFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Returns why SQLite or the system refused to open or write a file. `file` is its name for the message. */
export function reasonOf(error: unknown, file: string): string {
  const code = (error as { code?: string }).code ?? '';
  const [, reason] = REASONS.find(([prefix]) => code.startsWith(prefix)) ?? [];
  return reason ? reason.replace('{}', file) : `${file} cannot be used`;
}

const REASONS: readonly (readonly [prefix: string, reason: string])[] = [
  ['SQLITE_FULL', 'no space left on the disk'],
  ['SQLITE_BUSY', 'another process keeps {} locked'],
  ['SQLITE_READONLY', '{} is read-only'],
  ['SQLITE_CORRUPT', '{} is damaged'],
  ['SQLITE_NOTADB', '{} is damaged'],
  ['SQLITE_CANTOPEN', '{} cannot be opened'],
  ['SQLITE_ERROR', '{} has another form than jinn gave it'],
  ['EROFS', '{} is read-only'],
  ['EACCES', '{} is closed to this user'],
  ['ENOENT', 'the directory of {} cannot be made'],
  ['ENOTDIR', 'the directory of {} cannot be made'],
  ['EEXIST', 'the directory of {} cannot be made'],
  ['ENOSPC', 'no space left on the disk'],
];
