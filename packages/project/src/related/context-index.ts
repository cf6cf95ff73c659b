import type { ContextScan, ScannedEntry } from './scan-context.ts';
import { type KnownTerms, spaced, termsOf } from './terms.ts';

/** The weight of each different term of the text itself, and of its supporting files. How many of each count. */
const BODY_WEIGHT = 0.2;
const MAX_BODY_TERMS = 300;

const WEIGHTS = { name: 3, title: 3, tags: 3, description: 1.5, headings: 1, path: 1 } as const;

/** One line per item. A single string is read faster than many, and costs the garbage collector less. */
export type LineColumn = string;

/** Entries as columns: the same position in each list is the same entry. */
export interface EntryColumns {
  readonly source: readonly number[];
  readonly path: LineColumn;
  readonly name: LineColumn;
  readonly title: LineColumn;
  /** Empty if there is none, like `origin`. */
  readonly description: LineColumn;
  readonly origin: LineColumn;
  /** The words of the name, with a blank around each. */
  readonly words: LineColumn;
  /** The sum of the weights of all terms of an entry. */
  readonly length: readonly number[];
}

/** All files and directories that were read, as columns. */
export interface SeenColumns {
  readonly source: readonly number[];
  readonly path: LineColumn;
  /** Four numbers of the stat of each. Zeros if it was too fresh to show a later change. */
  readonly fingerprint: Float64Array;
}

/** All entries, the data for ranking, and the stats that show whether they are still right. Plain data. */
export interface ContextIndex {
  readonly entries: EntryColumns;
  readonly averageLength: number;
  /** Sorted terms, each with its entries, each of these followed by the weight of the term in it. */
  readonly postings: LineColumn;
  readonly seen: SeenColumns;
  readonly warnings: readonly string[];
}

export function buildIndex({ entries, seen, warnings }: ContextScan): ContextIndex {
  const postings = new Map<string, number[]>();
  const known: KnownTerms = new Map();
  const length = entries.map((entry, i) => {
    let sum = 0;
    const add = (term: string, weight: number) => {
      const list = postings.get(term);
      if (list) list.push(i, weight);
      else postings.set(term, [i, weight]);
    };
    const weights = weigh(entry, known);
    for (const [term, weight] of weights) {
      add(term, weight);
      sum += weight;
    }
    for (const term of bodyTerms(entry, weights, known)) add(term, BODY_WEIGHT);
    return sum;
  });
  const total = length.reduce((sum, one) => sum + one, 0);
  return {
    entries: toColumns(entries, length),
    averageLength: total / Math.max(1, entries.length),
    postings: lines([...postings.keys()].sort(), (term) => `${term} ${postings.get(term)}`),
    seen: {
      source: seen.map(({ source }) => source),
      path: lines(seen, ({ path }) => path),
      fingerprint: new Float64Array(seen.flatMap(({ fingerprint }) => fingerprint ?? [0, 0, 0, 0])),
    },
    warnings,
  };
}

function toColumns(entries: readonly ScannedEntry[], length: readonly number[]): EntryColumns {
  return {
    source: entries.map(({ source }) => source),
    path: lines(entries, ({ path }) => path),
    name: lines(entries, ({ name }) => name),
    title: lines(entries, ({ title }) => title),
    description: lines(entries, ({ description = '' }) => description),
    origin: lines(entries, ({ origin = '' }) => origin),
    words: lines(entries, ({ name }) => spaced(name)),
    length,
  };
}

function lines<T>(items: readonly T[], toLine: (item: T) => string): LineColumn {
  return items.map(toLine).join('\n');
}

function bodyTerms(
  { body, support }: ScannedEntry,
  others: ReadonlyMap<string, number>,
  known: KnownTerms,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const text of [body, support]) {
    const most = found.size + MAX_BODY_TERMS;
    if (text === '') continue;
    for (const { term } of termsOf(text, { known, isSet: true })) {
      if (!others.has(term)) found.add(term);
      if (found.size === most) break;
    }
  }
  return found;
}

function weigh(entry: ScannedEntry, known: KnownTerms): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const { term } of termsOf(text, { known })) weights.set(term, (weights.get(term) ?? 0) + weight);
  };
  add(entry.name, WEIGHTS.name);
  add(entry.title, WEIGHTS.title);
  add(entry.tags.join(' '), WEIGHTS.tags);
  add(entry.description ?? '', WEIGHTS.description);
  add(entry.headings.join(' '), WEIGHTS.headings);
  add(entry.shortPath.replace(/\.md$/i, ''), WEIGHTS.path);
  return weights;
}
