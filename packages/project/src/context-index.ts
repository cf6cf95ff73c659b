import type { Scan, ScannedEntry, Seen } from './scan-context.ts';
import { spaced, type Term, termsOf } from './terms.ts';

/** How much a term counts in each part of an entry. */
const WEIGHTS = { name: 3, title: 3, tags: 3, description: 1.5, headings: 1, path: 1 } as const;

/** What is known of entries: the same place in each list is the same entry. JSON reads lists faster than objects. */
export interface EntryColumns {
  /** Which source. */
  readonly source: readonly number[];
  /** The path below the root of the source. */
  readonly path: readonly string[];
  readonly name: readonly string[];
  readonly title: readonly string[];
  /** Empty where there is none, like `origin`. */
  readonly description: readonly string[];
  readonly origin: readonly string[];
  /** The words of the name, each with blanks around it. */
  readonly words: readonly string[];
  /** The sum of the weights of all terms. */
  readonly length: readonly number[];
}

/** All entries, with what it takes to rank them and to tell whether they are still right. Plain data. */
export interface ContextIndex {
  readonly entries: EntryColumns;
  readonly averageLength: number;
  /** For each term its entries, each followed by the weight that the term has there, with blanks between. */
  readonly postings: Readonly<Record<string, string>>;
  readonly seen: readonly Seen[];
  readonly notes: readonly string[];
}

export function buildIndex({ entries, seen, notes }: Scan): ContextIndex {
  const postings = new Map<string, number[]>();
  const length = entries.map((entry, i) => {
    let sum = 0;
    for (const [term, weight] of weigh(entry)) {
      const list = postings.get(term);
      if (list) list.push(i, weight);
      else postings.set(term, [i, weight]);
      sum += weight;
    }
    return sum;
  });
  const total = length.reduce((sum, one) => sum + one, 0);
  const columns: EntryColumns = {
    source: entries.map(({ source }) => source),
    path: entries.map(({ path }) => path),
    name: entries.map(({ name }) => name),
    title: entries.map(({ title }) => title),
    description: entries.map(({ description = '' }) => description),
    origin: entries.map(({ origin = '' }) => origin),
    words: entries.map(({ name }) => spaced(name)),
    length,
  };
  return {
    entries: columns,
    averageLength: total / Math.max(1, entries.length),
    postings: Object.fromEntries([...postings].map(([term, list]) => [term, list.join(' ')])),
    seen,
    notes,
  };
}

function weigh(entry: ScannedEntry): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (terms: readonly Term[], weight: number) => {
    for (const { term } of terms) weights.set(term, (weights.get(term) ?? 0) + weight);
  };
  add(termsOf(entry.name), WEIGHTS.name);
  add(termsOf(entry.title), WEIGHTS.title);
  add(termsOf(entry.tags.join(' ')), WEIGHTS.tags);
  add(termsOf(entry.description ?? ''), WEIGHTS.description);
  add(termsOf(entry.headings.join(' ')), WEIGHTS.headings);
  add(termsOf(entry.shortPath.replace(/\.md$/i, '')), WEIGHTS.path);
  return weights;
}
