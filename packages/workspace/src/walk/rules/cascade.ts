import type { RuleContext } from './pattern.ts';
import type { RuleFile } from './rule-file.ts';
import type { ListedRule, RuleList } from './rule-list.ts';

interface Source<R extends ListedRule> {
  readonly list: RuleList<R>;
  readonly base: readonly string[];
  readonly rank: number;
}

export interface PlacedList<R extends ListedRule> {
  readonly list: RuleList<R>;
  readonly place: RuleContext;
}

/** The lists of rules of a directory and of those above it. The highest rank wins, and in one rank the deepest list. */
export class Cascade<R extends ListedRule> {
  /** The names that point to the directory. */
  readonly directory: readonly string[];
  /** The first one wins. */
  readonly lists: readonly PlacedList<R>[];
  readonly #sources: readonly Source<R>[];

  constructor(sources: readonly Source<R>[] = [], directory: readonly string[] = []) {
    this.#sources = sources;
    this.directory = directory;
    this.lists = sources
      .filter(({ base }) => base.every((name, i) => name === directory[i]))
      .map(({ list, base }) => ({ list, place: { directory, depth: base.length } }));
  }

  get cost(): number {
    return this.lists.reduce((sum, { list }) => sum + list.cost, 0);
  }

  /** Adds a list that applies from a directory on: from this one, if none is named. */
  with(list: RuleList<R>, { base = this.directory, rank = 0 } = {}): Cascade<R> {
    if (list.rules.length === 0) return this;
    const weaker = this.#sources.findIndex((source) => source.rank <= rank);
    const at = weaker < 0 ? this.#sources.length : weaker;
    return new Cascade(this.#sources.toSpliced(at, 0, { list, base, rank }), this.directory);
  }

  /** Returns the rules without those of rank 0. */
  ranked(): Cascade<R> {
    return new Cascade(
      this.#sources.filter(({ rank }) => rank > 0),
      this.directory,
    );
  }

  open(name: string): Cascade<R> {
    return new Cascade(this.#sources, [...this.directory, name]);
  }

  find(name: string, isDirectory: boolean): R | undefined {
    for (const { list, place } of this.lists) {
      const rule = list.find(place, name, isDirectory);
      if (rule) return rule;
    }
    return undefined;
  }

  /** Returns the files that one of the lists may exclude. */
  filesInDoubt(files: readonly string[]): readonly string[] {
    return this.lists.flatMap(({ list, place }) => list.filesInDoubt(place, files));
  }
}

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
