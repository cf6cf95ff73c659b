import { counted } from '@jinn/core/text/counted';
import { LeftOut } from '@jinn/workspace/walk';
import { ContentReader } from '../document/content-reader.ts';
import type { ContextRule } from '../rules/context-rules.ts';
import type { TokenCounter } from '../tokens/tokens.ts';
import type { Candidate } from './candidate.ts';

/** How much of the middle of a file is counted, to estimate its tokens by its size. */
const SAMPLE = 4 * 1024;
const TRACKED = 'skipped by name, although git tracks them';
/** The caller adds how to take them in. */
const MAX_SENTENCE = 70;

/** Adds up the files that the built-in rules omitted of a run although a reader might expect them. */
export class Omissions {
  readonly #counter: TokenCounter | undefined;
  readonly #reader = new ContentReader();
  readonly #tracked = new Map<string, number>();
  #files = 0;
  #tokens = 0;

  constructor(counter: TokenCounter | undefined) {
    this.#counter = counter;
  }

  get countsTokens(): boolean {
    return this.#counter !== undefined;
  }

  add(candidate: Candidate | undefined): void {
    const tokens = this.#counter && candidate ? this.#estimate(candidate, this.#counter) : 0;
    if (tokens === undefined) return;
    this.#files++;
    this.#tokens += tokens;
  }

  #estimate(candidate: Candidate, counter: TokenCounter): number | undefined {
    try {
      return candidate.read((file) => {
        if (!this.#reader.isText(file)) return undefined;
        const start = Math.max(0, Math.floor((file.size - SAMPLE) / 2));
        const sample = file.slice(start, start + SAMPLE);
        return sample.length === 0 ? 0 : Math.round((counter.count(sample) * file.size) / sample.length);
      });
    } catch {
      return undefined;
    }
  }

  addTracked({ text }: ContextRule, count: number): void {
    const shown = text.slice(1);
    this.#tracked.set(shown, (this.#tracked.get(shown) ?? 0) + count);
  }

  sentences(): string[] {
    const tokens = this.#counter ? ` (about ${this.#tokens} tokens)` : '';
    const omitted = `${counted(this.#files, 'lock, minified, generated or vendored file')}${tokens}`;
    const tracked = new LeftOut();
    for (const [rule, count] of this.#tracked) tracked.add(TRACKED, `${rule} (${count})`);
    return [...(this.#files > 0 ? [`omitted ${omitted}`] : []), ...tracked.lines(MAX_SENTENCE)];
  }
}
