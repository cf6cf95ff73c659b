import fs from 'node:fs';
import { migrate, type OpenSqlite, type Sqlite, schemaVersionOf } from './sqlite.ts';

/** Offsets in the header of a database that say whether it has a write-ahead log beside it. */
const LOG_FLAGS = [18, 19];

interface ReadOptions {
  readonly file: string;
  readonly timeout: number;
  readonly migrations: readonly string[];
}

interface OpenedToRead {
  readonly sqlite: Sqlite;
  /** True if the database is a copy in memory, which later changes of the file do not reach. */
  readonly isCopy: boolean;
}

/**
 * Opens an existing database without changing it. Reads a copy if the file must not be read in place: it has an older
 * schema, or its directory is read-only and SQLite cannot make the files beside it. Throws NewerSchema or SQLite's own error.
 */
export function openToRead(open: OpenSqlite, { file, timeout, migrations }: ReadOptions): OpenedToRead {
  let sqlite: Sqlite | undefined;
  try {
    sqlite = open(file, { readonly: true, timeout });
    if (schemaVersionOf(sqlite) === migrations.length) return { sqlite, isCopy: false };
    const bytes = sqlite.serialize();
    sqlite.close();
    return { sqlite: openCopy(open, bytes, migrations), isCopy: true };
  } catch (error) {
    sqlite?.close();
    if (!cannotOpenInPlace(error) || sizeOf(`${file}-wal`) > 0) throw error;
    return { sqlite: openCopy(open, fs.readFileSync(file), migrations), isCopy: true };
  }
}

function openCopy(open: OpenSqlite, bytes: Buffer, migrations: readonly string[]): Sqlite {
  if (bytes.length > 0) for (const offset of LOG_FLAGS) bytes[offset] = 1;
  const sqlite = open(bytes);
  migrate(sqlite, migrations);
  return sqlite;
}

function cannotOpenInPlace(error: unknown): boolean {
  return /^SQLITE_(CANTOPEN|READONLY)/.test((error as { code?: string }).code ?? '');
}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
