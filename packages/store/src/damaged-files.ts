import fs from 'node:fs';
import type { OpenSqlite } from './load-sqlite.ts';

const PREFIX = 'state.db.damaged-';
/** Older ones are removed. */
const MAX_KEPT = 3;
/** SQLite's own files beside a database. */
const SIDECARS = ['-wal', '-shm'];
const LOG_HEADER_BYTES = 32;
const LOG_MAGIC = 0x377f0682;

/** The names of databases that were set aside, oldest first. */
export function namesOfDamaged(directory: string): string[] {
  return namesIn(directory)
    .filter((name) => name.startsWith(PREFIX) && !SIDECARS.some((suffix) => name.endsWith(suffix)))
    .sort();
}

/** Removes the databases that were set aside, but for the newest `kept`. */
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
 * True if the log beside a database is not one that SQLite wrote, or has lost its database. SQLite would drop such a
 * log, and the changes in it, without a word. Costs a stat where there is no log.
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
