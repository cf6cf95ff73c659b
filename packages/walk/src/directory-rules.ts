import type { NameRules, RuleRun } from './ignore-rules.ts';

const ASCII = /^[\0-\x7f]*$/;

/** A rule file as one directory sees it. */
interface Layer {
  /** Last to first. */
  readonly runs: readonly RuleRun[];
  /** The path from the rule file's directory to this one, in bytes; '' or with a slash at its end. */
  readonly prefix: string;
}

/** The rules of one run that can touch what lies in this directory. */
interface Step {
  readonly ignored: boolean;
  readonly names: readonly NameRules[];
  readonly paths: RuleRun['paths'];
  readonly prefix: string;
}

/**
 * The gitignore rules that hold in one directory: its own and those above, nearest first, `.git/info/exclude` last.
 * Rules that cannot touch this directory are left out once, here, and not for each name.
 */
export class DirectoryRules {
  static readonly NONE = new DirectoryRules([], false);
  static readonly #ALL = new DirectoryRules([], true);

  /** True below a directory that is ignored itself: no rule can bring back what lies there. */
  readonly ignoresAll: boolean;
  /** How many patterns each name is held against, one by one. */
  readonly cost: number;
  readonly #layers: readonly Layer[];
  readonly #steps: readonly Step[];

  private constructor(layers: readonly Layer[], ignoresAll: boolean) {
    this.#layers = layers;
    this.ignoresAll = ignoresAll;
    this.#steps = layers.flatMap(toSteps);
    this.cost = this.#steps.reduce((sum, { names, paths }) => sum + paths.length + costOf(names), 0);
  }

  /** The same with a rule file of this directory, which goes before those that hold already. */
  with(runs: readonly RuleRun[]): DirectoryRules {
    return runs.length === 0 ? this : new DirectoryRules([{ runs, prefix: '' }, ...this.#layers], this.ignoresAll);
  }

  /** The rules in a child directory, before its own. */
  child(name: string, ignored: boolean): DirectoryRules {
    if (ignored || this.ignoresAll) return DirectoryRules.#ALL;
    if (this.#layers.length === 0) return this;
    const step = `${toBytes(name)}/`;
    return new DirectoryRules(
      this.#layers.map(({ runs, prefix }) => ({ runs, prefix: prefix + step })),
      false,
    );
  }

  ignores(name: string, isDirectory: boolean): boolean {
    if (this.#steps.length === 0) return this.ignoresAll;
    const bytes = toBytes(name);
    for (const step of this.#steps) {
      if (stepMatches(step, bytes, isDirectory)) return step.ignored;
    }
    return false;
  }
}

function toSteps({ runs, prefix }: Layer): Step[] {
  return runs.flatMap(({ negated, names, inDirectory, inDirectories, paths }) => {
    const here = inDirectory.get(prefix);
    const matching = inDirectories.filter(({ directory }) => directory.matches(prefix));
    const all = [names, ...(here ? [here] : []), ...matching.map((rules) => rules.names)];
    const used = all.filter((rules) => !rules.isEmpty);
    return used.length + paths.length === 0 ? [] : [{ ignored: !negated, names: used, paths, prefix }];
  });
}

function stepMatches({ names, paths, prefix }: Step, name: string, isDirectory: boolean): boolean {
  for (const rules of names) {
    if (rules.matches(name, isDirectory)) return true;
  }
  if (paths.length === 0) return false;
  const whole = prefix + name;
  return paths.some(({ path, directoriesOnly }) => (isDirectory || !directoriesOnly) && path.matches(whole));
}

function costOf(names: readonly NameRules[]): number {
  return names.reduce((sum, { cost }) => sum + cost, 0);
}

function toBytes(name: string): string {
  return ASCII.test(name) ? name : Buffer.from(name).toString('latin1');
}
