import type { OpenDirectory } from '@jinn/core';
import { type Decider, splitNames, type WalkEntry } from '@jinn/walk';
import { type ContextRule, isCatchAll, LAYERS } from './context-rule.ts';
import { couldMatchBelow } from './match-below.ts';
import { latest, type RuleTable } from './rule-table.ts';

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
  /** What `--keep-only` names, on paths below the rule root; undefined keeps all. */
  readonly kept: RuleTable | undefined;
  /** The directory where rules begin, below the workspace root: '' or with a slash at its end. */
  readonly ruleRoot: string;
  /** Files that are taken in whatever the rules say, and directories that are entered so; below the workspace root. */
  readonly targets: ReadonlySet<string>;
  /** Left out whatever the rules say: what is being written. */
  readonly isOwnOutput: (path: string) => boolean;
  /** Says of a file, below the workspace root, that it is not among those that changed; undefined when none is asked. */
  readonly isUnchanged: ((path: string) => boolean) | undefined;
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
  /** The places in the path of directories that were entered though built-in rules or gitignore keep them closed. */
  readonly closed: readonly number[];
  /** Ignored by git, as all that it holds. */
  readonly isIgnored: boolean;
  /** What made git ignore the directory or one above it, in words; for explaining. */
  readonly ignoredBy?: string | undefined;
}

/** What was found on the thing judged last. */
interface Findings {
  ignored: boolean;
  low: ContextRule | undefined;
  high: ContextRule | undefined;
  /** A negated gitignore rule brings back what a built-in rule leaves out. */
  isBroughtBack: boolean;
  /** It is a directory that a built-in rule or gitignore keeps closed, and not only as a part of one above it. */
  isClosed: boolean;
}

/** Decides what of a tree belongs into the document (seeds/jinni-design, 3; the last rule that matches wins). */
export class TreeJudge {
  readonly #options: JudgeOptions;
  /** Scopes of directories that the walk has yet to read. */
  readonly #scopes = new Map<string, Scope>();
  /** Written over each time: an object for each of many thousands would cost more than the judgement. */
  readonly #found: Findings = {
    ignored: false,
    low: undefined,
    high: undefined,
    isBroughtBack: false,
    isClosed: false,
  };

  constructor(options: JudgeOptions) {
    this.#options = options;
  }

  /** Begins at a target: what excludes the directory itself, or one above it, says nothing of what it holds. */
  start(path: string, above: readonly RuleTable[]): void {
    const { kept, ruleRoot } = this.#options;
    const inside = path === '.' ? [] : `${path}/`.slice(ruleRoot.length).split('/').slice(0, -1);
    const isKept = !kept || inside.some((name, i) => kept.find(name, inside.slice(0, i + 1).join('/'), true));
    const open = { low: undefined, high: undefined, closed: [], isIgnored: false };
    this.#scopes.set(path, { files: above, isKept, ...open });
  }

  /** For the walk's `decideIn`. */
  readonly decideIn = (directory: OpenDirectory, names: { has(name: string): boolean }): Decider => {
    const above = this.#scopes.get(directory.path) as Scope;
    this.#scopes.delete(directory.path);
    const scope = names.has('.contextfiles')
      ? { ...above, files: [...above.files, this.#options.readRules(directory)] }
      : above;
    return {
      decide: (entry, ignored) => this.#decide(entry, ignored, scope),
      filesInDoubt: (names) => this.#filesInDoubt(names, scope),
    };
  };

  /** Those of some files that something in the lists could leave out. */
  #filesInDoubt(names: string, { low, high, isKept, files }: Scope): readonly string[] {
    if (low || high?.includes === false || !isKept) return splitNames(names);
    const { defaults, late } = this.#options;
    return [defaults, ...files, ...late].flatMap((table) => table.filesInDoubt(names));
  }

  #decide(entry: WalkEntry, ignored: boolean, scope: Scope): boolean {
    const { path, kind } = entry;
    if (kind !== 'file' && kind !== 'directory') {
      this.#explain(entry, false, scope, kind === 'link' ? 'symbolic link' : 'not a regular file');
      return false;
    }
    if (kind === 'file' && this.#options.isOwnOutput(path)) {
      this.#explain(entry, false, scope, 'written by this run');
      return false;
    }
    if (this.#options.targets.size > 0 && this.#options.targets.has(path)) {
      if (kind === 'directory') this.start(path, scope.files);
      this.#explain(entry, true, scope, 'named as a target');
      return kind === 'file' || !ignored; // It has its own turn, where gitignore does not stop it.
    }
    const included = this.#judge(entry, path, ignored, scope);
    return kind === 'file' ? this.#takeFile(entry, included, scope) : this.#enter(entry, included, scope);
  }

  #takeFile(entry: WalkEntry, included: boolean, scope: Scope): boolean {
    if (included && !scope.isKept && !this.#keeps(entry)) {
      this.#explain(entry, false, scope, 'not named by --keep-only');
      return false;
    }
    if (included && this.#options.isUnchanged?.(entry.path)) {
      this.#explain(entry, false, scope, 'not changed');
      return false;
    }
    this.#explain(entry, included, scope);
    return included;
  }

  #enter(entry: WalkEntry, included: boolean, scope: Scope): boolean {
    const { ignored, low, high, isBroughtBack, isClosed } = this.#found;
    const closed = isClosed ? [...scope.closed, entry.path.split('/').length - 1] : scope.closed;
    const enters = included || this.#mayHoldIncluded(entry.path, closed);
    if (enters) {
      this.#scopes.set(entry.path, {
        files: scope.files,
        low: isBroughtBack ? undefined : low,
        high,
        isKept: scope.isKept || this.#keeps(entry),
        closed: included ? [] : closed,
        isIgnored: ignored,
        ignoredBy: this.#options.explain && ignored ? describeIgnored(entry, scope) : undefined,
      });
    }
    this.#explain(entry, included, scope, enters === included ? undefined : 'left out, but entered for a later rule');
    return enters;
  }

  #keeps({ name, path, kind }: WalkEntry): boolean {
    const { kept, ruleRoot } = this.#options;
    return !kept || kept.find(name, path.slice(ruleRoot.length), kind === 'directory') !== undefined;
  }

  /** Applies the lists in their order: built-in rules, gitignore, `.contextfiles`, overrides, flags. */
  #judge(entry: WalkEntry, path: string, ignored: boolean, scope: Scope): boolean {
    const isDirectory = entry.kind === 'directory';
    const own = this.#options.defaults.find(entry.name, path, isDirectory);
    const low = latest(scope.low, own);
    const isBroughtBack = low !== undefined && !ignored && entry.isUnignored && !isCatchAllOf(entry);
    const base = !ignored && (low === undefined || low.includes || isBroughtBack);
    const high = this.#findHigh(entry, path, isDirectory && !base, scope);
    this.#found.ignored = ignored;
    this.#found.low = low;
    this.#found.high = high;
    this.#found.isBroughtBack = isBroughtBack;
    this.#found.isClosed = isDirectory && ((own !== undefined && !isBroughtBack) || (ignored && !scope.isIgnored));
    return high ? high.includes : base;
  }

  /**
   * The last rule above gitignore that matches, here or above. A bare star opens no directory that the built-in rules
   * or gitignore keep closed: it would bring in node_modules.
   */
  #findHigh(entry: WalkEntry, path: string, isClosed: boolean, { files, high }: Scope): ContextRule | undefined {
    const isDirectory = entry.kind === 'directory';
    let found = isClosed && high?.includes && isCatchAll(high) ? undefined : high;
    for (const tables of [files, this.#options.late]) {
      for (const table of tables) {
        const named = withoutCatchAlls(table);
        found = latest(found, named.find(entry.name, path, isDirectory));
        // What lies closed in it is opened by a rule that names it; a star behind that takes nothing back.
        const isNamed = found?.includes && !isCatchAll(found);
        if (named !== table && !isClosed && !isNamed) found = latest(found, table.find(entry.name, path, isDirectory));
      }
    }
    return found;
  }

  /** Whether an override could include something in the directory judged last, which a rule excludes. */
  #mayHoldIncluded(path: string, closed: readonly number[]): boolean {
    const { low, high } = this.#found;
    const by = high ?? low;
    const overrides = this.#options.late.filter(({ hasInclusions }) => hasInclusions);
    if (overrides.length === 0 || by?.layer === LAYERS.flags) return false;
    const order = by?.order ?? 0;
    return overrides.some(({ rules }) =>
      rules.some((rule) => rule.includes && rule.order > order && couldMatchBelow(rule, path, closed)),
    );
  }

  /** Without a reason of its own, what was found on the thing judged last is the reason. */
  #explain(entry: WalkEntry, included: boolean, scope: Scope, reason?: string): void {
    const { explain } = this.#options;
    if (!explain) return;
    const rules =
      reason === undefined || reason.startsWith('left out') ? describeFindings(entry, this.#found, scope) : '';
    const text = [rules, reason].filter(Boolean).join('; ');
    explain({ path: entry.path, isDirectory: entry.kind === 'directory', included, reason: text });
  }
}

const NARROWED = new WeakMap<RuleTable, RuleTable>();

function withoutCatchAlls(table: RuleTable): RuleTable {
  if (!table.hasInclusions) return table;
  const known = NARROWED.get(table) ?? table.without((rule) => rule.includes && isCatchAll(rule));
  NARROWED.set(table, known);
  return known;
}

/** A negated gitignore rule that is all stars brings back what gitignore leaves out, not what is built in. */
function isCatchAllOf(entry: WalkEntry): boolean {
  return /^[*?/]*$/.test(entry.explain()?.pattern ?? '');
}

/** How a rule is named to people. */
function describe({ text, file, line }: Pick<ContextRule, 'text' | 'file' | 'line'>): string {
  return `rule ${JSON.stringify(text)} of ${file}, line ${line}`;
}

function describeFindings(entry: WalkEntry, { ignored, low, high, isBroughtBack }: Findings, scope: Scope): string {
  if (high) return describe(high);
  if (!ignored && !isBroughtBack && low) return describe(low);
  if (ignored) return describeIgnored(entry, scope);
  const rule = entry.explain();
  return rule ? describeGit(rule) : 'no rule matches';
}

/** Below what is ignored itself, that decides. */
function describeIgnored(entry: WalkEntry, { ignoredBy }: Scope): string {
  const rule = entry.explain();
  return rule ? describeGit(rule) : (ignoredBy ?? 'its directory is ignored by git');
}

function describeGit(rule: Pick<ContextRule, 'text' | 'file' | 'line'>): string {
  return describe({ ...rule, text: Buffer.from(rule.text, 'latin1').toString() });
}
