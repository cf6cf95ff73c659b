import type { ContextIndex } from './context-index.ts';
import { spaced, termsOf } from './terms.ts';

/** The usual constants of BM25: how soon a term that is repeated adds nothing, and how much a long entry is discounted. */
const K1 = 1.2;
const B = 0.5;
/** For an entry whose whole name stands in the query. */
const NAME_BONUS = 1.25;
const MAX_QUERY = 65_536;
const MAX_TERMS = 300;

export interface Ranked {
  /** The place of the entry in the index. */
  readonly at: number;
  readonly score: number;
  /** The words of the query that it has, sorted. */
  readonly matched: readonly string[];
}

export interface RankOptions {
  readonly limit: number;
  /** Whether entries of this source may be among the results. */
  isWanted(source: number): boolean;
}

/**
 * The entries that a query is about, best first: by BM25, times 1.25 for one whose whole name the query holds
 * (docs/related-context.md). Entries without a word of it are left out; equal ones are in the order of their names.
 */
export function rankContext(index: ContextIndex, query: string, { limit, isWanted }: RankOptions): Ranked[] {
  const text = query.slice(0, MAX_QUERY);
  const terms = queryTerms(index, text);
  const scores = new Float64Array(index.entries.source.length);
  for (const { postings } of terms) addScores(index, postings, scores);
  const words = spaced(text);
  const best: { at: number; score: number }[] = [];
  const { source, words: names } = index.entries;
  for (let at = 0; at < scores.length; at++) {
    const plain = scores[at] as number;
    if (plain === 0 || !isWanted(source[at] as number)) continue;
    const score = words.includes(names[at] as string) ? plain * NAME_BONUS : plain;
    const last = best[limit - 1];
    if (last && score < last.score) continue;
    const place = best.findIndex((other) => goesBefore(index, { at, score }, other));
    best.splice(place < 0 ? best.length : place, 0, { at, score });
    if (best.length > limit) best.pop();
  }
  return best.map(({ at, score }) => ({
    at,
    score: Math.round(score * 1000) / 1000,
    matched: terms.filter(({ postings }) => has(postings, at)).map(({ word }) => word),
  }));
}

interface QueryTerm {
  readonly word: string;
  /** Entries, each followed by its weight. */
  readonly postings: Float64Array;
}

/** Each term that some entry has, by the word that brought it in first. */
function queryTerms({ postings }: ContextIndex, text: string): QueryTerm[] {
  const words = new Map<string, string>();
  for (const { term, word } of termsOf(text)) {
    if (!words.has(term) && Object.hasOwn(postings, term)) words.set(term, word);
    if (words.size === MAX_TERMS) break;
  }
  const terms = [...words].map(([term, word]) => ({ word, postings: parse(postings[term] as string) }));
  return terms.sort((a, b) => compare(a.word, b.word));
}

function parse(postings: string): Float64Array {
  return Float64Array.from(postings.split(' '), Number);
}

function addScores({ entries, averageLength }: ContextIndex, postings: Float64Array, scores: Float64Array): void {
  const count = postings.length / 2;
  const rarity = Math.log(1 + (scores.length - count + 0.5) / (count + 0.5));
  for (let i = 0; i < postings.length; i += 2) {
    const at = postings[i] as number;
    const weight = postings[i + 1] as number;
    const long = 1 - B + (B * (entries.length[at] as number)) / averageLength;
    scores[at] = (scores[at] as number) + (rarity * weight * (K1 + 1)) / (weight + K1 * long);
  }
}

interface Scored {
  readonly at: number;
  readonly score: number;
}

function goesBefore({ entries: { name, path } }: ContextIndex, a: Scored, b: Scored): boolean {
  if (a.score !== b.score) return a.score > b.score;
  const order = compare(name[a.at] ?? '', name[b.at] ?? '') || compare(path[a.at] ?? '', path[b.at] ?? '');
  return order < 0;
}

function has(postings: Float64Array, at: number): boolean {
  for (let i = 0; i < postings.length; i += 2) if (postings[i] === at) return true;
  return false;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
