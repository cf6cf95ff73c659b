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
export function openSqlite(file: string, options: BetterSqlite3.Options): Sqlite {
  const isNew = Number(process.versions['napi']) >= 10;
  try {
    return isNew ? open('better-sqlite3', file, options) : openOnNode20('better-sqlite3-node20', file, options);
  } catch (cause) {
    if ((cause as { code?: string }).code?.startsWith('SQLITE_')) throw cause;
    throw new ToolError('write_failed', 'undo is unavailable: the SQLite module better-sqlite3 cannot be loaded', {
      suggestion:
        'install jinn again with install scripts allowed (npm 12: npm install -g jinn --allow-scripts=better-sqlite3), or start it with --no-history to change files without undo',
      cause,
    });
  }
}

function open(name: string, file: string, options: BetterSqlite3.Options): Sqlite {
  return new (createRequire(import.meta.url)(name))(file, options);
}

/** Names the binary, which that version otherwise looks for in a dozen places. */
function openOnNode20(name: string, file: string, options: BetterSqlite3.Options): Sqlite {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return open(name, file, {
    ...options,
    nativeBinding: manifest.replace('package.json', 'build/Release/better_sqlite3.node'),
  });
}
