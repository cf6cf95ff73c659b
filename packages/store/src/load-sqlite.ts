import { createRequire } from 'node:module';
import { ToolError } from '@jinn/core';
import type BetterSqlite3 from 'better-sqlite3';

export type Sqlite = BetterSqlite3.Database;
export type Statement = BetterSqlite3.Statement<unknown[]>;

/**
 * Opens a SQLite file with the build of better-sqlite3 that fits this Node. The one for N-API 10 crashes the process
 * on Node 20, which has 9, and no `catch` would see it: so the choice is made before anything is loaded.
 * Throws `write_failed` where none can be loaded, and SQLite's own error when the file cannot be opened.
 */
export async function openSqlite(file: string, options: BetterSqlite3.Options): Promise<Sqlite> {
  const { Driver, nativeBinding } = await loadDriver();
  return new Driver(file, { ...options, ...(nativeBinding && { nativeBinding }) });
}

interface Driver {
  readonly Driver: typeof BetterSqlite3;
  readonly nativeBinding?: string;
}

async function loadDriver(): Promise<Driver> {
  const require = createRequire(import.meta.url);
  try {
    if (Number(process.versions['napi']) >= 10) return { Driver: require('better-sqlite3') };
    // Its code is bundled, and its binary named: loading one by one and looking around takes longer than a change.
    const nativeBinding = require('better-sqlite3-node20/build/Release/better_sqlite3.node');
    return { Driver: (await import('better-sqlite3-node20')).default, nativeBinding };
  } catch (cause) {
    throw new ToolError('write_failed', 'undo is unavailable: the SQLite module better-sqlite3 cannot be loaded', {
      suggestion:
        'install jinn again with install scripts allowed (npm 12: npm install -g jinn --allow-scripts=better-sqlite3), or start it with --no-history to change files without undo',
      cause,
    });
  }
}
