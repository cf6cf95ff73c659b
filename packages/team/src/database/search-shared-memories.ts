import { CJK, phrasesOf, type QueryWord, testsOf } from '@jinn/store/memory/query-words';
import type { Query } from '@jinn/store/statements';
import { type SQL, sql, toQuery } from '@jinn/store/to-query';

const WEIGHTS = '{0, 0, 0.5, 1}';
const NOTHING = "''";

/** Makes the query for the keys that have one of the words, best first. A phrase counts more the fewer texts have it. */
export function toSharedSearch(scope: string, words: readonly QueryWord[]): Query {
  const within = findWithin(words).map((test) => sql`UNION ALL SELECT key, 1 FROM texts WHERE ${test}`);
  return toQuery(sql`WITH
    texts AS MATERIALIZED (
      SELECT key, value, words FROM memory WHERE scope = ${scope} AND (expires IS NULL OR expires > ${Date.now()})
    ),
    asked AS MATERIALIZED (
      SELECT to_tsquery('jinn_words', text) AS phrase FROM jsonb_array_elements_text(${JSON.stringify(toPhrases(words))}::jsonb) AS text
    ),
    hits AS (SELECT key, phrase, ts_rank(${WEIGHTS}::real[], words, phrase) AS rank FROM texts JOIN asked ON words @@ phrase),
    rare AS (SELECT phrase, ln(1 + (SELECT count(*) FROM texts) / count(*)::real) AS weight FROM hits GROUP BY phrase),
    found AS (SELECT key, rank * weight AS score FROM hits JOIN rare USING (phrase) ${sql.join(within, sql` `)})
    SELECT key FROM found GROUP BY key ORDER BY sum(score) DESC, key`);
}

// Each word is quoted, so that no query is a syntax error.
function toPhrases(words: readonly QueryWord[]): string[] {
  const fit = words.filter(({ word }) => quote(word) !== NOTHING);
  return phrasesOf(fit, { word: quote, start: (word) => `${quote(word)}:*`, and: ' & ' });
}

// Without accents, as the texts are indexed.
function quote(word: string): string {
  return `'${word.normalize('NFD').replace(/\p{M}/gu, '')}'`;
}

function findWithin(words: readonly QueryWord[]): SQL[] {
  return testsOf(words, {
    characters: (text) => sql`strpos(value, ${text}) > 0`,
    within: (word, hump) => {
      const inName = hump ? sql` OR value ~ ${hump} OR key ~ ${hump}` : sql``;
      return sql`(value ILIKE ${`%${word}%`} OR key ILIKE ${`%${word}%`}) AND (value ~* ${`[${CJK}]${word}`}${inName})`;
    },
  });
}
