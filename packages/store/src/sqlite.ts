import fs from 'node:fs';
import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

/** How long a switch to WAL is retried. */
const BUSY_MS = 10_000;
/** A commit that leaves more pages in the log moves them into the database. The log is short, since each start reads it. */
const CHECKPOINT_PAGES = 250;

/** What deleting 200 MB of snapshots adds to the log at most: the pages that say which others are free. */
const RESERVE_BYTES = 1024 * 1024;
/** How the names of damaged databases begin. */
const PREFIX = 'state.db.damaged-';
/** How many damaged databases are kept; older ones are removed. */
const MAX_KEPT = 3;
/** SQLite's own files beside a database. */
const SIDECARS = ['-wal', '-shm'];
const LOG_HEADER_BYTES = 32;
const LOG_MAGIC = 0x377f0682;

export interface Statement {
  run(...values: unknown[]): { readonly changes: number };
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  iterate(...values: unknown[]): Iterable<unknown>;
}

/** An open database: what we use of better-sqlite3. An error has SQLite's name of it as `code`, such as SQLITE_BUSY. */
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

/** There is no SQLite: the native module is missing, or was not built, and Node has none of its own. */
export class SqliteMissing extends Error {
  static readonly SUGGESTION =
    'run it on Node 22.13 or newer, which has SQLite, or install its tarball again with install scripts allowed (npm 12: --allow-scripts=better-sqlite3-node20)';
}

/**
 * Loads the build of better-sqlite3 that fits this Node, or else the SQLite that Node has. The build for N-API 10 crashes the
 * process on Node 20, which has N-API 9, and no `catch` sees that; so the choice is made before anything is loaded. Throws
 * SqliteMissing.
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

/** Says what is missing without SQLite, and how to get it; undefined if there is one. */
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

/** An open database, and the statements that were prepared for it. */
export class Connection {
  readonly sqlite: Sqlite;
  readonly #statements = new Map<string, Statement>();

  constructor(sqlite: Sqlite) {
    this.sqlite = sqlite;
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
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Says why SQLite or the system refused to open or write a file. `file` is its name for the message. */
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

/**
 * Creates an empty file that is closed to others, unless the file exists. SQLite would choose the mode by the umask,
 * and would give the same mode to its log.
 */
export function makePrivateFile(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Closes a file or directory to others. It works by name, never through a descriptor: closing a descriptor would drop
 * the locks that SQLite holds on the file.
 */
export function keepPrivate(file: string, mode: number): void {
  try {
    if ((fs.statSync(file).mode & 0o077) !== 0) fs.chmodSync(file, mode);
  } catch {
    // Some file systems have no modes.
  }
}

/**
 * Makes a file that does nothing but take space, unless there is one. SQLite needs space to delete rows; on a full
 * disk, removing this file gives it that. Without space for it there is no reserve.
 */
export function makeReserve(directory: string): void {
  try {
    fs.writeFileSync(reserveIn(directory), noise(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') removeReserve(directory);
  }
}

/** Makes the reserve if it takes only a small part of the free space: on a full disk, changes need that space more. */
export function makeReserveIfRoom(directory: string): void {
  const { bavail, bsize } = fs.statfsSync(directory);
  if (bavail * bsize > 4 * RESERVE_BYTES) makeReserve(directory);
}

export function removeReserve(directory: string): void {
  fs.rmSync(reserveIn(directory), { force: true });
}

/** Bytes that a file system cannot compress, or zeros would take no space. */
function noise(): Buffer {
  const words = new Uint32Array(RESERVE_BYTES / 4);
  let state = 1;
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = state;
  }
  return Buffer.from(words.buffer);
}

function reserveIn(directory: string): string {
  return `${directory}/state.db.reserve`;
}

/** Returns the names of the databases that were set aside, oldest first. */
export function namesOfDamaged(directory: string): string[] {
  return namesIn(directory)
    .filter((name) => name.startsWith(PREFIX) && !SIDECARS.some((suffix) => name.endsWith(suffix)))
    .sort();
}

/** Removes the databases that were set aside, except the newest `kept`. */
export function removeDamaged(directory: string, kept: number): void {
  const gone = namesOfDamaged(directory).slice(0, kept === 0 ? undefined : -kept);
  for (const name of gone) {
    for (const suffix of ['', ...SIDECARS]) fs.rmSync(`${directory}/${name}${suffix}`, { force: true });
  }
}

/**
 * Renames state.db and the files beside it, if `isDamaged` still says so once no other process does the same. Throws
 * the system's or SQLite's own error.
 */
export function setAside(open: OpenSqlite, directory: string, isDamaged: () => boolean): void {
  alone(open, directory, () => {
    if (!isDamaged()) return;
    const name = `${directory}/${freeName(directory)}`;
    // The database goes last: a process that opens it meanwhile creates a new log, which is found without a database.
    for (const suffix of [...SIDECARS, '']) rename(`${directory}/state.db${suffix}`, `${name}${suffix}`);
    if (!fs.existsSync(name)) fs.writeFileSync(name, '', { mode: 0o600 });
    removeDamaged(directory, MAX_KEPT);
  });
}

/**
 * Reports whether the log beside a database is not one that SQLite wrote, or has lost its database. SQLite would drop
 * such a log, and the changes in it, without a word. Costs a stat where there is no log.
 */
export function hasStrayLog(directory: string): boolean {
  const log = `${directory}/state.db-wal`;
  // The order matters: a database that is being created has content before it has a log.
  const logSize = sizeOf(log);
  if (logSize === undefined || logSize === 0) return false;
  if (!sizeOf(`${directory}/state.db`)) return true;
  return logSize >= LOG_HEADER_BYTES && !hasLogHeader(log);
}

/** Checks the sum that SQLite keeps in the header of a log. */
function hasLogHeader(log: string): boolean {
  const header = new DataView(new ArrayBuffer(LOG_HEADER_BYTES)); // Faster than a Buffer in a process that just began.
  const fd = fs.openSync(log, 'r');
  try {
    if (fs.readSync(fd, header) < LOG_HEADER_BYTES) return true; // It was emptied meanwhile.
  } finally {
    fs.closeSync(fd);
  }
  const magic = header.getUint32(0);
  if (magic !== LOG_MAGIC && magic !== LOG_MAGIC + 1) return false;
  const isLittleEndian = magic === LOG_MAGIC;
  let [first, second] = [0, 0];
  for (let at = 0; at < 24; at += 8) {
    first = (first + header.getUint32(at, isLittleEndian) + second) >>> 0;
    second = (second + header.getUint32(at + 4, isLittleEndian) + first) >>> 0;
  }
  return first === header.getUint32(24) && second === header.getUint32(28);
}

/** Runs work while no other process is in it. SQLite's lock on an empty file ends with the process that holds it. */
function alone(open: OpenSqlite, directory: string, work: () => void): void {
  const mutex = open(`${directory}/state.db.lock`, { timeout: 10_000 });
  try {
    mutex.exec('BEGIN EXCLUSIVE');
    work();
  } finally {
    mutex.close();
  }
}

function freeName(directory: string): string {
  const used = new Set(namesIn(directory));
  for (let time = Date.now(); ; time++) {
    const name = `${PREFIX}${new Date(time).toISOString().replaceAll(':', '-')}`;
    if (!used.has(name)) return name;
  }
}

function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}

function rename(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function sizeOf(file: string): number | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false })?.size;
  } catch {
    return undefined; // The directory is a file, or closed to us. Opening the database says so.
  }
}
