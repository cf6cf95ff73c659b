import type { Splice } from './edit-text.ts';

interface Range {
  readonly start: number;
  readonly end: number;
}

/** A run of the text as it is now. `at` is its place before the first edit; undefined for text that an edit wrote. */
interface Run {
  readonly length: number;
  readonly at: number | undefined;
}

/**
 * Tracks, for each byte of a text that is edited several times, whether it was there before the first edit, and which edit
 * matched it. Two edits may not target the same bytes, but may change what an earlier one wrote.
 */
export class Origins {
  #runs: Run[];
  readonly #claims: (Range & { readonly owner: number })[] = [];

  constructor(length: number) {
    this.#runs = [{ length, at: 0 }];
  }

  /** Returns the edit that matched some of these bytes before; undefined if none did, or if one wrote part of them. */
  ownerOf(range: Range): number | undefined {
    const runs = this.#cut(range);
    if (runs.some(({ at }) => at === undefined)) return undefined;
    return runs.map((run) => this.ownerAtFirst(toRange(run))).find((owner) => owner !== undefined);
  }

  /** Returns the edit that matched some of these bytes of the text before the first edit; undefined if none did. */
  ownerAtFirst({ start, end }: Range): number | undefined {
    return this.#claims.find((claim) => claim.start < end && start < claim.end)?.owner;
  }

  /** Records that an edit matched a range and changes it. */
  edit(range: Range, splices: readonly Splice[], owner: number): void {
    for (const run of this.#cut(range)) if (run.at !== undefined) this.#claims.push({ ...toRange(run), owner });
    for (const { start, end, bytes } of splices.toReversed()) {
      const rest = this.#cut({ start: end, end: Number.POSITIVE_INFINITY });
      this.#runs = [...this.#cut({ start: 0, end: start }), { length: bytes.length, at: undefined }, ...rest];
    }
  }

  #cut({ start, end }: Range): Run[] {
    const runs: Run[] = [];
    let position = 0;
    for (const { length, at } of this.#runs) {
      const from = Math.max(start, position);
      const to = Math.min(end, position + length);
      if (from < to) runs.push({ length: to - from, at: at === undefined ? undefined : at + from - position });
      position += length;
    }
    return runs;
  }
}

function toRange({ at = 0, length }: Run): Range {
  return { start: at, end: at + length };
}
