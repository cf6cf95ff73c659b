import type { ContextIndex, IndexedEntry } from './context-index.ts';
import { spaced, termsOf } from './terms.ts';

/** The usual constants of BM25: how soon a term that is repeated adds nothing, and how much a long entry is discounted. */
const K1 = 1.2;
const B = 0.5;
/** For an entry whose whole name stands in the query. */
const NAME_BONUS = 1.25;
const MAX_QUERY = 65_536;
const MAX_TERMS = 300;

export interface Ranked {
  readonly entry: IndexedEntry;
  readonly score: number;
  /** The words of the query that it has, sorted. */
  readonly matched: readonly string[];
}

export interface RankOptions {
  readonly limit: number;
  isWanted(entry: IndexedEntry): boolean;
}

/**
 * The entries that a query is about, best first: by BM25, times 1.25 for one whose whole name the query holds
 * (docs/related-context.md). Entries without a word of it are left out; equal ones are in the order of their paths.
 */
export function rankContext(index: ContextIndex, query: string, { limit, isWanted }: RankOptions): Ranked[] {
  const text = query.slice(0, MAX_QUERY);
  const terms = queryTerms(index, text);
  const scores = new Map<number, number>();
  for (const { postings } of terms) addScores(index, postings, scores);
  const names = spaced(text);
  const found: { at: number; entry: IndexedEntry; score: number }[] = [];
  for (const [at, score] of scores) {
    const entry = index.entries[at];
    if (!entry || !isWanted(entry)) continue;
    found.push({ at, entry, score: names.includes(spaced(entry.name)) ? score * NAME_BONUS : score });
  }
  found.sort((a, b) => b.score - a.score || compare(a.entry.name, b.entry.name) || compare(a.entry.path, b.entry.path));
  return found.slice(0, limit).map(({ at, entry, score }) => ({
    entry,
    score: Math.round(score * 1000) / 1000,
    matched: terms.filter(({ postings }) => has(postings, at)).map(({ word }) => word),
  }));
}

interface QueryTerm {
  readonly word: string;
  readonly postings: readonly number[];
}

/** Each term that some entry has, by the word that brought it in first. */
function queryTerms({ postings }: ContextIndex, text: string): QueryTerm[] {
  const words = new Map<string, string>();
  for (const { term, word } of termsOf(text)) {
    if (!words.has(term) && Object.hasOwn(postings, term)) words.set(term, word);
    if (words.size === MAX_TERMS) break;
  }
  const terms = [...words].map(([term, word]) => ({ word, postings: postings[term] ?? [] }));
  return terms.sort((a, b) => compare(a.word, b.word));
}

function addScores({ entries, averageLength }: ContextIndex, postings: readonly number[], scores: Map<number, number>) {
  const count = postings.length / 2;
  const rarity = Math.log(1 + (entries.length - count + 0.5) / (count + 0.5));
  for (let i = 0; i < postings.length; i += 2) {
    const at = postings[i] as number;
    const weight = postings[i + 1] as number;
    const long = 1 - B + (B * (entries[at]?.length ?? 0)) / averageLength;
    scores.set(at, (scores.get(at) ?? 0) + (rarity * weight * (K1 + 1)) / (weight + K1 * long));
  }
}

function has(postings: readonly number[], at: number): boolean {
  for (let i = 0; i < postings.length; i += 2) if (postings[i] === at) return true;
  return false;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
