import { and, asc, desc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import { memories } from './memories.ts';
import type { Sqlite } from './sqlite.ts';
import { toDrizzle } from './to-drizzle.ts';

/** Further words of a query are ignored. */
const MAX_WORDS = 50;
/** A shorter word is not looked for as a prefix: it would match too many words. */
const MIN_PREFIX = 3;
const WORD = /[\p{L}\p{M}\p{N}\p{Co}]+/gu;
/** Characters that are written without blanks, as in Chinese and Japanese; fits regular expressions and GLOB. */
const CJK = '\u2e80-\u{10ffff}';
const ONE_SCRIPT = new RegExp(`[${CJK}]+|[^${CJK}]+`, 'gu');
/** The most searches without the index; each reads all texts of the scope. */
const MAX_SCANS = 20;
const MAX_SCANNED_WORD = 128;

/** The keys of a scope, as Memory.list says. A module of its own, since saving and recalling do not need drizzle. */
export function listMemories(sqlite: Sqlite, scope: string, query: string | undefined): string[] {
  const db = toDrizzle(sqlite);
  const isAlive = or(isNull(memories.expires), gt(memories.expires, new Date()));
  const where = and(eq(memories.scope, scope), isAlive);
  const rows = query?.trim()
    ? db.all<{ key: string }>(toSearch(scope, query, where))
    : db
        .select({ key: memories.key })
        .from(memories)
        .where(where)
        .orderBy(desc(memories.pinned), asc(memories.key))
        .all();
  return rows.map(({ key }) => key);
}

/** Joins from the matches to the texts. Left to itself, SQLite would read all texts of the scope. */
function toSearch(scope: string, query: string, where: SQL | undefined): SQL {
  const words = wordsOf(query);
  const found = sql.join([findByIndex(words), ...findByScan(scope, words)], sql` UNION ALL `);
  return sql`WITH found (id, score) AS MATERIALIZED (${found})
             SELECT ${memories.key} FROM found CROSS JOIN ${memories} ON ${memories.id} = found.id WHERE ${where}
             GROUP BY ${memories.id} ORDER BY sum(found.score), ${memories.key}`;
}

/** The different words of a query in lower case. A word is either all CJK or without CJK. */
function wordsOf(query: string): string[] {
  const words = query.toLowerCase().match(WORD) ?? [];
  return [...new Set(words.flatMap((word) => word.match(ONE_SCRIPT) ?? []))].slice(0, MAX_WORDS);
}

/** A lower score is better. A word of the key counts twice as much as one of the value. */
function findByIndex(words: readonly string[]): SQL {
  return sql`SELECT rowid, bm25(memory_words, 2.0, 1.0) FROM memory_words WHERE memory_words MATCH ${toMatch(words)}`;
}

/**
 * The query for FTS5: any of the words, whole words before prefixes. Each word is quoted and has only letters and
 * digits, so that no query is a syntax error. Without words it is a phrase that matches nothing.
 */
function toMatch(words: readonly string[]): string {
  const phrases = words.map((word) => (word.length < MIN_PREFIX ? `"${word}"` : `"${word}" OR "${word}" *`));
  return phrases.join(' OR ') || '""';
}

/** Finds what FTS5 misses: to FTS5, a run of CJK is one word, together with the Latin words inside it. */
function findByScan(scope: string, words: readonly string[]): SQL[] {
  const tests = words.flatMap((word) => (word >= '\u2e80' ? pairsOf(word).map(holds) : (holdsInRun(word) ?? [])));
  return tests.slice(0, MAX_SCANS).map((test) => sql`SELECT id, -1.0 FROM memory WHERE scope = ${scope} AND ${test}`);
}

/** All pairs of adjacent characters; the character itself if there is only one. */
function pairsOf(word: string): string[] {
  const characters = [...word];
  return characters.length === 1 ? characters : characters.slice(1).map((next, i) => `${characters[i]}${next}`);
}

function holds(text: string): SQL {
  return sql`instr(value, ${text})`;
}

/** The cheap test goes first: few texts have the word at all. */
function holdsInRun(word: string): SQL | undefined {
  if (word.length < MIN_PREFIX || word.length > MAX_SCANNED_WORD) return undefined;
  return sql`value LIKE ${`%${word}%`} AND lower(value) GLOB ${`*[${CJK}]${word}*`}`;
}
