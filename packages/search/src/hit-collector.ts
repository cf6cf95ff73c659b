import type { Hit } from './search-query.ts';

/** Counts hits by file, and keeps a bounded number of them. */
export class HitCollector {
  readonly counts = new Map<string, number>();
  readonly #hits = new Map<string, Hit[]>();
  readonly #maxKept: number;
  #kept = 0;

  constructor(maxKept: number) {
    this.#maxKept = maxKept;
  }

  add(hit: Hit): void {
    this.count(hit.path, 1);
    if (this.#kept >= this.#maxKept) return;
    this.#kept++;
    const hits = this.#hits.get(hit.path);
    if (hits) hits.push(hit);
    else this.#hits.set(hit.path, [hit]);
  }

  /** Counts hits that are not kept. */
  count(path: string, count: number): void {
    this.counts.set(path, (this.counts.get(path) ?? 0) + count);
  }

  /** Takes back all hits in a file that turned out to be none of ours. */
  drop(path: string): void {
    this.#kept -= this.#hits.get(path)?.length ?? 0;
    this.counts.delete(path);
    this.#hits.delete(path);
  }

  /** True when all hits of a file were kept. */
  isComplete(path: string): boolean {
    return this.#hits.get(path)?.length === this.counts.get(path);
  }

  /** The hits of a file that were kept, in order. */
  hitsIn(path: string): readonly Hit[] {
    return (this.#hits.get(path) ?? []).sort((a, b) => a.offset - b.offset);
  }
}
