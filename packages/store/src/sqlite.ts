import fs from 'node:fs';
import path from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import type { OpenSqlite, Sqlite, Statement } from './node-sqlite.ts';
import type { Query } from './statements.ts';

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
    return `${(error as Error).message}: no undo, no memory, and no answer is remembered. ${SqliteMissing.SUGGESTION}`;
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

/** Runs statements, and returns how many rows each changed. */
export function runAll(connection: Connection, queries: readonly Query[]): number[] {
  return queries.map(([text, ...values]) => connection.sql(text).run(...values).changes);
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

function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** The most that deleting 200 MB of snapshots adds to the log: the pages that list the free ones. */
const RESERVE_BYTES = 1024 * 1024;
const PREFIX = 'state.db.damaged-';
const MAX_KEPT = 3;
const SIDECARS = ['-wal', '-shm'];
const LOG_HEADER_BYTES = 32;
const LOG_MAGIC = 0x377f0682;
const FRAME_HEADER_BYTES = 24;
const MAX_LOG_BYTES = 64 * 1024 * 1024;
/** After how long a log with a cut is read again: another process may be in the middle of a write. */
const AGAIN_MS = 50;

/** Creates an empty private file, unless it exists. SQLite would choose the mode by the umask, for its log too. */
export function makePrivateFile(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Closes a file to others, by name: closing a descriptor would drop the locks that SQLite holds on the file. */
export function keepPrivate(file: string, mode: number): void {
  try {
    if ((fs.statSync(file).mode & 0o077) !== 0) fs.chmodSync(file, mode);
  } catch {
    // Some file systems have no modes.
  }
}

/** Makes a file that only takes space. On a full disk, removing it gives SQLite the space to delete rows. */
export function makeReserve(directory: string): void {
  try {
    // A file system might compress zeros.
    const noise = new Uint32Array(RESERVE_BYTES / 4).map(() => Math.random() * 2 ** 32);
    fs.writeFileSync(reserveIn(directory), noise, { flag: 'wx', mode: 0o600 });
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

/** Renames state.db and its logs, if it is damaged while no other process does the same. Throws the system's or SQLite's own error. */
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

/** Reports whether SQLite did not write the log, or its database is gone. SQLite would silently drop it. Costs a stat without a log. */
export function hasStrayLog(directory: string): boolean {
  const log = `${directory}/state.db-wal`;
  // The order matters: a database that is being created has content before it has a log.
  const logSize = sizeOf(log);
  if (logSize === undefined || logSize === 0) return false;
  if (!sizeOf(`${directory}/state.db`)) return true;
  return logSize >= LOG_HEADER_BYTES && !hasLogHeader(log);
}

function hasLogHeader(log: string): boolean {
  const header = new DataView(new ArrayBuffer(LOG_HEADER_BYTES)); // Faster than a Buffer in a process that just started.
  const fd = fs.openSync(log, 'r');
  try {
    if (fs.readSync(fd, header) < LOG_HEADER_BYTES) return true; // It was emptied meanwhile.
  } finally {
    fs.closeSync(fd);
  }
  return sumsOf(header) !== undefined;
}

function sumsOf(log: DataView): Sums | undefined {
  const magic = log.getUint32(0);
  const sums = new Sums(log, magic === LOG_MAGIC);
  sums.add(0, 24);
  return (magic === LOG_MAGIC || magic === LOG_MAGIC + 1) && sums.areAt(24) ? sums : undefined;
}

// SQLite's lock on an empty file ends with the process that holds it.
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
    return undefined; // The directory is a file, or closed to us. Opening the database reports it.
  }
}

/** Reports whether a log lost changes: SQLite ignores all frames from the first wrong one. Costs a stat without a log. */
export function isLogCut(log: string): boolean {
  const first = findCut(log);
  if (first === undefined) return false;
  sleepSync(AGAIN_MS);
  return findCut(log) === first;
}

// The number of the first frame that is wrong although a later commit belongs to the same log.
function findCut(log: string): number | undefined {
  const bytes = readLog(log);
  if (bytes === undefined || bytes.length < LOG_HEADER_BYTES) return undefined;
  const sums = sumsOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
  const pageSize = bytes.readUInt32BE(8);
  const isPageSize = pageSize >= 512 && pageSize <= 65_536 && (pageSize & (pageSize - 1)) === 0;
  if (sums === undefined || !isPageSize) return 0;
  const frameBytes = FRAME_HEADER_BYTES + pageSize;
  const count = Math.floor((bytes.length - LOG_HEADER_BYTES) / frameBytes);
  const startOf = (frame: number) => LOG_HEADER_BYTES + frame * frameBytes;
  const isOfThisLog = (frame: number) =>
    bytes.subarray(16, 24).equals(bytes.subarray(startOf(frame) + 8, startOf(frame) + 16));
  // The rest of a transaction that was rolled back has no commit, and no one misses it.
  const isCommit = (frame: number) => bytes.readUInt32BE(startOf(frame) + 4) !== 0;
  for (let frame = 0; frame < count; frame++) {
    const at = startOf(frame);
    sums.add(at, 8);
    sums.add(at + FRAME_HEADER_BYTES, pageSize);
    if (isOfThisLog(frame) && sums.areAt(at + 16)) continue;
    for (let later = frame + 1; later < count; later++) if (isOfThisLog(later) && isCommit(later)) return frame + 1;
    return undefined;
  }
  return undefined;
}

function readLog(log: string): Buffer | undefined {
  try {
    const stat = fs.statSync(log, { throwIfNoEntry: false });
    return stat?.isFile() && stat.size <= MAX_LOG_BYTES ? fs.readFileSync(log) : undefined;
  } catch {
    return undefined; // Opening the database reports what is wrong.
  }
}

/** The two running sums of a log. The sums of each frame continue those of the one before. */
class Sums {
  readonly #bytes: DataView;
  readonly #words: Uint32Array;
  #first = 0;
  #second = 0;

  constructor(bytes: DataView, isLittleEndian: boolean) {
    this.#bytes = bytes;
    this.#words = new Uint32Array(bytes.byteLength >> 2);
    const copy = Buffer.from(this.#words.buffer);
    copy.set(new Uint8Array(bytes.buffer, bytes.byteOffset, copy.length));
    if (!isLittleEndian) copy.swap32();
  }

  add(start: number, length: number): void {
    const words = this.#words;
    const end = (start + length) >> 2;
    let [first, second] = [this.#first, this.#second];
    for (let at = start >> 2; at < end; at += 2) {
      first = (first + (words[at] as number) + second) | 0;
      second = (second + (words[at + 1] as number) + first) | 0;
    }
    [this.#first, this.#second] = [first, second];
  }

  areAt(at: number): boolean {
    return this.#bytes.getInt32(at) === this.#first && this.#bytes.getInt32(at + 4) === this.#second;
  }
}

interface OpenConnection {
  readonly connection: Connection;
  readonly inode: number;
  readonly isWritable: boolean;
}

/** A file of SQLite, whose connection is kept as long as the file is the same. */
export abstract class DatabaseFile {
  protected readonly file: string;
  protected readonly open: OpenSqlite;
  protected kept: OpenConnection | undefined;
  protected readonly warnings: string[] = [];

  constructor(file: string, open: OpenSqlite) {
    this.file = file;
    this.open = open;
  }

  takeWarnings(): readonly string[] {
    return this.warnings.splice(0);
  }

  protected drop(): void {
    this.kept?.connection.close();
    this.kept = undefined;
  }

  /** Drops the connection if its file is gone, or another one, and reports whether it did. */
  protected dropIfReplaced(): boolean {
    if (this.kept === undefined || this.kept.inode === this.stat()?.ino) return false;
    this.drop();
    return true;
  }

  protected warnIfLogCut(warning: string): void {
    if (isLogCut(`${this.file}-wal`)) this.warnings.push(warning);
  }

  /** Returns undefined if there is no file. Throws if it is not a regular one: SQLite would wait for the writer of a FIFO. */
  protected stat(): fs.Stats | undefined {
    let stat: fs.Stats | undefined;
    try {
      stat = fs.statSync(this.file, { throwIfNoEntry: false });
    } catch (error) {
      // A home such as /dev/null has no files.
      if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error;
    }
    if (stat && !stat.isFile()) throw new Error(`${path.basename(this.file)} is not a regular file`);
    return stat;
  }
}
