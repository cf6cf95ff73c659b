import type { FileNames, Rule } from '@jinn/walk';
import { type ContextRule, isCatchAll, LAYERS, latest, type RuleTable } from './context-rules.ts';
import { couldMatchBelow } from './match-below.ts';

/** The rules that hold in a whole walk, whatever directory it is in. */
export interface RuleLists {
  readonly builtIn: RuleTable;
  /** Overrides, then flags; each wins over all before it. */
  readonly late: readonly RuleTable[];
  /** What `--keep-only` names; undefined keeps everything. */
  readonly kept: RuleTable | undefined;
}

/** The rules that hold in one directory of a walk, and what they say of the directory itself. */
export interface Scope {
  /** The `.contextfiles` from the rule root down. */
  readonly files: readonly RuleTable[];
  /** The built-in rule that matches the directory or one above it; undefined where another rule brings it back. */
  readonly builtIn: ContextRule | undefined;
  /** The rule of a later list that matches the directory or one above it. */
  readonly later: ContextRule | undefined;
  /** Whether the directory lies in what `--keep-only` names. */
  readonly isKept: boolean;
  /**
   * Which segments of the path, from 0, are directories that are left out by built-in rules or gitignore, but entered
   * because an override may take in something below them.
   */
  readonly closed: readonly number[];
  /** Whether git ignores the directory, and the rule by which it does. */
  readonly isIgnored: boolean;
  readonly ignoredBy: Rule | undefined;
}

export interface JudgedEntry {
  /** Below the workspace root. */
  readonly path: string;
  readonly isDirectory: boolean;
}

/** What git's rules say of an entry. */
export interface GitVerdict {
  readonly ignored: boolean;
  /** The rule that decides; undefined when none does, and below a directory that is ignored itself. */
  readonly rule: Rule | undefined;
}

/** What the rules say of an entry, and by which rule. */
export interface Verdict {
  readonly included: boolean;
  /** The built-in rule that matches the entry or a directory above it. */
  readonly builtIn: ContextRule | undefined;
  /** The rule of a later list that does. */
  readonly later: ContextRule | undefined;
  readonly ignored: boolean;
  /** The gitignore rule that decides on the entry, or on the ignored directory that it lies in. */
  readonly gitRule: Rule | undefined;
  /** Whether a negated gitignore rule brings back what a built-in rule leaves out. */
  readonly isBroughtBack: boolean;
  /** Whether this is a directory that built-in rules or gitignore leave out, and not only because of one above it. */
  readonly isClosed: boolean;
}

/**
 * Judges an entry of a directory. The lists apply in their order: built-in rules, gitignore, `.contextfiles`,
 * overrides, flags. The last rule that matches the entry or a directory above it wins.
 */
export function judge(lists: RuleLists, scope: Scope, entry: JudgedEntry, git: GitVerdict): Verdict {
  const { path, isDirectory } = entry;
  const { ignored, rule } = git;
  const own = lists.builtIn.find(path, isDirectory);
  const builtIn = latest(scope.builtIn, own);
  // An allow-list such as `!*/` brings back what gitignore leaves out, and nothing that is built in.
  const isBroughtBack = builtIn !== undefined && rule?.excludes === false && !isCatchAll(rule);
  const isLeftOut = ignored || (builtIn?.excludes === true && !isBroughtBack);
  const later = findLater(lists, scope, entry, isDirectory && isLeftOut);
  return {
    included: later ? !later.excludes : !isLeftOut,
    builtIn,
    later,
    ignored,
    gitRule: rule ?? (ignored ? scope.ignoredBy : undefined),
    isBroughtBack,
    isClosed: isDirectory && ((own !== undefined && !isBroughtBack) || (ignored && !scope.isIgnored)),
  };
}

/**
 * Finds the last rule above gitignore that matches an entry or a directory above it. A bare star opens no directory
 * that the built-in rules or gitignore leave out, because it would take in node_modules. It also takes back nothing
 * that an earlier rule opened by its name.
 */
function findLater(
  lists: RuleLists,
  scope: Scope,
  { path, isDirectory }: JudgedEntry,
  isLeftOut: boolean,
): ContextRule | undefined {
  let found = isLeftOut && scope.later && takesAllIn(scope.later) ? undefined : scope.later;
  for (const table of scope.files.concat(lists.late)) {
    found = latest(found, table.findNaming(path, isDirectory));
    const isOpenedByName = found !== undefined && !found.excludes && !isCatchAll(found);
    if (table.takesAllIn && !isLeftOut && !isOpenedByName) found = latest(found, table.find(path, isDirectory));
  }
  return found;
}

function takesAllIn(rule: ContextRule): boolean {
  return !rule.excludes && isCatchAll(rule);
}

/** The scope where a walk begins. Rules that leave out that directory, or one above it, say nothing of what it holds. */
export function startScope(lists: RuleLists, path: string, files: readonly RuleTable[]): Scope {
  const names = path === '.' ? [] : path.split('/');
  const isKept =
    !lists.kept || names.some((_, i) => lists.kept?.find(names.slice(0, i + 1).join('/'), true) !== undefined);
  const isOpen = { builtIn: undefined, later: undefined, closed: [], isIgnored: false, ignoredBy: undefined };
  return { files, isKept, ...isOpen };
}

/** The scope in a directory that was judged, without its own `.contextfiles`; undefined when it need not be entered. */
export function scopeBelow(lists: RuleLists, scope: Scope, entry: JudgedEntry, verdict: Verdict): Scope | undefined {
  const { included, builtIn, later, ignored, gitRule, isBroughtBack, isClosed } = verdict;
  const closed = isClosed ? [...scope.closed, entry.path.split('/').length - 1] : scope.closed;
  if (!included && !mayHoldIncluded(lists, entry.path, closed, later ?? builtIn)) return undefined;
  return {
    files: scope.files,
    builtIn: isBroughtBack ? undefined : builtIn,
    later,
    isKept: scope.isKept || isKept(lists, entry),
    closed: included ? [] : closed,
    isIgnored: ignored,
    ignoredBy: ignored ? gitRule : undefined,
  };
}

/** Whether an override could take in something in a directory that a rule leaves out. */
function mayHoldIncluded(
  { late }: RuleLists,
  path: string,
  closed: readonly number[],
  excludedBy: ContextRule | undefined,
): boolean {
  if (excludedBy?.layer === LAYERS.flags) return false;
  const order = excludedBy?.order ?? 0;
  return late.some(({ rules }) =>
    rules.some((rule) => !rule.excludes && rule.order > order && couldMatchBelow(rule, path, closed)),
  );
}

/** Whether `--keep-only` names an entry. */
export function isKept({ kept }: RuleLists, { path, isDirectory }: JudgedEntry): boolean {
  return !kept || kept.find(path, isDirectory) !== undefined;
}

/** The files of a directory that a rule might leave out. The directory is '' or has a slash at its end. */
export function findDoubtful(lists: RuleLists, scope: Scope, directory: string, files: FileNames): readonly string[] {
  if (scope.builtIn || scope.later?.excludes || !scope.isKept) return files.toArray();
  return [lists.builtIn, ...scope.files, ...lists.late].flatMap((table) => table.filesInDoubt(files, directory));
}
