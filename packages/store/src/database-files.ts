import fs from 'node:fs';
import type { OpenSqlite } from './sqlite.ts';

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
