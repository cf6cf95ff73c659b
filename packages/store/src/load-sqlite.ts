import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

export type Sqlite = BetterSqlite3.Database;
export type Statement = BetterSqlite3.Statement<unknown[]>;
/** Opens a SQLite file, or a copy of its bytes in memory. Throws SQLite's own error. */
export type OpenSqlite = (file: string | Buffer, options?: BetterSqlite3.Options) => Sqlite;

/** The native module is missing, or was not built. */
export class SqliteMissing extends Error {
  static readonly SUGGESTION =
    'install jinn again with install scripts allowed (npm 12: npm install -g jinn --allow-scripts=better-sqlite3)';
}

/**
 * Loads the build of better-sqlite3 that fits this Node. The build for N-API 10 crashes the process on Node 20, which
 * has N-API 9, and no `catch` sees that; so the choice is made before anything is loaded. Throws SqliteMissing.
 */
export async function loadSqlite(): Promise<OpenSqlite> {
  const { Driver, nativeBinding } = await loadDriver();
  return (file, options) => new Driver(file, { ...options, ...(nativeBinding && { nativeBinding }) });
}

interface Driver {
  readonly Driver: typeof BetterSqlite3;
  readonly nativeBinding?: string;
}

async function loadDriver(): Promise<Driver> {
  const require = createRequire(import.meta.url);
  try {
    if (Number(process.versions['napi']) >= 10) return { Driver: require('better-sqlite3') };
    // The code is bundled and the binary is named here: resolving the files one by one takes longer than a change.
    const nativeBinding = require('better-sqlite3-node20/build/Release/better_sqlite3.node');
    return { Driver: (await import('better-sqlite3-node20')).default, nativeBinding };
  } catch (cause) {
    throw new SqliteMissing('the SQLite module better-sqlite3 cannot be loaded', { cause });
  }
}
