import { Cascade, type Place, type Rule, type RuleList } from '@jinn/walk';
import {
  type ContextList,
  type ContextRule,
  isCatchAll,
  isNaming,
  LAYERS,
  latest,
  namesOf,
  withLists,
} from './context-rules.ts';

/** The rules that hold in a whole walk, whatever directory it is in. */
export interface RuleLists {
  /** What tells a reader next to nothing, such as lock files. */
  readonly omissions: RuleList<ContextRule>;
  /** The directories of that kind. They are entered, to count what they hold. */
  readonly omittedDirectories: RuleList<ContextRule>;
  readonly builtIn: RuleList<ContextRule>;
  /** Overrides, then flags; each wins over all before it. */
  readonly late: readonly ContextList[];
  /** What `--keep-only` and `--include` name: one of each must name a file. None keeps everything. */
  readonly kept: readonly ContextList[];
}

/** The lists of rules that hold in a directory and come from the tree, or win over those. */
export interface PlacedRules {
  /** The `.contextfiles` from the rule root down, then overrides and flags. */
  readonly cascade: Cascade<ContextRule>;
  /** The `.gitattributes` from the rule root down, as far as they say what is generated or vendored. */
  readonly attributes: Cascade<ContextRule>;
}

/** The rules that hold in one directory of a walk, and what they say of the directory itself. */
export interface Scope extends PlacedRules {
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
  readonly name: string;
  readonly isDirectory: boolean;
}

/** The built-in rules are for names, wherever they are. */
const ANYWHERE: Place = { directory: [], depth: 0 };

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
  const { name, isDirectory } = entry;
  const own = lists.builtIn.find(ANYWHERE, name, isDirectory);
  const omission = (isDirectory ? lists.omittedDirectories : lists.omissions).find(ANYWHERE, name, isDirectory);
  const isMatched = own !== undefined || git.ignored || git.rule !== undefined;
  if (!isMatched && isPlain(lists, scope, isDirectory)) return omission ? { ...TAKEN, omission } : TAKEN;
  return judgeFully(lists, scope, { name, isDirectory, own, omission }, git);
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
  const later = findLater(scope, entry, {
    isLeftOut: isDirectory && isLeftOut,
    isNamed: isDirectory && isNamed,
  });
  const omission = later || rule?.excludes === false ? undefined : findOmission(scope, entry);
  const isOmitted = omission?.excludes === true && !isAskedFor(lists, scope, entry, omission);
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

/** Reports whether only the built-in rules and gitignore hold in a directory, and they take in the directory itself. */
function isPlain(
  { kept }: RuleLists,
  { cascade, attributes, builtIn, later, omission, closed, isIgnored }: Scope,
  isDirectory: boolean,
): boolean {
  if (builtIn || later || omission || isIgnored || closed.length > 0) return false;
  return kept.length + cascade.lists.length === 0 && (isDirectory || attributes.lists.length === 0);
}

/**
 * Finds the last rule above gitignore that matches an entry or a directory above it. A bare star opens no directory
 * that the built-in rules or gitignore leave out, because it would take in node_modules. It also takes back nothing
 * that an earlier rule opened by its name. A directory that they leave out by its own name is not opened by a rule for a
 * directory above it either: `src/` takes in src, but not src/node_modules.
 */
function findLater(
  scope: Scope,
  { name, isDirectory }: JudgedEntry,
  { isLeftOut, isNamed }: { readonly isLeftOut: boolean; readonly isNamed: boolean },
): ContextRule | undefined {
  const isInherited = scope.later && !(isNamed && !scope.later.excludes) && !(isLeftOut && takesAllIn(scope.later));
  let found = isInherited ? scope.later : undefined;
  for (const { list, place } of scope.cascade.lists.toReversed()) {
    const last = list.find(place, name, isDirectory);
    found = latest(found, last && !isNaming(last) ? list.find(place, name, isDirectory, isNaming) : last);
    const isOpenedByName = found !== undefined && !found.excludes && !isCatchAll(found);
    if (!isLeftOut && !isOpenedByName) found = latest(found, last);
  }
  return found;
}

function takesAllIn(rule: ContextRule): boolean {
  return !rule.excludes && isCatchAll(rule);
}

function findOmission({ attributes, omission }: Scope, entry: MatchedEntry): ContextRule | undefined {
  const own = latest(omission, entry.omission);
  return entry.isDirectory ? own : latest(own, attributes.find(entry.name, false));
}

/**
 * Reports whether `--keep-only` or `--include` ask for a file that is otherwise omitted: by its name, or by the very
 * glob of the omission, such as `*.svg`. A wider glob such as `*.js` does not bring back what is minified.
 */
function isAskedFor({ kept }: RuleLists, scope: Scope, entry: JudgedEntry, omission: ContextRule): boolean {
  const { name, isDirectory } = entry;
  if (isDirectory) return false;
  return kept.some((list) => {
    const pattern = findKept(list, scope.cascade.directory, entry)?.pattern;
    const last = pattern?.slice(pattern.lastIndexOf('/') + 1);
    return last !== undefined && (last === name || last === omission.pattern);
  });
}

/** Returns the rule of a kept list that names an entry. */
function findKept({ list, base }: ContextList, directory: readonly string[], { name, isDirectory }: JudgedEntry) {
  return list.find({ directory, depth: base.length }, name, isDirectory);
}

/** Returns the rules that hold at the top of a workspace, before any of its rule files is read. */
export function rulesAtTop({ late }: Pick<RuleLists, 'late'>): PlacedRules {
  return { cascade: withLists(new Cascade(), late), attributes: new Cascade() };
}

/** Returns the same rules in a child directory. */
export function openRules({ cascade, attributes }: PlacedRules, name: string): PlacedRules {
  return { cascade: cascade.open(name), attributes: attributes.open(name) };
}

/**
 * Returns the scope in which a walk begins. Rules that leave out that directory, or one above it, say nothing of what
 * it holds.
 */
export function startScope({ kept }: RuleLists, path: string, { cascade, attributes }: PlacedRules): Scope {
  const names = namesOf(path);
  const keptBy = kept.map((list) =>
    names.some((name, i) => i >= list.base.length && findKept(list, names.slice(0, i), { name, isDirectory: true })),
  );
  const isOpen = { builtIn: undefined, later: undefined, closed: [], isIgnored: false, ignoredBy: undefined };
  return { cascade, attributes, omission: undefined, keptBy, top: path, ...isOpen };
}

/**
 * Returns the scope in a directory that was judged, without its own rule files; undefined if it need not be entered.
 * With `holdsTracked`, it is entered although it is left out.
 */
export function scopeBelow(
  lists: RuleLists,
  scope: Scope,
  entry: JudgedEntry,
  verdict: Verdict & { readonly holdsTracked?: boolean },
): Scope | undefined {
  const { included, builtIn, later, omission, ignored, gitRule, isBroughtBack, isClosed, holdsTracked } = verdict;
  const { directory } = scope.cascade;
  const closed = isClosed ? [...scope.closed, directory.length] : scope.closed;
  const rules = openRules(scope, entry.name);
  if (!included && !holdsTracked && !mayHoldIncluded(rules.cascade, closed, later ?? builtIn)) return undefined;
  return {
    ...rules,
    top: scope.top,
    builtIn: isBroughtBack ? undefined : builtIn,
    later,
    omission,
    keptBy: lists.kept.map((list, i) => scope.keptBy[i] === true || findKept(list, directory, entry) !== undefined),
    closed: included ? [] : closed,
    isIgnored: ignored,
    ignoredBy: ignored ? gitRule : undefined,
  };
}

/** Reports whether a later rule could take in something in a directory that a rule leaves out. */
function mayHoldIncluded(
  cascade: Cascade<ContextRule>,
  closed: readonly number[],
  excludedBy: ContextRule | undefined,
): boolean {
  if (excludedBy?.layer === LAYERS.flags) return false;
  const order = excludedBy?.order ?? 0;
  return cascade.lists.some(({ list, place }) =>
    list.couldMatchBelow(place, closed, (rule) => !rule.excludes && rule.order > order),
  );
}

/** Reports whether every list that must name a file names this one, or a directory that it lies in. */
export function isKept({ kept }: RuleLists, { keptBy, cascade }: Scope, entry: JudgedEntry): boolean {
  return kept.every((list, i) => keptBy[i] === true || findKept(list, cascade.directory, entry) !== undefined);
}

/** Returns the files of a directory that a rule might leave out. */
export function findDoubtful(lists: RuleLists, scope: Scope, files: readonly string[]): readonly string[] {
  const { builtIn, omission, later, keptBy, attributes, cascade } = scope;
  if (builtIn || omission || later?.excludes || keptBy.includes(false)) return files;
  return [
    ...lists.builtIn.filesInDoubt(ANYWHERE, files),
    ...lists.omissions.filesInDoubt(ANYWHERE, files),
    ...attributes.filesInDoubt(files),
    ...cascade.filesInDoubt(files),
  ];
}

/** Returns the most patterns that an entry is matched against, one by one. */
export function costOf({ kept }: RuleLists, { cascade, attributes }: Scope): number {
  return cascade.cost + attributes.cost + kept.reduce((sum, { list }) => sum + list.cost, 0);
}
