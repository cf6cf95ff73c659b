import type { RuleFile } from './rule-file.ts';
import type { Matchable, RuleList } from './rule-list.ts';

/** A rule file, compiled, and what is wrong with it. */
export interface CompiledFile<R extends Matchable> extends Pick<RuleFile, 'faults'> {
  readonly list: RuleList<R>;
}

/** The most that is kept, in characters. A compiled rule takes as much memory as a thousand of them, at most. */
const MAX_KEPT = 40 * 1024 * 1024;
const CHARACTERS_PER_RULE = 1000;

/** Rule files by how they are shown and what they hold, so that a session compiles each of them once. */
export class CompiledFiles<R extends Matchable> {
  readonly #kept = new Map<string, CompiledFile<R>>();
  #size = 0;

  /** Returns what was made of a file lately, or makes it. `key` is all that decides on the result. */
  get(key: string, compile: () => CompiledFile<R>): CompiledFile<R> {
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const made = compile();
    const size = key.length + CHARACTERS_PER_RULE * made.list.rules.length;
    if (this.#size + size > MAX_KEPT) {
      this.#kept.clear();
      this.#size = 0;
    }
    this.#size += size;
    this.#kept.set(key, made);
    return made;
  }
}
