import { createRequire } from 'node:module';
import { ToolError } from '@jinn/core';
import type BetterSqlite3 from 'better-sqlite3';

export type Sqlite = BetterSqlite3.Database;

/**
 * Opens a SQLite file with the build of better-sqlite3 that fits this Node. The one for N-API 10 crashes the process
 * on Node 20, which has 9, and no `catch` would see it: so the choice is made before anything is loaded.
 * Throws `write_failed` where none can be loaded.
 */
export function openSqlite(file: string, options: BetterSqlite3.Options): Sqlite {
  const name = Number(process.versions['napi']) >= 10 ? 'better-sqlite3' : 'better-sqlite3-node20';
  return new (loadDriver(name))(file, options);
}

function loadDriver(name: string): new (file: string, options: BetterSqlite3.Options) => Sqlite {
  try {
    return createRequire(import.meta.url)(name);
  } catch (cause) {
    throw new ToolError('write_failed', `undo is unavailable: ${name} cannot be loaded`, {
      suggestion:
        'install jinn again with build scripts allowed (npm install -g jinn --allow-scripts), or start it with --no-history to change files without undo',
      cause,
    });
  }
}
