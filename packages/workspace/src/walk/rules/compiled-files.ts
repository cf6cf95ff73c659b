import type { RuleFile } from './rule-file.ts';
import type { ListedRule, RuleList } from './rule-list.ts';

export interface CompiledFile<R extends ListedRule> extends Pick<RuleFile, 'faults'> {
  readonly list: RuleList<R>;
}

/** In characters. A compiled rule takes as much memory as a thousand of them, at most. */
const MAX_KEPT = 40 * 1024 * 1024;
const CHARACTERS_PER_RULE = 1000;

/** Compiled rule files by name and content, so that a session compiles each of them once. */
export class CompiledFiles<R extends ListedRule> {
  readonly #kept = new Map<string, CompiledFile<R>>();
  #size = 0;

  /** `key` is everything that decides the result. */
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
