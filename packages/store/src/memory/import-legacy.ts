import fs from 'node:fs';
import { isObject } from '@jinn/core/text';
import { openToRead } from '@jinn/workspace';
import { type Connection, inTransaction } from '../sqlite.ts';
import { reasonOf } from '../state-fault.ts';
import { GLOBAL_SCOPE } from './find-scope.ts';
import type { MemoryDatabase } from './memory-database.ts';

const NAME = 'memory.json';
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_SHOWN = 3;

interface LegacyEntry {
  readonly key: string;
  readonly value: string;
  readonly updated: string;
}

type Legacy = ReturnType<typeof parse>;

/** Imports `memory.json` of older versions, once, and renames it. Returns a warning if it, or an entry, cannot be imported. */
export function importLegacy(directory: string, database: MemoryDatabase): string | undefined {
  const file = `${directory}/${NAME}`;
  let sha256: string;
  try {
    const bytes = read(file);
    if (!bytes) return undefined;
    const legacy = parse(bytes);
    sha256 = process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');
    insertOnce(database, sha256, legacy);
    if (legacy.rejected.length > 0) return describeRejected(legacy);
  } catch (error) {
    const reason = error instanceof UnreadableFile ? error.message : reasonOf(error, 'memory.db');
    return `${NAME} of an older jinn was not imported and was left in place: ${reason}`;
  }
  try {
    const backup = `${file}.migrated`;
    fs.renameSync(file, fs.existsSync(backup) ? `${backup}-${sha256.slice(0, 8)}` : backup);
  } catch (error) {
    if (isGone(error)) return undefined; // Another process was faster.
    return `${NAME} of an older jinn was imported, but cannot be renamed to ${NAME}.migrated`;
  }
  return undefined;
}

function describeRejected({ entries, rejected }: Legacy): string {
  const shown = rejected.slice(0, MAX_SHOWN).map((key) => JSON.stringify(key.slice(0, 60)));
  const more = rejected.length > MAX_SHOWN ? ', …' : '';
  const count = `${rejected.length} of its ${entries.length + rejected.length} entries`;
  return `${NAME} of an older jinn was left in place: ${count} have no text and were not imported: ${shown.join(', ')}${more}`;
}

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

class UnreadableFile extends Error {}

function read(file: string): Buffer | undefined {
  const fd = open(file);
  if (fd === undefined) return undefined;
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw new UnreadableFile('it is not a regular file');
    if (stat.size > MAX_BYTES) throw new UnreadableFile('it is larger than 64 MiB');
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function open(file: string): number | undefined {
  try {
    return openToRead(file, { followsLinks: true });
  } catch (error) {
    if (isGone(error)) return undefined;
    throw new UnreadableFile('it cannot be opened');
  }
}

// {"version":1,"entries":{KEY:{"value":…,"updated":…}}}
function parse(bytes: Buffer) {
  const { version = 1, entries } = toObject(decode(bytes));
  if (version !== 1) throw new UnreadableFile('its version is not 1');
  const parsed = Object.entries(toObject(entries)).map(([key, entry]) => ({ key, entry: toEntry(key, entry) }));
  return {
    entries: parsed.flatMap(({ entry }) => entry ?? []),
    rejected: parsed.filter(({ entry }) => entry === undefined).map(({ key }) => key),
  };
}

function toEntry(key: string, entry: unknown): LegacyEntry | undefined {
  const { value, updated } = isObject(entry) ? entry : {};
  if (typeof value !== 'string' || !value.isWellFormed() || !key.isWellFormed()) return undefined;
  return { key, value, updated: typeof updated === 'string' ? updated : new Date().toISOString() };
}

function decode(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new UnreadableFile('it is not JSON');
  }
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new UnreadableFile('it does not have the form that older jinns wrote');
}

// Every process finds a file that stays in place: once its import is recorded, none opens the database to write for it.
function insertOnce(database: MemoryDatabase, sha256: string, { entries, rejected }: Legacy): void {
  const isRecorded = () =>
    database.read((connection) => connection.sql('SELECT 1 FROM imports WHERE sha256 = ?').get(sha256) !== undefined);
  if (rejected.length > 0 && (entries.length === 0 || isRecorded())) return;
  insert(database.writer(), sha256, entries);
}

function insert(connection: Connection, sha256: string, entries: readonly LegacyEntry[]): void {
  inTransaction(connection.sqlite, () => {
    const recording = connection.sql('INSERT OR IGNORE INTO imports (sha256, imported) VALUES (?, ?)');
    if (recording.run(sha256, new Date().toISOString()).changes === 0) return;
    connection.sql('DELETE FROM memory WHERE expires <= ?').run(Date.now()); // An expired text must not keep a key from being imported.
    const add = connection.sql('INSERT OR IGNORE INTO memory (scope, key, value, updated) VALUES (?, ?, ?, ?)');
    for (const { key, value, updated } of entries) add.run(GLOBAL_SCOPE, key, value, updated);
  });
}
