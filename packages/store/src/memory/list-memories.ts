import { isOneEditAway, MIN_MISSPELT } from '@jinn/errors';
import { type SQL, sql } from 'drizzle-orm';
import type { Sqlite } from '../sqlite.ts';
import { toDrizzle } from '../to-drizzle.ts';

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

/** Lists the keys of a scope, as Memory.list says. Its own module keeps saving and recalling from loading drizzle. */
export function listMemories(sqlite: Sqlite, scope: string, query: string | undefined): string[] {
  const db = toDrizzle(sqlite);
  const where = sql`memory.scope = ${scope} AND (memory.expires IS NULL OR memory.expires > ${Date.now()})`;
  const search = (words: readonly QueryWord[]) => db.all<{ key: string }>(toSearch(scope, words, where));
  if (query?.trim()) {
    const words = wordsOf(query);
    const found = search(words);
    const rows = found.length > 0 ? found : search(nearestWords(sqlite, scope, words));
    return rows.map(({ key }) => key);
  }
  const rows = db.all<{ key: string }>(sql`SELECT key FROM memory WHERE ${where} ORDER BY pinned DESC, key`);
  return rows.map(({ key }) => key);
}

/** Joins from the matches to the texts. Left to itself, SQLite would read all texts of the scope. */
function toSearch(scope: string, words: readonly QueryWord[], where: SQL): SQL {
  const found = sql.join([findByIndex(words), ...findByScan(scope, words)], sql` UNION ALL `);
  return sql`WITH found (id, score) AS MATERIALIZED (${found})
             SELECT memory.key FROM found CROSS JOIN memory ON memory.id = found.id WHERE ${where}
             GROUP BY memory.id ORDER BY sum(found.score), memory.key`;
}

/** The most texts whose words are compared with a misspelt one. */
const MOST_COMPARED = 5_000;

/**
 * Finds the words of a scope that differ in one letter from a word, or a part of one, of a query that found nothing.
 */
function nearestWords(sqlite: Sqlite, scope: string, words: readonly QueryWord[]): QueryWord[] {
  const misspelt = words
    .flatMap(({ word, parts }) => [word, ...parts])
    .filter((word) => word.length >= MIN_MISSPELT && word.length <= MAX_SCANNED_WORD);
  if (misspelt.length === 0) return [];
  const rows = sqlite.prepare(`SELECT key, value FROM memory WHERE scope = ? LIMIT ${MOST_COMPARED}`).all(scope);
  const known = new Set(
    (rows as { key: string; value: string }[]).flatMap(({ key, value }) =>
      wordsOf(`${key} ${value}`, Number.POSITIVE_INFINITY).flatMap(namesIn),
    ),
  );
  const nearest = [...known].filter((word) => misspelt.some((other) => isOneEditAway(word, other)));
  return nearest.slice(0, MAX_WORDS).map((word) => ({ word, parts: [] }));
}

/** Returns a word, its parts, and adjacent parts in pairs: WebSocket is in useWebSocket, written websocket too. */
function namesIn({ word, parts }: QueryWord): string[] {
  return [word, ...parts, ...parts.slice(1).map((part, i) => `${parts[i]}${part}`)];
}

/** A place inside a name such as useWebSocket where a word begins. */
const HUMP = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;

/** A word in lower case, either all CJK or without CJK, and the parts of a name such as useWebSocket. */
interface QueryWord {
  readonly word: string;
  readonly parts: readonly string[];
}

/** Returns the different words of a text. */
function wordsOf(text: string, most = MAX_WORDS): QueryWord[] {
  const words = new Map<string, QueryWord>();
  for (const name of (text.match(WORD) ?? []).flatMap((run) => run.match(ONE_SCRIPT) ?? [])) {
    const word = name.toLowerCase();
    const parts = HUMP.test(name) ? name.split(HUMP).map((part) => part.toLowerCase()) : [];
    if (!words.get(word)?.parts.length) words.set(word, { word, parts });
    if (words.size === most) break;
  }
  return [...words.values()];
}

/**
 * Makes the query that finds texts by the index. A lower score is better. A word of the key counts twice as much as one
 * of the value.
 */
function findByIndex(words: readonly QueryWord[]): SQL {
  return sql`SELECT rowid, bm25(memory_words, 2.0, 1.0) FROM memory_words WHERE memory_words MATCH ${toMatch(words)}`;
}

/**
 * Makes the query for FTS5: any of the words, whole words before prefixes; a name also by all of its parts together,
 * since one of them alone, such as `use`, says little. Each word is quoted and has only letters and digits, so that no
 * query is a syntax error. Without words it is a phrase that matches nothing.
 */
function toMatch(words: readonly QueryWord[]): string {
  const phrases = words.flatMap(({ word, parts }) => [
    `"${word}"`,
    ...(word.length < MIN_PREFIX ? [] : [`"${word}" *`]),
    ...(parts.length > 1 ? [`(${parts.map(startsWith).join(' AND ')})`] : []),
  ]);
  return phrases.join(' OR ') || '""';
}

function startsWith(part: string): string {
  return part.length < MIN_PREFIX ? `"${part}"` : `"${part}" *`;
}

/** Finds what FTS5 misses: to it, a run of CJK is one word, together with the Latin words inside, and so is useWebSocket. */
function findByScan(scope: string, words: readonly QueryWord[]): SQL[] {
  const tests = words.flatMap(({ word }) => (word >= '\u2e80' ? pairsOf(word).map(holds) : (holdsInRun(word) ?? [])));
  return tests.slice(0, MAX_SCANS).map((test) => sql`SELECT id, -1.0 FROM memory WHERE scope = ${scope} AND ${test}`);
}

/**
 * Makes the GLOB for a word inside a name, where it begins with a capital: `*[A-Za-z0-9]S[oO][cC][kK][eE][tT]*`;
 * undefined for a word that is not a plain ASCII name.
 */
function toHump(word: string): string | undefined {
  if (!/^[a-z][a-z0-9]*$/.test(word)) return undefined;
  const rest = [...word.slice(1)].map((char) => (/\d/.test(char) ? char : `[${char}${char.toUpperCase()}]`));
  return `*[A-Za-z0-9]${word.charAt(0).toUpperCase()}${rest.join('')}*`;
}

/** Returns all pairs of adjacent characters; the character itself if there is only one. */
function pairsOf(word: string): string[] {
  const characters = [...word];
  return characters.length === 1 ? characters : characters.slice(1).map((next, i) => `${characters[i]}${next}`);
}

function holds(text: string): SQL {
  return sql`instr(value, ${text})`;
}

/**
 * Makes the condition that a text has a word within a run of CJK or a name; undefined for a word that is too short or
 * too long. The cheap test goes first: few texts have the word at all.
 */
function holdsInRun(word: string): SQL | undefined {
  if (word.length < MIN_PREFIX || word.length > MAX_SCANNED_WORD) return undefined;
  const hump = toHump(word);
  const inName = hump ? sql`OR value GLOB ${hump} OR key GLOB ${hump}` : sql``;
  return sql`(value LIKE ${`%${word}%`} OR key LIKE ${`%${word}%`}) AND (lower(value) GLOB ${`*[${CJK}]${word}*`} ${inName})`;
}
