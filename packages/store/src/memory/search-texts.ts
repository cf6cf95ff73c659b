import type { MemoryEntry } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { createTables, loadSqlite, SqliteMissing } from '../sqlite.ts';
import { MEMORY_SCHEMA } from './memory-database.ts';
import { searchTexts } from './query-words.ts';
import { searchMemories } from './search-memories.ts';

const SCOPE = '';

/** Searches texts that no database has, by the rules of the memory of one user. Throws `write_failed` without SQLite. */
export async function searchOtherTexts(texts: readonly MemoryEntry[], query: string): Promise<readonly string[]> {
  const sqlite = await openInMemory();
  try {
    createTables(sqlite, MEMORY_SCHEMA);
    const insert = sqlite.prepare('INSERT INTO memory (scope, key, value, updated) VALUES (?, ?, ?, ?)');
    for (const { key, value, updated } of texts) insert.run(SCOPE, key, value, updated);
    return await searchTexts(query, {
      search: async (words) => searchMemories(sqlite, SCOPE, words),
      texts: async (most) => texts.slice(0, most),
    });
  } finally {
    sqlite.close();
  }
}

async function openInMemory() {
  try {
    return (await loadSqlite())(':memory:');
  } catch (cause) {
    const suggestion = SqliteMissing.SUGGESTION;
    throw new ToolError('write_failed', `texts cannot be searched: ${(cause as Error).message}`, { suggestion, cause });
  }
}
