import type { OpenDirectory } from '@jinn/core';
import type { Decide, WalkEntry } from '@jinn/walk';
import { type ContextRule, isCatchAll, LAYERS } from './context-rule.ts';
import type { Kept } from './exclusions.ts';
import { couldMatchBelow } from './match-below.ts';
import { latest, type Named, type RuleTable } from './rule-table.ts';

/** What was decided on a file or a directory, for `--debug-explain`. */
export interface Explanation {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly included: boolean;
  /** Goes on after the path: "no rule matches", or the rule with its file and line. */
  readonly reason: string;
}

export interface JudgeOptions {
  /** The built-in rules. */
  readonly defaults: RuleTable;
  /** Overrides, then flags; each wins over all before it. */
  readonly late: readonly RuleTable[];
  readonly kept: Kept | undefined;
  /** The directory where rules begin, below the workspace root: '' or with a slash at its end. */
  readonly ruleRoot: string;
  /** Files that are taken in whatever the rules say, and directories that are entered so; below the workspace root. */
  readonly targets: ReadonlySet<string>;
  /** Left out whatever the rules say: what is being written. */
  readonly isOwnOutput: (path: string) => boolean;
  /** Reads the `.contextfiles` of a directory. */
  readonly readRules: (directory: OpenDirectory) => RuleTable;
  readonly explain: ((explanation: Explanation) => void) | undefined;
}

/** What holds in one directory of the walk. */
interface Scope {
  /** The `.contextfiles` from the rule root down. */
  readonly files: readonly RuleTable[];
  /** The built-in rule that matched the directory or one above it; undefined when something brought it back. */
  readonly low: ContextRule | undefined;
  /** The later rule that did. */
  readonly high: ContextRule | undefined;
  /** Inside what `--keep-only` names. */
  readonly isKept: boolean;
}

interface Verdict {
  readonly included: boolean;
  readonly low: ContextRule | undefined;
  readonly high: ContextRule | undefined;
  readonly reason: () => string;
}

/** Decides what of a tree belongs into the document (seeds/jinni-design, 3; the last rule that matches wins). */
export class TreeJudge {
  readonly #options: JudgeOptions;
  /** Scopes of directories that the walk has yet to read. */
  readonly #scopes = new Map<string, Scope>();

  constructor(options: JudgeOptions) {
    this.#options = options;
  }

  /** Begins at a target: what excludes the directory itself, or one above it, says nothing of what it holds. */
  start(path: string, above: readonly RuleTable[]): void {
    const { kept, ruleRoot } = this.#options;
    const inside = path === '.' ? [] : `${path}/`.slice(ruleRoot.length).split('/').slice(0, -1);
    const isKept = !kept || inside.some((name, i) => kept.has(name, inside.slice(0, i + 1).join('/')));
    this.#scopes.set(path, { files: above, low: undefined, high: undefined, isKept });
  }

  /** For the walk's `decideIn`. */
  readonly decideIn = (directory: OpenDirectory, has: (name: string) => boolean): Decide => {
    const above = this.#scopes.get(directory.path) as Scope;
    this.#scopes.delete(directory.path);
    const scope = has('.contextfiles')
      ? { ...above, files: [...above.files, this.#options.readRules(directory)] }
      : above;
    return (entry, ignored) => this.#decide(entry, ignored, scope);
  };

  #decide(entry: WalkEntry, ignored: boolean, scope: Scope): boolean {
    const { path, kind } = entry;
    if (kind !== 'file' && kind !== 'directory') {
      this.#explain(entry, false, () => (kind === 'link' ? 'symbolic link' : 'not a regular file'));
      return false;
    }
    if (kind === 'file' && this.#options.isOwnOutput(path)) {
      this.#explain(entry, false, () => 'written by this run');
      return false;
    }
    if (this.#options.targets.has(path)) {
      if (kind === 'directory') this.start(path, scope.files);
      this.#explain(entry, true, () => 'named as a target');
      return true;
    }
    return kind === 'file' ? this.#decideFile(entry, ignored, scope) : this.#decideDirectory(entry, ignored, scope);
  }

  #decideFile(entry: WalkEntry, ignored: boolean, scope: Scope): boolean {
    const { included, reason } = this.#judge(entry, ignored, scope);
    const isKept = scope.isKept || this.#keeps(entry);
    this.#explain(entry, included && isKept, () => (included && !isKept ? 'not named by --keep-only' : reason()));
    return included && isKept;
  }

  #decideDirectory(entry: WalkEntry, ignored: boolean, scope: Scope): boolean {
    const { included, low, high, reason } = this.#judge(entry, ignored, scope);
    const enters = included || this.#mayHoldIncluded(entry, ignored, scope, high ?? low);
    if (enters) {
      const isKept = scope.isKept || this.#keeps(entry);
      this.#scopes.set(entry.path, { files: scope.files, low, high, isKept });
    }
    this.#explain(entry, included, () => (enters && !included ? `${reason()}; entered for a later rule` : reason()));
    return enters;
  }

  #keeps({ name, path }: WalkEntry): boolean {
    return this.#options.kept?.has(name, path.slice(this.#options.ruleRoot.length)) ?? true;
  }

  /** Applies the lists in their order: built-in rules, gitignore, `.contextfiles`, overrides, flags. */
  #judge(entry: WalkEntry, ignored: boolean, scope: Scope): Verdict {
    const named = { name: entry.name, path: entry.path, isDirectory: entry.kind === 'directory' };
    const low = latest(scope.low, this.#options.defaults.find(named));
    const isBroughtBack = low !== undefined && !ignored && entry.isUnignored && !isCatchAllOf(entry);
    const base = !ignored && (low === undefined || low.includes || isBroughtBack);
    const high = this.#findHigh(named, scope, base);
    if (high) return { included: high.includes, low, high, reason: () => describe(high) };
    return {
      included: base,
      low: isBroughtBack ? undefined : low,
      high,
      reason: () => describeBase(entry, { ignored, low, isBroughtBack }),
    };
  }

  /**
   * The last rule above gitignore that matches, here or above. A bare star opens no directory that the built-in rules
   * or gitignore keep closed: it would bring in node_modules.
   */
  #findHigh(named: Named, { files, high }: Scope, base: boolean): ContextRule | undefined {
    const { late } = this.#options;
    const isClosed = named.isDirectory && !base;
    let found = isClosed && high?.includes && isCatchAll(high) ? undefined : high;
    for (const table of isClosed ? [...files, ...late].map(withoutCatchAlls) : files) {
      found = latest(found, table.find(named));
    }
    if (!isClosed) for (const table of late) found = latest(found, table.find(named));
    return found;
  }

  /** Whether an override could include something in a directory that a rule excludes. */
  #mayHoldIncluded({ path }: WalkEntry, ignored: boolean, scope: Scope, by: ContextRule | undefined): boolean {
    const overrides = this.#options.late.filter(({ hasInclusions }) => hasInclusions);
    if (overrides.length === 0 || by?.layer === LAYERS.flags) return false;
    const isClosed = ignored || by === undefined || by.layer === LAYERS.builtIn || this.#isBuiltIn(path, scope);
    return overrides.some(({ rules }) =>
      rules.some(
        (rule) =>
          rule.includes && rule.order > (by?.order ?? 0) && couldMatchBelow(rule, path, { onlyNamed: isClosed }),
      ),
    );
  }

  #isBuiltIn(path: string, { low }: Scope): boolean {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const rule = latest(low, this.#options.defaults.find({ name, path, isDirectory: true }));
    return rule !== undefined && !rule.includes;
  }

  #explain({ path, kind }: WalkEntry, included: boolean, reason: () => string): void {
    this.#options.explain?.({ path, isDirectory: kind === 'directory', included, reason: reason() });
  }
}

const NARROWED = new WeakMap<RuleTable, RuleTable>();

function withoutCatchAlls(table: RuleTable): RuleTable {
  if (!table.hasInclusions) return table;
  const known = NARROWED.get(table) ?? table.without((rule) => rule.includes && isCatchAll(rule));
  NARROWED.set(table, known);
  return known;
}

/** A negated gitignore rule such as that is all stars brings back directories for the files in them, not what is built in. */
function isCatchAllOf(entry: WalkEntry): boolean {
  return entry.kind === 'directory' && /^[*?/]*$/.test(entry.explain()?.pattern ?? '');
}

/** How a rule is named to people. */
function describe({ text, file, line }: ContextRule): string {
  return `rule ${JSON.stringify(text)} of ${file}, line ${line}`;
}

interface Base {
  readonly ignored: boolean;
  readonly low: ContextRule | undefined;
  readonly isBroughtBack: boolean;
}

function describeBase(entry: WalkEntry, { ignored, low, isBroughtBack }: Base): string {
  const rule = ignored || isBroughtBack ? entry.explain() : undefined;
  if (rule) {
    const text = Buffer.from(rule.text, 'latin1').toString();
    return `rule ${JSON.stringify(text)} of ${rule.file}, line ${rule.line}`;
  }
  if (ignored) return 'its directory is ignored by git';
  return low ? describe(low) : (unignoredBy(entry) ?? 'no rule matches');
}

function unignoredBy(entry: WalkEntry): string | undefined {
  const rule = entry.explain();
  return (
    rule && `rule ${JSON.stringify(Buffer.from(rule.text, 'latin1').toString())} of ${rule.file}, line ${rule.line}`
  );
}
