import { ToolError } from '@jinn/errors';
import type { Memory, MemoryEntry, MemoryScope } from '@jinn/tool';
import { ownedBy, placeOf } from '../owned-by.ts';
import { type Connection, inTransaction, loadSqlite, NewerSchema, reasonOf, SqliteMissing } from '../sqlite.ts';
import { findScope } from './find-scope.ts';
import { importLegacy } from './import-legacy.ts';
import { MemoryDatabase } from './memory-database.ts';
import { readSharing } from './shared-worktrees.ts';

interface Row {
  readonly value: string;
  readonly updated: string;
  readonly expires: number | null;
  readonly pinned: number;
}

/** Opens a person's memory in `memory.db` of the state directory; `root` is the real path of the workspace. */
export async function openMemory(directory: string | undefined, root: string, person = ''): Promise<Memory> {
  if (directory === undefined) {
    throw new ToolError('write_failed', 'memory is unavailable: there is no home directory', {
      suggestion: 'set JINN_CONFIG_DIR to a directory for what jinn keeps',
    });
  }
  try {
    const database = new MemoryDatabase(directory, await loadSqlite());
    return new SqliteMemory(database, { directory, root, person });
  } catch (cause) {
    throw unavailable(cause);
  }
}

/** Plain SQL for what a one-shot call does: loading drizzle takes as long as the rest of the call. */
class SqliteMemory implements Memory {
  readonly #database: MemoryDatabase;
  readonly #directory: string;
  readonly #root: string;
  readonly #person: string;
  #isFirst = true;
  #warnings: string[] = [];

  constructor(
    database: MemoryDatabase,
    { directory, root, person }: { directory: string; root: string; person: string },
  ) {
    this.#database = database;
    this.#directory = directory;
    this.#root = root;
    this.#person = person;
  }

  findScope(given: string | undefined): string {
    // Settings at fault are told outside of worktrees too, where they are likely to be written.
    const { isOn, warning } = readSharing(this.#directory);
    if (warning !== undefined && !this.#warnings.includes(warning)) this.#warnings.push(warning);
    return findScope(this.#root, given, isOn);
  }

  save(scope: string, { key, value, pinned, expires }: Omit<MemoryEntry, 'updated'>): void {
    this.#write((connection) =>
      connection
        .sql(
          `INSERT INTO memory (scope, key, value, updated, expires, pinned) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (scope, key) DO UPDATE SET
             value = excluded.value, updated = excluded.updated, expires = excluded.expires, pinned = excluded.pinned`,
        )
        .run(this.#own(scope), key, value, now(), expires?.getTime() ?? null, Number(pinned)),
    );
  }

  recall(scope: string, key: string): MemoryEntry | undefined {
    const row = this.#read((connection) =>
      connection
        .sql(
          `SELECT value, updated, expires, pinned FROM memory
           WHERE scope = ? AND key = ? AND (expires IS NULL OR expires > ?)`,
        )
        .get(this.#own(scope), key, Date.now()),
    ) as Row | undefined;
    return row && toEntry(key, row);
  }

  forget(scope: string, key: string): boolean {
    this.#importOnce();
    if (!available(() => this.#database.exists())) return false; // Creates no database to delete from.
    return this.#write(
      (connection) =>
        connection.sql('DELETE FROM memory WHERE scope = ? AND key = ?').run(this.#own(scope), key).changes > 0,
    );
  }

  async list(scope: string, query: string | undefined): Promise<readonly string[]> {
    const { listMemories } = await import('./list-memories.ts');
    return this.#read(({ sqlite }) => listMemories(sqlite, this.#own(scope), query)) ?? [];
  }

  scopes(): readonly MemoryScope[] {
    const rows = this.#read((connection) =>
      connection
        .sql(
          `SELECT scope, count(*) AS count, max(updated) AS updated FROM memory
           WHERE expires IS NULL OR expires > ? GROUP BY scope ORDER BY scope`,
        )
        .all(Date.now()),
    );
    return ((rows as MemoryScope[] | undefined) ?? []).flatMap(({ scope, ...facts }) => {
      const place = placeOf(this.#person, scope);
      return place === undefined ? [] : [{ scope: place, ...facts }];
    });
  }

  move(source: string, target: string): { moved: number; kept: readonly string[] } {
    const [from, to] = [this.#own(source), this.#own(target)];
    this.#importOnce();
    if (from === to || !available(() => this.#database.exists())) return { moved: 0, kept: [] };
    return this.#write((connection) => {
      const { changes } = connection.sql('UPDATE OR IGNORE memory SET scope = ? WHERE scope = ?').run(to, from);
      const kept = connection.sql('SELECT key FROM memory WHERE scope = ? ORDER BY key').all(from) as { key: string }[];
      return { moved: changes, kept: kept.map(({ key }) => key) };
    });
  }

  takeWarnings(): readonly string[] {
    const warnings = [...this.#warnings, ...this.#database.takeWarnings()];
    this.#warnings = [];
    return warnings;
  }

  #read<T>(work: (connection: Connection) => T): T | undefined {
    this.#importOnce();
    return available(() => this.#database.read(work));
  }

  /** Runs work in a transaction that may write from its start, so that processes wait for each other. Removes expired texts. */
  #write<T>(work: (connection: Connection) => T): T {
    this.#importOnce();
    return available(() => {
      const connection = this.#database.writer();
      return inTransaction(connection.sqlite, () => {
        connection.sql('DELETE FROM memory WHERE expires <= ?').run(Date.now());
        return work(connection);
      });
    });
  }

  #own(scope: string): string {
    return ownedBy(this.#person, scope);
  }

  #importOnce(): void {
    if (!this.#isFirst) return;
    this.#isFirst = false;
    const warning = importLegacy(this.#directory, this.#database);
    if (warning !== undefined) this.#warnings.push(warning);
  }
}

function toEntry(key: string, { value, updated, expires, pinned }: Row): MemoryEntry {
  return { key, value, updated, pinned: pinned !== 0, expires: expires === null ? undefined : new Date(expires) };
}

/** Returns the time as RFC 3339, to the second, as older versions write it. */
function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}

function available<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw unavailable(cause);
  }
}

function unavailable(cause: unknown): ToolError {
  const [message, suggestion] = explain(cause);
  return new ToolError('write_failed', `memory is unavailable: ${message}`, { suggestion, cause });
}

function explain(fault: unknown): [message: string, suggestion: string] {
  if (fault instanceof SqliteMissing) return [fault.message, SqliteMissing.SUGGESTION];
  if (fault instanceof NewerSchema) {
    return ['memory.db was written by a newer jinn', 'use that version of jinn, or move memory.db away to begin anew'];
  }
  const isBusy = (fault as { code?: string }).code?.startsWith('SQLITE_BUSY');
  return [
    reasonOf(fault, 'memory.db'),
    isBusy
      ? 'try again in a moment'
      : 'tell the user: memory.db must be whole and its directory writable; JINN_CONFIG_DIR names another directory',
  ];
}
