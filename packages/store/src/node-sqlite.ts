import fs from 'node:fs';
import os from 'node:os';

export interface Statement {
  run(...values: unknown[]): { readonly changes: number };
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  iterate(...values: unknown[]): Iterable<unknown>;
}

/** The part of better-sqlite3 that jinn uses. An error has SQLite's name as `code`, such as SQLITE_BUSY. */
export interface Sqlite {
  readonly inTransaction: boolean;
  exec(text: string): unknown;
  prepare(text: string): Statement;
  pragma(text: string, options?: { readonly simple?: boolean }): unknown;
  serialize(): Buffer;
  close(): unknown;
}

export interface SqliteOptions {
  readonly readonly?: boolean;
  readonly timeout?: number;
}

/** Opens a SQLite file, or a copy of its bytes. Throws SQLite's own error. */
export type OpenSqlite = (file: string | Buffer, options?: SqliteOptions) => Sqlite;

interface Module {
  readonly DatabaseSync: new (path: string, options: { readonly readOnly: boolean }) => NativeDatabase;
}

interface NativeDatabase {
  exec(text: string): void;
  prepare(text: string): NativeStatement;
  close(): void;
}

interface NativeStatement {
  run(...values: unknown[]): { readonly changes: number | bigint };
  get(...values: unknown[]): object | undefined;
  all(...values: unknown[]): object[];
}

const NAMES: Readonly<Record<number, string>> = {
  1: 'ERROR',
  5: 'BUSY',
  6: 'LOCKED',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  19: 'CONSTRAINT',
  26: 'NOTADB',
};
/** SQLite cannot open, extend, lock or map the shared memory next to a database: SQLITE_IOERR_SHMOPEN and its like. */
const SHARED_MEMORY = [4618, 4874, 5130, 5386];

/** Returns a function that opens databases with the SQLite of Node, or undefined if Node has none, as before 22.13. */
export function openerOfNode(): OpenSqlite | undefined {
  const sqlite = quietly(() => process.getBuiltinModule('node:sqlite') as Module | undefined);
  if (sqlite === undefined) return undefined;
  return (file, options) => new NodeDatabase(sqlite, file, options);
}

// Node warns that the module is experimental.
function quietly<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

class NodeDatabase implements Sqlite {
  readonly #database: NativeDatabase;
  readonly #copy: string | undefined;

  constructor(
    { DatabaseSync }: Module,
    file: string | Buffer,
    { readonly: readOnly = false, timeout = 0 }: SqliteOptions = {},
  ) {
    this.#copy = typeof file === 'string' ? undefined : fs.mkdtempSync(`${os.tmpdir()}/jinn-sqlite-`);
    const path = typeof file === 'string' ? file : writeCopy(`${this.#copy}/copy.db`, file);
    this.#database = translated(() => new DatabaseSync(path, { readOnly }));
    this.exec(`PRAGMA busy_timeout = ${timeout}`);
  }

  get inTransaction(): boolean {
    try {
      this.#database.exec('BEGIN');
    } catch {
      return true; // SQLite refuses a transaction in a transaction.
    }
    this.#database.exec('ROLLBACK');
    return false;
  }

  exec(text: string): void {
    translated(() => this.#database.exec(text));
  }

  prepare(text: string): Statement {
    return new NodeStatement(translated(() => this.#database.prepare(text)));
  }

  pragma(text: string, { simple = false } = {}): unknown {
    const rows = this.prepare(`PRAGMA ${text}`).all() as object[];
    return simple ? Object.values(rows[0] ?? {})[0] : rows;
  }

  /** Returns the bytes of a copy that SQLite writes: Node has no function for it. */
  serialize(): Buffer {
    const directory = fs.mkdtempSync(`${os.tmpdir()}/jinn-sqlite-`);
    try {
      this.prepare('VACUUM INTO ?').run(`${directory}/copy.db`);
      return fs.readFileSync(`${directory}/copy.db`);
    } finally {
      fs.rmSync(directory, { recursive: true, force: true });
    }
  }

  close(): void {
    this.#database.close();
    if (this.#copy !== undefined) fs.rmSync(this.#copy, { recursive: true, force: true });
  }
}

function writeCopy(path: string, bytes: Buffer): string {
  fs.writeFileSync(path, bytes, { mode: 0o600 });
  return path;
}

class NodeStatement implements Statement {
  readonly #statement: NativeStatement;

  constructor(statement: NativeStatement) {
    this.#statement = statement;
  }

  run(...values: unknown[]): { readonly changes: number } {
    const { changes } = translated(() => this.#statement.run(...values));
    return { changes: Number(changes) };
  }

  get(...values: unknown[]): unknown {
    const row = translated(() => this.#statement.get(...values));
    return row && withBuffers(row);
  }

  all(...values: unknown[]): unknown[] {
    return translated(() => this.#statement.all(...values)).map(withBuffers);
  }

  iterate(...values: unknown[]): Iterable<unknown> {
    return this.all(...values);
  }
}

function withBuffers(row: object): object {
  const entries = Object.entries(row);
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length) : value,
    ]),
  );
}

function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { errcode } = error as { errcode?: number };
    if (errcode === undefined) throw error;
    const name = SHARED_MEMORY.includes(errcode) ? 'IOERR_SHM' : NAMES[errcode & 0xff];
    throw Object.assign(error as Error, { code: name === undefined ? 'SQLITE' : `SQLITE_${name}` });
  }
}
