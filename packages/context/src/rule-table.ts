import { extensionOf, isForWildPattern, literalOf, namesThatMight, StarPattern, WildPattern } from '@jinn/walk';
import createIgnore, { type Ignore } from 'ignore';
import type { ContextRule } from './context-rule.ts';

/** Names are compared by case, as git does where the file system does; paths need no check, since the walk made them. */
const OPTIONS = { ignorecase: false, allowRelativePaths: true } as const;

/** The last rule for a key, and the last that holds for directories alone. */
interface Known {
  any: ContextRule | undefined;
  directories: ContextRule | undefined;
}

interface Tried {
  readonly rule: ContextRule;
  matches(name: string, path: string, isDirectory: boolean): boolean;
}

/** The rules of one list that share a base, prepared for asking which of them matches last. */
export class RuleTable {
  readonly base: string;
  /** True when a rule includes something. */
  readonly hasInclusions: boolean;
  readonly rules: readonly ContextRule[];
  readonly #names = new Map<string, Known>();
  readonly #extensions = new Map<string, Known>();
  readonly #paths = new Map<string, Known>();
  /** Rules that must be tried one by one, the last one first. */
  readonly #tried: Tried[] = [];
  #inDoubt: ((names: string) => readonly string[]) | undefined;

  constructor(rules: readonly ContextRule[], base: string) {
    this.base = base;
    this.rules = rules;
    this.hasInclusions = rules.some(({ includes }) => includes);
    for (const rule of rules) this.#add(rule);
    this.#tried.reverse();
  }

  /** The same without some of the rules. */
  without(isLeftOut: (rule: ContextRule) => boolean): RuleTable {
    return new RuleTable(
      this.rules.filter((rule) => !isLeftOut(rule)),
      this.base,
    );
  }

  /** Those of some files that might be excluded; the names stand between slashes, in ASCII. */
  filesInDoubt(names: string): readonly string[] {
    this.#inDoubt ??= namesThatMight(this.rules.filter((rule) => !rule.includes && !rule.directoriesOnly));
    return this.#inDoubt(names);
  }

  /** The last rule that matches this very thing; a rule also matches below an anchored pattern with wildcards. */
  find(name: string, path: string, isDirectory: boolean): ContextRule | undefined {
    if (this.base !== '' && !path.startsWith(this.base)) return undefined;
    let best = later(undefined, this.#names.get(name), isDirectory);
    if (this.#extensions.size > 0) {
      const dot = name.lastIndexOf('.');
      if (dot >= 0) best = later(best, this.#extensions.get(name.slice(dot)), isDirectory);
    }
    const inside = this.base === '' ? path : path.slice(this.base.length);
    if (this.#paths.size > 0) best = later(best, this.#paths.get(inside), isDirectory);
    for (const tried of this.#tried) {
      if (best && best.order > tried.rule.order) break;
      if (tried.matches(name, inside, isDirectory)) return tried.rule;
    }
    return best;
  }

  #add(rule: ContextRule): void {
    const { pattern, anchored } = rule;
    const literal = literalOf(pattern);
    const extension = anchored ? undefined : extensionOf(pattern);
    if (literal !== undefined) put(anchored ? this.#paths : this.#names, literal, rule);
    else if (extension !== undefined) put(this.#extensions, extension, rule);
    else if (hasOnlyStars(pattern) || (!anchored && StarPattern.canBe(pattern))) this.#tried.push(byStars(rule));
    else this.#tried.push(isForWildPattern(pattern) ? byWildPattern(rule) : byLibrary(rule));
  }
}

function byStars(rule: ContextRule): Tried {
  const segments = rule.pattern.split('/').map((segment) => new StarPattern(segment));
  const [first] = segments;
  const isMatch = (path: string) => {
    const names = path.split('/');
    return names.length === segments.length && segments.every((segment, i) => segment.matches(names[i] as string));
  };
  return {
    rule,
    matches: (name, path, isDirectory) =>
      (isDirectory || !rule.directoriesOnly) && (rule.anchored ? isMatch(path) : (first as StarPattern).matches(name)),
  };
}

/** Segments of literals and stars are tried here: the library's time for them is a power of the number of stars. */
function hasOnlyStars(pattern: string): boolean {
  return pattern.split('/').every((segment) => segment !== '**' && StarPattern.canBe(segment));
}

function byWildPattern(rule: ContextRule): Tried {
  const wild = new WildPattern(rule.pattern);
  return {
    rule,
    matches: (name, path, isDirectory) =>
      (isDirectory || !rule.directoriesOnly) && wild.matches(rule.anchored ? path : name),
  };
}

function byLibrary(rule: ContextRule): Tried {
  const { anchored, pattern, directoriesOnly } = rule;
  let library: Ignore | undefined;
  return {
    rule,
    matches: (name, path, isDirectory) => {
      // One string of lines: of a line alone the library would cut another carriage return.
      library ??= createIgnore(OPTIONS).add(`/${anchored ? '' : '**/'}${pattern}${directoriesOnly ? '/' : ''}\r\n`);
      return library.ignores((anchored ? path : name) + (isDirectory ? '/' : ''));
    },
  };
}

function put(map: Map<string, Known>, key: string, rule: ContextRule): void {
  const known = map.get(key) ?? { any: undefined, directories: undefined };
  if (rule.directoriesOnly) known.directories = rule;
  else known.any = rule;
  map.set(key, known);
}

function later(best: ContextRule | undefined, known: Known | undefined, isDirectory: boolean): ContextRule | undefined {
  if (!known) return best;
  const other = isDirectory ? latest(known.any, known.directories) : known.any;
  return latest(best, other);
}

/** The one of two rules that wins. */
export function latest(a: ContextRule | undefined, b: ContextRule | undefined): ContextRule | undefined {
  if (!a || !b) return a ?? b;
  return a.order > b.order ? a : b;
}
