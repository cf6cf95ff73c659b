import type { Memory } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type Connection, inTransaction, loadSqlite, OtherSchema, runAll, SqliteMissing } from '../sqlite.ts';
import { reasonOf } from '../state-fault.ts';
import { ownedBy, placeOf } from '../state-owner.ts';
import type { Query } from '../statements.ts';
import { scopeFinder } from './find-scope.ts';
import { importLegacy } from './import-legacy.ts';
import { MemoryDatabase } from './memory-database.ts';
import { memoryOver } from './memory-over.ts';

/** Opens the user's memory in `memory.db` of the state directory. `root` is the real path of the workspace. */
export async function openMemory(directory: string | undefined, root: string, person = ''): Promise<Memory> {
  if (directory === undefined) {
    throw new ToolError('write_failed', 'memory is unavailable: there is no home directory', {
      suggestion: 'set JINN_CONFIG_DIR to a directory for what jinn keeps',
    });
  }
  let database: MemoryDatabase;
  try {
    database = new MemoryDatabase(directory, await loadSqlite());
  } catch (cause) {
    throw unavailable(cause);
  }
  const scopes = scopeFinder(directory, root);
  const warnings: string[] = [];
  let isFirst = true;
  const importOnce = () => {
    if (!isFirst) return;
    isFirst = false;
    const warning = importLegacy(directory, database);
    if (warning !== undefined) warnings.push(warning);
  };
  const explained = <T>(work: () => T): T => {
    importOnce();
    try {
      return work();
    } catch (cause) {
      throw unavailable(cause);
    }
  };
  const read = <T>(work: (connection: Connection) => T) => explained(() => database.read(work));
  const writeAll = async (queries: readonly Query[]) =>
    explained(() => {
      const connection = database.writer();
      return inTransaction(connection.sqlite, () => runAll(connection, queries));
    });
  return memoryOver({
    statements: {
      read: async (text, ...values) => read((connection) => connection.sql(text).all(...values)) ?? [],
      write: async (...query) => (await writeAll([query]))[0] as number,
      writeAll,
    },
    exists: () => explained(() => database.exists()),
    findScope: scopes.find,
    start: ownedBy(person, ''),
    nameOf: (scope) => ownedBy(person, scope),
    scopeOf: (name) => placeOf(person, name),
    search: async (name, words) => {
      const { searchMemories } = await import('./search-memories.ts');
      return read(({ sqlite }) => searchMemories(sqlite, name, words)) ?? [];
    },
    takeWarnings: () => [...scopes.takeWarnings(), ...warnings.splice(0), ...database.takeWarnings()],
  });
}

function unavailable(cause: unknown): ToolError {
  const [message, suggestion] = explain(cause);
  return new ToolError('write_failed', `memory is unavailable: ${message}`, { suggestion, cause });
}

function explain(fault: unknown): [message: string, suggestion: string] {
  if (fault instanceof SqliteMissing) return [fault.message, SqliteMissing.SUGGESTION];
  if (fault instanceof OtherSchema) {
    const advice = 'move memory.db away to start again';
    return [fault.reason('memory.db'), fault.isNewer ? `use that version of jinn, or ${advice}` : advice];
  }
  const isBusy = (fault as { code?: string }).code?.startsWith('SQLITE_BUSY');
  return [
    reasonOf(fault, 'memory.db'),
    isBusy
      ? 'try again in a moment'
      : 'tell the user: memory.db must be undamaged and its directory writable. JINN_CONFIG_DIR sets another directory',
  ];
}
