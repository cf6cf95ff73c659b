import createIgnore, { type Ignore } from 'ignore';
import type { Rule } from './ignore-rules.ts';
import { RuleIndex } from './rule-index.ts';

const ASCII = /^[\0-\x7f]*$/;
/** Names are compared by case, as git does where the file system does; paths need no check, since the walk made them. */
const OPTIONS = { ignorecase: false, allowRelativePaths: true } as const;

/** All rules that hold in a directory and, but for rule files further down, below it. */
interface Scope {
  /** Outermost first: the last rule that matches wins. */
  readonly all: Ignore;
  readonly indexes: readonly RuleIndex[];
  readonly hasNegated: boolean;
  /** How many patterns cannot be looked up. */
  readonly others: number;
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

  private constructor(scope: Scope | undefined, path: string, ignoresAll: boolean) {
    this.#scope = scope;
    this.#path = path;
    this.ignoresAll = ignoresAll;
  }

  /** How many patterns each name is held against, one by one. */
  get cost(): number {
    return this.#scope?.others ?? 0;
  }

  /** The same with the rules of a file in this directory, which go before those that hold already. */
  with(rules: readonly Rule[]): DirectoryRules {
    if (rules.length === 0) return this;
    const index = new RuleIndex(rules, this.#path);
    const all = createIgnore(OPTIONS);
    if (this.#scope) all.add(this.#scope.all);
    const scope = {
      // One string of lines: of a line alone the library would cut another carriage return, which git keeps.
      all: all.add(rules.map((rule) => `${fromTop(rule, toBytes(this.#path))}\r\n`).join('')),
      indexes: [...(this.#scope?.indexes ?? []), index],
      hasNegated: this.#scope?.hasNegated || rules.some(({ negated }) => negated),
      others: (this.#scope?.others ?? 0) + index.others,
    };
    return new DirectoryRules(scope, this.#path, this.ignoresAll);
  }

  /** The rules in a child directory, before its own. */
  child(name: string, ignored: boolean): DirectoryRules {
    if (ignored || this.ignoresAll) return DirectoryRules.#ALL;
    return new DirectoryRules(this.#scope, `${this.#path}${name}/`, false);
  }

  ignores(name: string, isDirectory: boolean): boolean {
    if (!this.#scope) return this.ignoresAll;
    const { all, indexes, hasNegated, others } = this.#scope;
    let found = false;
    for (const index of indexes) found ||= index.has(name, this.#path, isDirectory);
    if (found ? !hasNegated : others === 0) return found;
    const path = toBytes(this.#path + name);
    return all.ignores(isDirectory ? `${path}/` : path);
  }
}

/** The rule as a pattern of the directory where the rules begin. */
function fromTop({ pattern, negated, directoriesOnly, anchored }: Rule, path: string): string {
  const where = path.replace(/[\\*?[\]! #]/g, '\\$&') + (anchored ? '' : '**/');
  return `${negated ? '!' : ''}/${where}${pattern}${directoriesOnly ? '/' : ''}`;
}

function toBytes(name: string): string {
  return ASCII.test(name) ? name : Buffer.from(name).toString('latin1');
}
