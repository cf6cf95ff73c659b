import type { Sqlite } from '../node-sqlite.ts';
import { toKeys } from '../statements.ts';
import { type SQL, sql, toQuery } from '../to-query.ts';
import { CJK, phrasesOf, type QueryWord, testsOf } from './query-words.ts';

/** Returns the keys of a scope that have one of the words, best first. Its own module keeps saving and recalling from loading drizzle. */
export function searchMemories(sqlite: Sqlite, scope: string, words: readonly QueryWord[]): string[] {
  const where = sql`memory.scope = ${scope} AND (memory.expires IS NULL OR memory.expires > ${Date.now()})`;
  const [text, ...values] = toQuery(toSearch(scope, words, where));
  return toKeys(sqlite.prepare(text).all(...values));
}

// Joins from the matches to the texts: SQLite by itself would read all texts of the scope.
function toSearch(scope: string, words: readonly QueryWord[], where: SQL): SQL {
  const found = sql.join([findByIndex(words), ...findByScan(scope, words)], sql` UNION ALL `);
  return sql`WITH found (id, score) AS MATERIALIZED (${found})
             SELECT memory.key FROM found CROSS JOIN memory ON memory.id = found.id WHERE ${where}
             GROUP BY memory.id ORDER BY sum(found.score), memory.key`;
}

// A lower score is better. A word of the key counts twice as much as one of the value.
function findByIndex(words: readonly QueryWord[]): SQL {
  return sql`SELECT rowid, bm25(memory_words, 2.0, 1.0) FROM memory_words WHERE memory_words MATCH ${toMatch(words)}`;
}

// Each word is quoted, so that no query is a syntax error. Without words it is a phrase that matches nothing.
function toMatch(words: readonly QueryWord[]): string {
  const word = (text: string) => `"${text}"`;
  const phrases = phrasesOf(words, { word, start: (text) => `"${text}" *`, and: ' AND ' });
  return phrases.map((phrase) => `(${phrase})`).join(' OR ') || '""';
}

// Finds texts that FTS5 misses. The cheap test goes first: few texts have the word at all.
function findByScan(scope: string, words: readonly QueryWord[]): SQL[] {
  const tests = testsOf(words, {
    characters: (text) => sql`instr(value, ${text})`,
    within: (word, hump) => {
      const inName = hump ? sql`OR value GLOB ${`*${hump}*`} OR key GLOB ${`*${hump}*`}` : sql``;
      return sql`(value LIKE ${`%${word}%`} OR key LIKE ${`%${word}%`}) AND (lower(value) GLOB ${`*[${CJK}]${word}*`} ${inName})`;
    },
  });
  return tests.map((test) => sql`SELECT id, -1.0 FROM memory WHERE scope = ${scope} AND ${test}`);
}
