import { and, asc, desc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Sqlite } from './load-sqlite.ts';
import { memories } from './memories.ts';
import { toDrizzle } from './to-drizzle.ts';

/** Words of a query beyond these are not looked for. */
const MAX_WORDS = 50;
/** Shorter words would begin too many others. */
const MIN_PREFIX = 3;
const WORD = /[\p{L}\p{M}\p{N}\p{Co}]+/gu;

/** The keys of a scope, as Memory.list says. Kept apart from saving and recalling, which need no drizzle. */
export function listMemories(sqlite: Sqlite, scope: string, query: string | undefined): string[] {
  const db = toDrizzle(sqlite);
  const isAlive = or(isNull(memories.expires), gt(memories.expires, new Date()));
  const where = and(eq(memories.scope, scope), isAlive);
  const keys = db.select({ key: memories.key }).from(memories);
  if (!query?.trim()) {
    const rows = keys.where(where).orderBy(desc(memories.pinned), asc(memories.key)).all();
    return rows.map(({ key }) => key);
  }
  const words = query.match(WORD);
  if (!words) return [];
  const rows = keys
    .innerJoin(sql`memory_words`, sql`memory_words.rowid = ${memories.id}`)
    .where(and(where, sql`memory_words MATCH ${toMatch(words)}`))
    .orderBy(byRelevance(), asc(memories.key))
    .all();
  return rows.map(({ key }) => key);
}

/** A word of the key counts twice as much as one of the value. */
function byRelevance(): SQL {
  return sql`bm25(memory_words, 2.0, 1.0)`;
}

/**
 * What FTS5 is asked for: any of the words, whole ones before those that only begin so. Each is quoted, and holds
 * nothing but letters and digits, so that no query is a fault of syntax.
 */
function toMatch(words: readonly string[]): string {
  const distinct = [...new Set(words.map((word) => word.toLowerCase()))].slice(0, MAX_WORDS);
  return distinct.map((word) => (word.length < MIN_PREFIX ? `"${word}"` : `"${word}" OR "${word}" *`)).join(' OR ');
}
