import type { Place } from './pattern.ts';
import type { ListedRule, RuleList } from './rule-list.ts';

/** A list of rules that holds in a directory and below it. */
interface Source<R extends ListedRule> {
  readonly list: RuleList<R>;
  readonly base: readonly string[];
  readonly rank: number;
}

/** A list of rules that holds in the directory of a cascade. */
export interface PlacedList<R extends ListedRule> {
  readonly list: RuleList<R>;
  readonly place: Place;
}

/**
 * The lists of rules that hold in one directory, from there and from the directories above it. The list of the highest
 * rank wins, and among those of one rank the one that was added last, which lies deepest.
 */
export class Cascade<R extends ListedRule> {
  /** The names that lead to the directory. */
  readonly directory: readonly string[];
  /** The lists that hold in the directory; the first one wins. */
  readonly lists: readonly PlacedList<R>[];
  readonly #sources: readonly Source<R>[];

  constructor(sources: readonly Source<R>[] = [], directory: readonly string[] = []) {
    this.#sources = sources;
    this.directory = directory;
    this.lists = sources
      .filter(({ base }) => base.every((name, i) => name === directory[i]))
      .map(({ list, base }) => ({ list, place: { directory, depth: base.length } }));
  }

  /** How many patterns an entry is matched against, one by one. */
  get cost(): number {
    return this.lists.reduce((sum, { list }) => sum + list.cost, 0);
  }

  /** Adds a list that holds from a directory on: from this one, if none is named. */
  with(list: RuleList<R>, { base = this.directory, rank = 0 } = {}): Cascade<R> {
    if (list.rules.length === 0) return this;
    const weaker = this.#sources.findIndex((source) => source.rank <= rank);
    const at = weaker < 0 ? this.#sources.length : weaker;
    return new Cascade(this.#sources.toSpliced(at, 0, { list, base, rank }), this.directory);
  }

  /** Returns the same lists in a child directory. */
  open(name: string): Cascade<R> {
    return new Cascade(this.#sources, [...this.directory, name]);
  }

  /** Returns the rule that decides on an entry of the directory; undefined when none matches. */
  find(name: string, isDirectory: boolean): R | undefined {
    for (const { list, place } of this.lists) {
      const rule = list.find(place, name, isDirectory);
      if (rule) return rule;
    }
    return undefined;
  }

  /** Returns the files of the directory that one of the lists may leave out. */
  filesInDoubt(files: readonly string[]): readonly string[] {
    return this.lists.flatMap(({ list, place }) => list.filesInDoubt(place, files));
  }
}
