import type { FileNames, NameFilter, Rule } from '@jinn/walk';
import { type ContextRule, isCatchAll, LAYERS, latest, type RuleTable } from './context-rules.ts';
import { couldMatchBelow } from './match-below.ts';
import type { OmissionTable } from './omission-rules.ts';

/** The rules that hold in a whole walk, whatever directory it is in. */
export interface RuleLists {
  /** What tells a reader next to nothing, such as lock files. A directory among it is entered, to count what it holds. */
  readonly omissions: OmissionTable;
  readonly builtIn: RuleTable;
  /** Lets through the names of all files that one of these two might leave out. */
  readonly doubts: NameFilter;
  /** Overrides, then flags; each wins over all before it. */
  readonly late: readonly RuleTable[];
  /** What `--keep-only` and `--include` name: one of each must name a file. None keeps everything. */
  readonly kept: readonly RuleTable[];
}

/** The rules that hold in one directory of a walk, and what they say of the directory itself. */
export interface Scope {
  /** The `.contextfiles` from the rule root down. */
  readonly files: readonly RuleTable[];
  /** The `.gitattributes` from the rule root down, as far as they say what is generated or vendored. */
  readonly attributes: readonly RuleTable[];
  /** The omission rule that matches the directory or one above it. */
  readonly omission: ContextRule | undefined;
  /** The built-in rule that matches the directory or one above it; undefined where another rule brings it back. */
  readonly builtIn: ContextRule | undefined;
  /** The rule of a later list that matches the directory or one above it. */
  readonly later: ContextRule | undefined;
  /** Which of the lists that must name a file name the directory or one above it. */
  readonly keptBy: readonly boolean[];
  /**
   * Which segments of the path, from 0, are directories that are left out by built-in rules or gitignore, but entered
   * because an override may take in something below them.
   */
  readonly closed: readonly number[];
  /** The top of the repository that the directory lies in, as far as the walk knows; else where the walk began. */
  readonly top: string;
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
  /** The omission rule that does, and leaves the entry out if no other rule says something of it. */
  readonly omission: ContextRule | undefined;
  readonly ignored: boolean;
  /** The gitignore rule that decides on the entry, or on the ignored directory that it lies in. */
  readonly gitRule: Rule | undefined;
  /** Whether a negated gitignore rule brings back what a built-in rule leaves out. */
  readonly isBroughtBack: boolean;
  /** Whether this is a directory that built-in rules or gitignore leave out, and not only because of one above it. */
  readonly isClosed: boolean;
}

/** The verdict on what no rule matches. In such a directory, the same rules hold as above it. */
export const TAKEN: Verdict = {
  included: true,
  builtIn: undefined,
  later: undefined,
  omission: undefined,
  ignored: false,
  gitRule: undefined,
  isBroughtBack: false,
  isClosed: false,
};

/**
 * Judges an entry of a directory. The lists apply in their order: built-in rules, gitignore, `.contextfiles`,
 * overrides, flags. The last rule that matches the entry or a directory above it wins.
 */
export function judge(lists: RuleLists, scope: Scope, entry: JudgedEntry, git: GitVerdict): Verdict {
  const { path, isDirectory } = entry;
  const own = lists.builtIn.find(path, isDirectory);
  const omission = lists.omissions.find(path, isDirectory);
  const isMatched = own !== undefined || git.ignored || git.rule !== undefined;
  if (!isMatched && isPlain(lists, scope, isDirectory)) return omission ? { ...TAKEN, omission } : TAKEN;
  return judgeFully(lists, scope, { path, isDirectory, own, omission }, git);
}

/** An entry with the built-in rules that match it itself. */
interface MatchedEntry extends JudgedEntry {
  readonly own: ContextRule | undefined;
  readonly omission: ContextRule | undefined;
}

function judgeFully(lists: RuleLists, scope: Scope, entry: MatchedEntry, { ignored, rule }: GitVerdict): Verdict {
  const { own, isDirectory } = entry;
  const builtIn = latest(scope.builtIn, own);
  // An allow-list such as `!*/` brings back what gitignore leaves out, and nothing that is built in.
  const isBroughtBack = builtIn !== undefined && rule?.excludes === false && !isCatchAll(rule);
  const isLeftOut = ignored || (builtIn?.excludes === true && !isBroughtBack);
  const isNamed = (own !== undefined && !isBroughtBack) || (ignored && rule?.excludes === true);
  const later = findLater(lists, scope, entry, {
    isLeftOut: isDirectory && isLeftOut,
    isNamed: isDirectory && isNamed,
  });
  const omission = later || rule?.excludes === false ? undefined : findOmission(scope, entry);
  const isOmitted = omission?.excludes === true && !isAskedFor(lists, entry, omission);
  return {
    included: later ? !later.excludes : !isLeftOut,
    builtIn,
    later,
    omission: isOmitted ? omission : undefined,
    ignored,
    gitRule: rule ?? (ignored ? scope.ignoredBy : undefined),
    isBroughtBack,
    isClosed: isDirectory && ((own !== undefined && !isBroughtBack) || (ignored && !scope.isIgnored)),
  };
}

/** Whether nothing holds in a directory but the built-in rules and gitignore, and they take in the directory itself. */
function isPlain(
  { late, kept }: RuleLists,
  { files, attributes, builtIn, later, omission, closed, isIgnored }: Scope,
  isDirectory: boolean,
): boolean {
  if (builtIn || later || omission || isIgnored || closed.length > 0) return false;
  return late.length + kept.length + files.length === 0 && (isDirectory || attributes.length === 0);
}

/**
 * Finds the last rule above gitignore that matches an entry or a directory above it. A bare star opens no directory
 * that the built-in rules or gitignore leave out, because it would take in node_modules. It also takes back nothing
 * that an earlier rule opened by its name. A directory that they leave out by its own name is not opened by a rule for a
 * directory above it either: `src/` takes in src, but not src/node_modules.
 */
function findLater(
  lists: RuleLists,
  scope: Scope,
  { path, isDirectory }: JudgedEntry,
  { isLeftOut, isNamed }: { readonly isLeftOut: boolean; readonly isNamed: boolean },
): ContextRule | undefined {
  const isInherited = scope.later && !(isNamed && !scope.later.excludes) && !(isLeftOut && takesAllIn(scope.later));
  let found = isInherited ? scope.later : undefined;
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

function findOmission({ attributes, omission }: Scope, entry: MatchedEntry): ContextRule | undefined {
  const { path, isDirectory } = entry;
  const own = latest(omission, entry.omission);
  if (isDirectory) return own;
  return attributes.reduce((found, table) => latest(found, table.find(path, false)), own);
}

/**
 * Whether `--keep-only` or `--include` ask for a file that is otherwise omitted: by its name, or by the very glob of the
 * omission, such as `*.svg`. A wider glob such as `*.js` does not bring back what is minified.
 */
function isAskedFor({ kept }: RuleLists, { path, isDirectory }: JudgedEntry, omission: ContextRule): boolean {
  if (isDirectory) return false;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return kept.some((table) => {
    const pattern = table.find(path, false)?.pattern;
    const last = pattern?.slice(pattern.lastIndexOf('/') + 1);
    return last !== undefined && (last === name || last === omission.pattern);
  });
}

/** The rule files that hold where a walk begins, from the rule root down. */
export type RulesAbove = Pick<Scope, 'files' | 'attributes'>;

/** The scope where a walk begins. Rules that leave out that directory, or one above it, say nothing of what it holds. */
export function startScope(lists: RuleLists, path: string, { files, attributes }: RulesAbove): Scope {
  const names = path === '.' ? [] : path.split('/');
  const keptBy = lists.kept.map((table) =>
    names.some((_, i) => table.find(names.slice(0, i + 1).join('/'), true) !== undefined),
  );
  const isOpen = { builtIn: undefined, later: undefined, closed: [], isIgnored: false, ignoredBy: undefined };
  return { files, attributes, omission: undefined, keptBy, top: path, ...isOpen };
}

/**
 * The scope in a directory that was judged, without its own rule files; undefined when it need not be entered. With
 * `holdsTracked`, it is entered although it is left out.
 */
export function scopeBelow(
  lists: RuleLists,
  scope: Scope,
  entry: JudgedEntry,
  verdict: Verdict & { readonly holdsTracked?: boolean },
): Scope | undefined {
  const { included, builtIn, later, omission, ignored, gitRule, isBroughtBack, isClosed, holdsTracked } = verdict;
  const closed = isClosed ? [...scope.closed, entry.path.split('/').length - 1] : scope.closed;
  const late = [...scope.files, ...lists.late];
  if (!included && !holdsTracked && !mayHoldIncluded(late, entry.path, closed, later ?? builtIn)) return undefined;
  return {
    files: scope.files,
    attributes: scope.attributes,
    top: scope.top,
    builtIn: isBroughtBack ? undefined : builtIn,
    later,
    omission,
    keptBy: lists.kept.map((table, i) => scope.keptBy[i] === true || table.find(entry.path, true) !== undefined),
    closed: included ? [] : closed,
    isIgnored: ignored,
    ignoredBy: ignored ? gitRule : undefined,
  };
}

/** Whether a later rule could take in something in a directory that a rule leaves out. */
function mayHoldIncluded(
  late: readonly RuleTable[],
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

/** Whether every list that must name a file names this one, or a directory that it lies in. */
export function isKept({ kept }: RuleLists, { keptBy }: Scope, { path, isDirectory }: JudgedEntry): boolean {
  return kept.every((table, i) => keptBy[i] === true || table.find(path, isDirectory) !== undefined);
}

/** The files of a directory that a rule might leave out. The directory is '' or has a slash at its end. */
export function findDoubtful(lists: RuleLists, scope: Scope, directory: string, files: FileNames): readonly string[] {
  const { builtIn, omission, later, keptBy, attributes } = scope;
  if (builtIn || omission || later?.excludes || keptBy.includes(false)) return files.toArray();
  const known = files.thatMightMatch(lists.doubts);
  const tables = [...attributes, ...scope.files, ...lists.late];
  return tables.length === 0 ? known : known.concat(tables.flatMap((table) => table.filesInDoubt(files, directory)));
}
