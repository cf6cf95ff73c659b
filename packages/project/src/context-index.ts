import type { Scan, ScannedEntry, Seen } from './scan-context.ts';
import { type Term, termsOf } from './terms.ts';

/** How much a term counts in each part of an entry. */
const WEIGHTS = { name: 3, title: 3, tags: 3, description: 1.5, headings: 1, path: 1 } as const;

export interface IndexedEntry extends Pick<ScannedEntry, 'source' | 'path' | 'name' | 'title'> {
  readonly description?: string;
  readonly origin?: string;
  /** The sum of the weights of all its terms. */
  readonly length: number;
}

/** All entries, with what it takes to rank them and to tell whether they are still right. Plain data. */
export interface ContextIndex {
  readonly entries: readonly IndexedEntry[];
  readonly averageLength: number;
  /** For each term its entries, each followed by the weight that the term has there. */
  readonly postings: Readonly<Record<string, readonly number[]>>;
  readonly seen: readonly Seen[];
  readonly notes: readonly string[];
}

export function buildIndex({ entries, seen, notes }: Scan): ContextIndex {
  const postings = new Map<string, number[]>();
  const indexed = entries.map((entry, i) => {
    const weights = weigh(entry);
    let length = 0;
    for (const [term, weight] of weights) {
      const list = postings.get(term);
      if (list) list.push(i, weight);
      else postings.set(term, [i, weight]);
      length += weight;
    }
    const { source, path, name, title, description, origin } = entry;
    const optional = { ...(description !== undefined && { description }), ...(origin !== undefined && { origin }) };
    return { source, path, name, title, ...optional, length };
  });
  const total = indexed.reduce((sum, { length }) => sum + length, 0);
  const averageLength = total / Math.max(1, indexed.length);
  return { entries: indexed, averageLength, postings: Object.fromEntries(postings), seen, notes };
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
