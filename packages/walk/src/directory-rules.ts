import createIgnore, { type Ignore } from 'ignore';
import type { Rule } from './ignore-rules.ts';
import { splitNames } from './names.ts';
import { PreparedRule } from './prepared-rule.ts';
import { RuleIndex } from './rule-index.ts';
import { isForWildPattern } from './wild-pattern.ts';

const ASCII = /^[\0-\x7f]*$/;
/** Names are compared by case, as git does where the file system does; paths need no check, since the walk made them. */
const OPTIONS = { ignorecase: false, allowRelativePaths: true } as const;

type Pattern = Pick<Rule, 'pattern' | 'negated' | 'directoriesOnly' | 'anchored'>;

/** All rules that hold in a directory and, but for rule files further down, below it. */
interface Scope {
  /** Outermost first: the last rule that matches wins. */
  readonly all: Ignore;
  readonly indexes: readonly RuleIndex[];
  readonly hasNegated: boolean;
  /** How many patterns cannot be looked up. */
  readonly others: number;
  /** Rules that neither the library nor the indexes are asked for: it would read them otherwise, or for hours. */
  readonly wild: readonly PreparedRule[];
  readonly files: readonly RulesAt[];
}

/** All rules of a scope, the last one first, where they must be gone through. */
const PREPARED = new WeakMap<Scope, readonly PreparedRule[]>();

interface RulesAt {
  readonly rules: readonly Rule[];
  /** The path of their directory; '' or with a slash at its end. */
  readonly path: string;
}

/**
 * The gitignore rules that hold in one directory: `.git/info/exclude`, those of the directories above, its own. The
 * library `ignore` decides; before it is asked, lookups answer for most names, since it goes rule by rule.
 */
export class DirectoryRules {
  static readonly NONE = new DirectoryRules(undefined, '', false);
  static readonly #ALL = new DirectoryRules(undefined, '', true);

  /** True below a directory that is ignored itself: no rule can bring back what lies there. */
  readonly ignoresAll: boolean;
  readonly #scope: Scope | undefined;
  /** The path from where the rules begin; '' or with a slash at its end. */
  readonly #path: string;
  /** A wild rule brought back a directory on the way. */
  readonly #isBroughtBack: boolean;

  private constructor(scope: Scope | undefined, path: string, ignoresAll: boolean, isBroughtBack = false) {
    this.#scope = scope;
    this.#path = path;
    this.ignoresAll = ignoresAll;
    this.#isBroughtBack = isBroughtBack;
  }

  /** How many patterns each name is held against, one by one. */
  get cost(): number {
    return this.#scope ? this.#scope.others + this.#scope.wild.length : 0;
  }

  /** The same with the rules of a file in this directory, which go before those that hold already. */
  with(rules: readonly Rule[]): DirectoryRules {
    if (rules.length === 0) return this;
    const usual = rules.filter(({ pattern }) => !isForWildPattern(pattern));
    const wild = rules.filter(({ pattern }) => isForWildPattern(pattern));
    const index = new RuleIndex(rules, this.#path);
    const base = toBytes(this.#path);
    const all = createIgnore(OPTIONS);
    if (this.#scope) all.add(this.#scope.all);
    const scope = {
      // One string of lines: of a line alone the library would cut another carriage return, which git keeps.
      all: all.add(usual.map((rule) => `${fromTop(rule, base)}\r\n`).join('')),
      indexes: [...(this.#scope?.indexes ?? []), index],
      hasNegated: this.#scope?.hasNegated || usual.some(({ negated }) => negated),
      others: (this.#scope?.others ?? 0) + index.others,
      wild: [...(this.#scope?.wild ?? []), ...wild.map((rule) => new PreparedRule(rule, base))],
      files: [...(this.#scope?.files ?? []), { rules, path: this.#path }],
    };
    return new DirectoryRules(scope, this.#path, this.ignoresAll, this.#isBroughtBack);
  }

  /** The rules in a child directory, before its own. */
  child(name: string, ignored: boolean): DirectoryRules {
    if (ignored || this.ignoresAll) return DirectoryRules.#ALL;
    const isBroughtBack = this.#isBroughtBack || this.#wildFor(name, true).some(({ rule }) => rule.negated);
    return new DirectoryRules(this.#scope, `${this.#path}${name}/`, false, isBroughtBack);
  }

  /**
   * The rules in a directory that is entered because it was named, ignored or not: what ignores it itself says nothing of
   * what it holds. The library asks for each directory on the way, so that a rule must bring it back.
   */
  named(name: string): DirectoryRules {
    if (!this.ignores(name, true)) return this.child(name, false);
    const pattern = toLiteral(toBytes(name));
    const rule = {
      text: `!/${name}/`,
      pattern,
      negated: true,
      directoriesOnly: true,
      anchored: true,
      file: '',
      line: 0,
    };
    return this.with([rule]).child(name, false);
  }

  /** Those of some files that might be ignored; the names stand between slashes, in ASCII. */
  filesInDoubt(names: string): readonly string[] {
    if (this.ignoresAll) return splitNames(names);
    return this.#scope?.indexes.flatMap((index) => index.filesInDoubt(names)) ?? [];
  }

  ignores(name: string, isDirectory: boolean): boolean {
    if (!this.#scope) return this.ignoresAll;
    if (this.#goesByRule(name, isDirectory)) return this.explain(name, isDirectory)?.negated === false;
    const { all, indexes, hasNegated, others } = this.#scope;
    let found = false;
    for (const index of indexes) found ||= index.has(name, this.#path, isDirectory);
    if (found ? !hasNegated : others === 0) return found;
    const path = toBytes(this.#path + name);
    return all.ignores(isDirectory ? `${path}/` : path);
  }

  /** Whether a negated rule is the last that matches, in a directory that is not ignored itself. */
  unignores(name: string, isDirectory: boolean): boolean {
    if (!this.#scope || this.ignoresAll) return false;
    if (this.#goesByRule(name, isDirectory)) return this.explain(name, isDirectory)?.negated === true;
    if (!this.#scope.hasNegated) return false;
    const path = toBytes(this.#path + name);
    return this.#scope.all.test(isDirectory ? `${path}/` : path).unignored;
  }

  /** The rule that decides on a name: the last that matches. Slow; undefined below what is ignored. */
  explain(name: string, isDirectory: boolean): Rule | undefined {
    if (!this.#scope || this.ignoresAll) return undefined;
    const prepared = PREPARED.get(this.#scope) ?? prepareAll(this.#scope);
    PREPARED.set(this.#scope, prepared);
    const path = toBytes(this.#path + name);
    return prepared.find((rule) => rule.matches(path, isDirectory))?.rule;
  }

  /** Whether a wild rule matches, or one has brought back a directory on the way, which the library would ask for. */
  #goesByRule(name: string, isDirectory: boolean): boolean {
    return !this.ignoresAll && (this.#isBroughtBack || this.#wildFor(name, isDirectory).length > 0);
  }

  #wildFor(name: string, isDirectory: boolean): readonly PreparedRule[] {
    const wild = this.#scope?.wild ?? [];
    if (wild.length === 0) return wild;
    const path = toBytes(this.#path + name);
    return wild.filter((rule) => rule.matches(path, isDirectory));
  }
}

function prepareAll({ files }: Scope): PreparedRule[] {
  return files.flatMap(({ rules, path }) => rules.map((rule) => new PreparedRule(rule, toBytes(path)))).reverse();
}

/** The rule as a pattern of the directory where the rules begin. */
function fromTop({ pattern, negated, directoriesOnly, anchored }: Pattern, path: string): string {
  const where = toLiteral(path) + (anchored ? '' : '**/');
  return `${negated ? '!' : ''}/${where}${pattern}${directoriesOnly ? '/' : ''}`;
}

/** A line break cannot stand in a rule; what holds in a directory is asked of nothing beside it that `?` could mean. */
function toLiteral(path: string): string {
  return path.replace(/[\\*?[\]! #]/g, '\\$&').replace(/[\r\n]/g, '?');
}

function toBytes(name: string): string {
  return ASCII.test(name) ? name : Buffer.from(name).toString('latin1');
}
