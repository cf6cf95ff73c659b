import { isOneEditAway, MIN_MISSPELT } from '@jinn/core/errors';
import type { ContextIndex, LineColumn } from './context-index.ts';
import { spaced, type Term, termsOf } from './terms.ts';

/** The usual constants of BM25: how soon repetitions of a term add nothing, and how much a long entry is discounted. */
const K1 = 1.2;
const B = 0.5;
/** The factor for an entry whose whole name is in the query. */
const NAME_BONUS = 1.25;
const MAX_QUERY = 65_536;
const MAX_TERMS = 300;
/** Words of a shorter query may be anywhere. In a longer one, a single weak word proves nothing. */
const SHORT_QUERY = 2;
/** The least weight of all words of a longer query together: one in the name, or two in the description. */
const FLOOR = 3;
/** Instead of that weight, this many strong words anywhere are enough, with this share of the rarity of all of them. */
const MIN_TELLING = 2;
const MIN_SHARE = 0.4;
/** Words that texts on any subject have: the words next to them are no hint. */
const COMMON = `add all always app avoid base before bad best bug build call case change check code command common config
  correct create current data debug default delete describe develop different directory doc document each end ensure error
  example exist fail false file find first fix folder follow format full function give good handle help image implement
  include info input issue item keep key know last like line list load local log long look main make manage message method
  mode more most move must name need never new next number one only open option order other output page pass path place
  print problem process project properly provide put read really remove report request require result return review right
  rule run same save say second see send set setup show simple skill start step stop string support sure system take task
  tell test text thing time tool true try two type understand update user value version view want warn way well word work
  write wrong`;

export interface RankedEntry {
  readonly at: number;
  readonly score: number;
  /** The words of the query that the entry has, sorted. */
  readonly matched: readonly string[];
}

export interface RankOptions {
  readonly limit: number;
  isWanted(source: number): boolean;
}

/** Ranks entries by BM25, times 1.25 if the query has the whole name (docs/related-context.md), and then by name. */
export function rankContext(index: ContextIndex, query: string, { limit, isWanted }: RankOptions): RankedEntry[] {
  const text = query.slice(0, MAX_QUERY);
  const asked = termsOf(text);
  const terms = queryTerms(index, asked);
  const scores = new Float64Array(index.entries.source.length);
  for (const { postings } of terms) addScores(index, postings, scores);
  if (asked.length > SHORT_QUERY) dropBelowFloor(terms, asked, scores);
  const words = spaced(text);
  const best: { at: number; score: number }[] = [];
  const { source } = index.entries;
  const names = index.entries.words.split('\n');
  const order = createOrder(index);
  for (let at = 0; at < scores.length; at++) {
    const plain = scores[at] as number;
    if (plain === 0 || !isWanted(source[at] as number)) continue;
    const score = words.includes(names[at] as string) ? plain * NAME_BONUS : plain;
    const last = best[limit - 1];
    if (last && (score < last.score || !order({ at, score }, last))) continue; // The first condition decides most entries.
    const position = best.findIndex((other) => order({ at, score }, other));
    best.splice(position < 0 ? best.length : position, 0, { at, score });
    if (best.length > limit) best.pop();
  }
  return best.map(({ at, score }) => ({
    at,
    score: Math.round(score * 1000) / 1000,
    matched: terms.filter(({ postings }) => has(postings, at)).map(({ word }) => word),
  }));
}

/** A word of the query and its entries, found by its term, or else by terms that are spelt almost like it. */
interface QueryTerm extends Term {
  /** Entries, each followed by its weight. */
  readonly postings: readonly number[];
}

function queryTerms({ postings }: ContextIndex, asked: readonly Term[]): QueryTerm[] {
  const terms = new Map<string, QueryTerm>();
  for (const { term, word } of asked) {
    const found = terms.has(term) ? undefined : findPostings(postings, term);
    if (found) terms.set(term, { term, word, postings: found });
    if (terms.size === MAX_TERMS) break;
  }
  if (terms.size === 0) for (const { term, word } of asked.slice(0, 10)) addNearest(postings, { term, word }, terms);
  return [...terms.values()].sort((a, b) => compare(a.word, b.word));
}

function addNearest(lines: LineColumn, { term, word }: Term, terms: Map<string, QueryTerm>): void {
  if (term.length < MIN_MISSPELT) return;
  for (const line of lines.split('\n')) {
    const known = line.slice(0, line.indexOf(' '));
    if (isOneEditAway(term, known))
      terms.set(known, { term, word, postings: JSON.parse(`[${line.slice(known.length + 1)}]`) });
  }
}

/** Drops entries whose words are together too weak, unless they have much of the subject. Unknown terms count as one entry. */
function dropBelowFloor(terms: readonly QueryTerm[], asked: readonly Term[], scores: Float64Array): void {
  const weights = new Float64Array(scores.length);
  const telling = new Uint16Array(scores.length);
  const rarities = new Float64Array(scores.length);
  const common = new Set(termsOf(COMMON).map(({ term }) => term));
  const unknown = new Set(asked.map(({ term }) => term).filter((term) => !common.has(term)));
  let total = 0;
  for (const { term, postings } of terms) {
    const rarity = common.has(term) ? 0 : rarityOf(postings, scores.length);
    if (unknown.delete(term)) total += rarity;
    for (let i = 0; i < postings.length; i += 2) {
      const at = postings[i] as number;
      weights[at] = (weights[at] as number) + Math.min(FLOOR, postings[i + 1] as number);
      rarities[at] = (rarities[at] as number) + rarity;
      if (rarity > 0) telling[at] = (telling[at] as number) + 1;
    }
  }
  const least = MIN_SHARE * (total + unknown.size * rarityOf(ONE_ENTRY, scores.length));
  for (let at = 0; at < scores.length; at++) {
    const isAbout = (telling[at] as number) >= MIN_TELLING && (rarities[at] as number) >= least;
    if ((weights[at] as number) < FLOOR && !isAbout) scores[at] = 0;
  }
}

function findPostings(lines: LineColumn, term: string): readonly number[] | undefined {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const start = lines.lastIndexOf('\n', ((low + high) >> 1) - 1) + 1;
    const end = lines.indexOf('\n', start);
    const line = lines.slice(start, end < 0 ? lines.length : end);
    const blank = line.indexOf(' ');
    const order = compare(term, line.slice(0, blank));
    if (order === 0) return JSON.parse(`[${line.slice(blank + 1)}]`);
    if (order < 0) high = start;
    else low = start + line.length + 1;
  }
  return undefined;
}

function addScores({ entries, averageLength }: ContextIndex, postings: readonly number[], scores: Float64Array): void {
  const rarity = rarityOf(postings, scores.length);
  for (let i = 0; i < postings.length; i += 2) {
    const at = postings[i] as number;
    const weight = postings[i + 1] as number;
    const long = 1 - B + (B * (entries.length[at] as number)) / averageLength;
    scores[at] = (scores[at] as number) + (rarity * weight * (K1 + 1)) / (weight + K1 * long);
  }
}

const ONE_ENTRY = [0, 1];

function rarityOf(postings: readonly number[], entries: number): number {
  const count = postings.length / 2;
  return Math.log(1 + (entries - count + 0.5) / (count + 0.5));
}

interface ScoredEntry {
  readonly at: number;
  readonly score: number;
}

function createOrder({ entries }: ContextIndex): (a: ScoredEntry, b: ScoredEntry) => boolean {
  let columns: { readonly name: readonly string[]; readonly path: readonly string[] } | undefined;
  const compareNames = (a: number, b: number) => {
    columns ??= { name: entries.name.split('\n'), path: entries.path.split('\n') };
    const { name, path } = columns;
    return compare(name[a] ?? '', name[b] ?? '') || compare(path[a] ?? '', path[b] ?? '');
  };
  return (a, b) => (a.score === b.score ? compareNames(a.at, b.at) < 0 : a.score > b.score);
}

function has(postings: readonly number[], at: number): boolean {
  for (let i = 0; i < postings.length; i += 2) if (postings[i] === at) return true;
  return false;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
