import fs from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';
import type { OpenSqlite, Sqlite, Statement } from './node-sqlite.ts';

const BUSY_MS = 10_000;
/** A commit that leaves more pages in the log moves them into the database. The log is short, since each start reads it. */
const CHECKPOINT_PAGES = 250;

/** There is no SQLite: the native module is missing, or was not built, and Node has none. */
export class SqliteMissing extends Error {
  static readonly SUGGESTION =
    'run it on Node 22.13 or newer, which has SQLite, or install its tarball again with install scripts allowed (npm 12: --allow-scripts=better-sqlite3-node20)';
}

/** Loads SQLite. The build for N-API 10 crashes Node 20, and no `catch` sees that, so the choice comes first. Throws SqliteMissing. */
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

/** Returns what is missing without SQLite, and how to get it, or undefined if there is one. */
export async function explainNoSqlite(): Promise<string | undefined> {
  try {
    await loadSqlite();
    return undefined;
  } catch (error) {
    return `${(error as Error).message}: no undo, no memory, and no answer is remembered; ${SqliteMissing.SUGGESTION}`;
  }
}

async function loadDriver(): Promise<{ Driver: typeof BetterSqlite3; nativeBinding?: string }> {
  const load = process.getBuiltinModule('node:module').createRequire(import.meta.url);
  if (Number(process.versions['napi']) >= 10) return { Driver: load('better-sqlite3') };
  // The code is bundled and the binary is named here: resolving the files one by one takes longer than a change.
  const nativeBinding = load('better-sqlite3-node20/build/Release/better_sqlite3.node');
  return { Driver: (await import('better-sqlite3-node20')).default, nativeBinding };
}

interface WrittenLog {
  readonly file: string;
  /** The most bytes that may stay in the log when the process ends. */
  readonly mayKeep: number;
}

const written = new Map<Sqlite, WrittenLog>();

// Moves logs into their databases. The empty logs stay: on a full or read-only disk they could not be made to read. Other processes do the
// same at their end.
function emptyLogs(): void {
  for (const [sqlite, { file, mayKeep }] of written) {
    try {
      if (fs.statSync(file).size <= mayKeep) continue;
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

  /** Moves the log of a writable database into it when the process ends, unless the log may be kept. */
  constructor(sqlite: Sqlite, log?: WrittenLog) {
    this.sqlite = sqlite;
    if (log === undefined) return;
    if (written.size === 0) process.once('exit', emptyLogs);
    written.set(sqlite, log);
  }

  close(): void {
    written.delete(this.sqlite);
    if (written.size === 0) process.off('exit', emptyLogs);
    this.sqlite.close();
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

/** The tables of a database, and the version by which they are known. */
export interface SqliteSchema {
  readonly version: number;
  readonly statements: string;
}

/** Another version of jinn wrote the database: a newer one, or a development version. */
export class OtherSchema extends Error {
  readonly isNewer: boolean;

  constructor(isNewer: boolean) {
    super();
    this.isNewer = isNewer;
  }

  reason(file: string): string {
    return `${file} was written by a ${this.isNewer ? 'newer' : 'development version of'} jinn`;
  }
}

/** Creates the tables of an empty database, all or none. Throws OtherSchema for one with another version. */
export function createTables(sqlite: Sqlite, { version, statements }: SqliteSchema): void {
  limitLog(sqlite);
  if (schemaVersionOf(sqlite) === 0) {
    retryBusy(() => {
      sqlite.pragma('auto_vacuum = INCREMENTAL');
      sqlite.pragma('journal_mode = WAL');
    });
    inTransaction(sqlite, () => {
      // Another process may have been faster.
      if (schemaVersionOf(sqlite) !== 0) return;
      sqlite.exec(statements);
      sqlite.pragma(`user_version = ${version}`);
    });
  }
  rejectOther(sqlite, version);
}

function rejectOther(sqlite: Sqlite, version: number): void {
  const found = schemaVersionOf(sqlite);
  if (found !== version) throw new OtherSchema(found > version);
}

/** Offsets in the header of a database that say whether it has a write-ahead log next to it. */
const LOG_FLAGS = [18, 19];

/** Opens a database without changing it. A copy in memory if its directory is read-only. Throws OtherSchema or SQLite's own error. */
export function openReadOnly(
  open: OpenSqlite,
  { file, timeout, schema }: { readonly file: string; readonly timeout: number; readonly schema: SqliteSchema },
): { readonly sqlite: Sqlite; readonly isCopy: boolean } {
  let sqlite: Sqlite | undefined;
  try {
    sqlite = open(file, { readonly: true, timeout });
    const isEmpty = schemaVersionOf(sqlite) === 0;
    if (!isEmpty) rejectOther(sqlite, schema.version);
    if (!isEmpty) return { sqlite, isCopy: false };
    const bytes = sqlite.serialize();
    sqlite.close();
    return { sqlite: openCopy(open, bytes, schema), isCopy: true };
  } catch (error) {
    sqlite?.close();
    const { code = '' } = error as { code?: string };
    const hasLog = (fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    if (!/^SQLITE_(CANTOPEN|READONLY)/.test(code) || hasLog) throw error;
    return { sqlite: openCopy(open, fs.readFileSync(file), schema), isCopy: true };
  }
}

function openCopy(open: OpenSqlite, bytes: Buffer, schema: SqliteSchema): Sqlite {
  if (bytes.length > 0) for (const offset of LOG_FLAGS) bytes[offset] = 1;
  const sqlite = open(bytes);
  createTables(sqlite, schema);
  return sqlite;
}

/** Runs work in a transaction that may write from its start. better-sqlite3's own function prepares nine statements first. */
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

/** Keeps the log of this connection short. `createTables` does so too. */
export function limitLog(sqlite: Sqlite): void {
  sqlite.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
}

/** Returns the schema version of a database, or 0 if it has none. */
export function schemaVersionOf(sqlite: Sqlite): number {
  return sqlite.pragma('user_version', { simple: true }) as number;
}

// SQLite does not wait its busy timeout when several processes switch a new file to WAL at once.
function retryBusy(work: () => void): void {
  const deadline = Date.now() + BUSY_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== 'SQLITE_BUSY' || Date.now() > deadline) throw error;
      sleepSync(5);
    }
  }
}

/** Blocks the thread for some milliseconds. */
export function sleepSync(ms: number): void {
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
