import type { FileNames } from './names.ts';
import type { Rule } from './rule-file.ts';
import { RuleSet } from './rule-set.ts';

const ASCII = /^[\0-\x7f]*$/;

/** A rule file that holds in a directory. */
interface Source {
  readonly rules: RuleSet<Rule>;
  /** How much of a path from where the rules begin leads to the directory of the rule file. */
  readonly prefixLength: number;
}

/**
 * The gitignore rules that hold in one directory: those of `.git/info/exclude`, of the directories above it, and its
 * own. All paths and names in it are bytes (latin1).
 */
export class Gitignore {
  static readonly NONE = new Gitignore([], '', false);
  static readonly #ALL = new Gitignore([], '', true);

  /** True in a directory that is ignored itself: no rule can bring back what it holds. */
  readonly ignoresAll: boolean;
  /** The nearest rule file first: it wins over those above. */
  readonly #sources: readonly Source[];
  /** The path of the directory from where the rules begin; '' or with a slash at its end. */
  readonly #path: string;

  private constructor(sources: readonly Source[], path: string, ignoresAll: boolean) {
    this.#sources = sources;
    this.#path = path;
    this.ignoresAll = ignoresAll;
  }

  /** How many patterns an entry is matched against, one by one. */
  get cost(): number {
    return this.#sources.reduce((sum, { rules }) => sum + rules.cost, 0);
  }

  /** The same rules and those of a rule file in this directory. */
  with(rules: readonly Rule[]): Gitignore {
    if (rules.length === 0) return this;
    const own = { rules: new RuleSet(rules), prefixLength: this.#path.length };
    return new Gitignore([own, ...this.#sources], this.#path, this.ignoresAll);
  }

  /** The rules in a child directory, without its own. */
  child(name: string): Gitignore {
    return this.ignoresAll || this.find(name, true)?.excludes ? Gitignore.#ALL : this.openChild(name);
  }

  /** The rules in a child directory that is not ignored, or that is entered because it was named. */
  openChild(name: string): Gitignore {
    if (this.#sources.length === 0) return this; // Then the rules begin further down.
    return new Gitignore(this.#sources, `${this.#path}${toBytes(name)}/`, this.ignoresAll);
  }

  /** The rule that decides on an entry; undefined when none matches, and where everything is ignored. */
  find(name: string, isDirectory: boolean): Rule | undefined {
    if (this.#sources.length === 0) return undefined;
    const path = this.#path + toBytes(name);
    for (const { rules, prefixLength } of this.#sources) {
      const rule = rules.find(prefixLength === 0 ? path : path.slice(prefixLength), isDirectory);
      if (rule) return rule;
    }
    return undefined;
  }

  /** The files that might be ignored, which `find` decides. Their names must be plain. */
  filesInDoubt(files: FileNames): readonly string[] {
    if (this.ignoresAll) return files.toArray();
    return this.#sources.flatMap(({ rules, prefixLength }) =>
      rules.filesInDoubt(files, this.#path.slice(prefixLength)),
    );
  }
}

function toBytes(name: string): string {
  return ASCII.test(name) ? name : Buffer.from(name).toString('latin1');
}
