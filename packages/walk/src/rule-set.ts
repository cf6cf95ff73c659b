import createIgnore, { type Ignore } from 'ignore';
import { compileNameFilter, type FileNames, type NameFilter } from './names.ts';
import type { Rule } from './rule-file.ts';
import { isForWildmatch, Wildmatch } from './wildmatch.ts';

const WILDCARD = /[*?[\\]/;
const ESCAPED_LITERAL = /^(?:[^*?[\\]|\\.)*$/s;
const EXTENSION = /^\*(\.[^.*?[\\/]+)$/;
/** Letters are compared by case; paths need no check, because the walk made them. */
const OPTIONS = { ignorecase: false, allowRelativePaths: true } as const;

/** What a rule set must know of a rule. */
type Matchable = Pick<Rule, 'pattern' | 'excludes' | 'directoriesOnly' | 'anchored'>;

/**
 * The rules of one rule file, compiled. It finds the rule that decides on an entry: the last one that matches the entry
 * itself. What a rule says of an entry's directory is for the caller, who asks from the top down.
 *
 * Patterns without wildcards and plain extensions are looked up. The library `ignore` matches the others, but for those
 * that the linear matcher takes, because the library would backtrack on them or read them otherwise than git.
 */
export class RuleSet<R extends Matchable> {
  readonly rules: readonly R[];
  readonly #names = new Lookup();
  readonly #extensions = new Lookup();
  readonly #paths = new Lookup();
  /** The rules of the linear matcher, the last one first. */
  readonly #linear: { readonly at: number; readonly rule: R; readonly wildmatch: Wildmatch }[] = [];
  readonly #namesByLibrary: LibraryRules | undefined;
  readonly #pathsByLibrary: LibraryRules | undefined;
  readonly #hasPaths: boolean;
  /** Filters for the files that a rule might exclude, by the depth of their directory. */
  readonly #doubts = new Map<number, NameFilter>();

  constructor(rules: readonly R[]) {
    this.rules = rules;
    this.#hasPaths = rules.some(({ anchored }) => anchored);
    const namesByLibrary: number[] = [];
    const pathsByLibrary: number[] = [];
    for (const [at, rule] of rules.entries()) {
      const { pattern, anchored, directoriesOnly } = rule;
      const literal = toLiteral(pattern);
      const extension = anchored ? undefined : EXTENSION.exec(pattern)?.[1];
      if (literal !== undefined) (anchored ? this.#paths : this.#names).add(literal, at, directoriesOnly);
      else if (extension !== undefined) this.#extensions.add(extension, at, directoriesOnly);
      else if (isForWildmatch(pattern)) this.#linear.unshift({ at, rule, wildmatch: new Wildmatch(pattern) });
      else (anchored ? pathsByLibrary : namesByLibrary).push(at);
    }
    if (namesByLibrary.length > 0) this.#namesByLibrary = new LibraryRules(rules, namesByLibrary);
    if (pathsByLibrary.length > 0) this.#pathsByLibrary = new LibraryRules(rules, pathsByLibrary);
  }

  /** How many patterns an entry is matched against, one by one. */
  get cost(): number {
    return this.#linear.length + (this.#namesByLibrary?.size ?? 0) + (this.#pathsByLibrary?.size ?? 0);
  }

  /** The rule that decides on an entry, by its path from the rule file's directory; undefined when none matches. */
  find(path: string, isDirectory: boolean): R | undefined {
    const name = path.slice(path.lastIndexOf('/') + 1);
    let found = Math.max(
      this.#names.last(name, isDirectory),
      this.#paths.last(path, isDirectory),
      this.#extensions.last(name.slice(name.lastIndexOf('.')), isDirectory),
    );
    if (this.#namesByLibrary) found = this.#namesByLibrary.findAfter(found, name, isDirectory);
    if (this.#pathsByLibrary) found = this.#pathsByLibrary.findAfter(found, path, isDirectory);
    if (this.#linear.length > 0) found = this.#findLinearAfter(found, path, name, isDirectory);
    return this.rules[found];
  }

  /**
   * The files of a directory on which a rule that excludes might decide; `find` says whether it does. The directory is a
   * path from the rule file's directory, '' or with a slash at its end.
   */
  filesInDoubt(files: FileNames, directory: string): readonly string[] {
    const depth = this.#hasPaths ? directory.split('/').length - 1 : 0;
    const filter = this.#doubts.get(depth) ?? this.#compileDoubt(depth);
    this.#doubts.set(depth, filter);
    return files.thatMightMatch(filter);
  }

  #compileDoubt(depth: number): NameFilter {
    const rules = this.rules.filter(
      (rule) => rule.excludes && !rule.directoriesOnly && (!rule.anchored || canMatchAt(rule.pattern, depth)),
    );
    return compileNameFilter(rules.map(({ pattern }) => lastName(pattern)));
  }

  #findLinearAfter(after: number, path: string, name: string, isDirectory: boolean): number {
    for (const { at, rule, wildmatch } of this.#linear) {
      if (at <= after) break;
      if ((isDirectory || !rule.directoriesOnly) && wildmatch.matches(rule.anchored ? path : name)) return at;
    }
    return after;
  }
}

/** The last rule for each key, by its number; -1 for none. */
class Lookup {
  readonly #any = new Map<string, number>();
  readonly #directoriesOnly = new Map<string, number>();

  add(key: string, at: number, directoriesOnly: boolean): void {
    (directoriesOnly ? this.#directoriesOnly : this.#any).set(key, at);
  }

  last(key: string, isDirectory: boolean): number {
    const any = this.#any.size === 0 ? -1 : (this.#any.get(key) ?? -1);
    return isDirectory && this.#directoriesOnly.size > 0 ? Math.max(any, this.#directoriesOnly.get(key) ?? -1) : any;
  }
}

/** The rules that the library `ignore` matches. */
class LibraryRules {
  readonly #rules: readonly Matchable[];
  /** The numbers of the rules that are matched here, in their order. */
  readonly #numbers: readonly number[];
  /** All of them together: it says at once that none matches, which holds for most entries. */
  #all: Ignore | undefined;
  readonly #single = new Map<number, Ignore>();

  constructor(rules: readonly Matchable[], numbers: readonly number[]) {
    this.#rules = rules;
    this.#numbers = numbers;
  }

  get size(): number {
    return this.#numbers.length;
  }

  /** The number of the last rule that matches, if it comes after the given one; else the given one. */
  findAfter(after: number, path: string, isDirectory: boolean): number {
    if ((this.#numbers.at(-1) ?? -1) <= after) return after;
    const asked = isDirectory ? `${path}/` : path;
    this.#all ??= this.#compile(this.#numbers);
    if (!this.#all.test(asked).unignored) return after;
    return this.#numbers.findLast((at) => at > after && this.#matches(at, asked)) ?? after;
  }

  #matches(at: number, asked: string): boolean {
    const single = this.#single.get(at) ?? this.#compile([at]);
    this.#single.set(at, single);
    return single.test(asked).unignored;
  }

  /**
   * Every rule is handed over with a `!`: of a rule without one, the library also says that it matches what lies below
   * the directories that it matches. Lines are one string: from a line alone, the library would drop a second carriage
   * return, which git keeps.
   */
  #compile(numbers: readonly number[]): Ignore {
    const lines = numbers.map((at) => {
      const { pattern, anchored, directoriesOnly } = this.#rules[at] as Matchable;
      return `!${anchored ? '/' : ''}${pattern}${directoriesOnly ? '/' : ''}\r\n`;
    });
    return createIgnore(OPTIONS).add(lines.join(''));
  }
}

/** The part of a pattern that is matched against the last name of a path; `*` where a set has a slash in it. */
function lastName(pattern: string): string {
  return /\[[^\]]*\//.test(pattern) ? '*' : pattern.slice(pattern.lastIndexOf('/') + 1);
}

/** Whether a pattern for paths has as many names as a path at this depth; `**` stands for any number. */
function canMatchAt(pattern: string, depth: number): boolean {
  return pattern.includes('**') || pattern.includes('[') || pattern.split('/').length - 1 === depth;
}

/** The only name or path that a pattern matches; undefined for a pattern with wildcards. */
function toLiteral(pattern: string): string | undefined {
  if (!WILDCARD.test(pattern)) return pattern;
  return ESCAPED_LITERAL.test(pattern) ? pattern.replace(/\\(.)/gs, '$1') : undefined;
}
