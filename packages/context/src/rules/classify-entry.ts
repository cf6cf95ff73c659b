import { Cascade, type Rule, type RuleContext, type RuleList } from '@jinn/workspace/walk';
import { escapePath } from '../targets/escape-path.ts';
import {
  type ContextList,
  type ContextRule,
  isCatchAll,
  isNaming,
  LAYERS,
  latest,
  latin1ToText,
  segmentsOf,
  withLists,
} from './context-rules.ts';

// The order of precedence: a later row wins over an earlier one, and in a row the last rule that matches the entry or a
// directory above it.
//
// | row | rules | what they do |
// |--:|---|---|
// | 1 | omissions, then `.gitattributes` | omit files that say little, if no rule of the rows 4 to 6 matches and gitignore does not bring them back |
// | 2 | built-in rules | omit names, wherever they are |
// | 3 | gitignore | omits. A negated rule that names something also brings back what row 2 omits |
// | 4 | `.contextfiles`, the deepest last | omit, or take in what the rows 2 and 3 omit |
// | 5 | overrides | do the same |
// | 6 | flags | do the same, and a directory that they omit is not entered |
//
// A file that is taken in must then be named by each list in `kept`.

/** The rules that hold in a whole walk, no matter what directory it is in. */
export interface RuleLists {
  readonly omissions: RuleList<ContextRule>;
  /** The directories of that kind. They are entered, to count what they hold. */
  readonly omittedDirectories: RuleList<ContextRule>;
  readonly builtIn: RuleList<ContextRule>;
  /** Overrides, then flags. Each wins over all before it. */
  readonly late: readonly ContextList[];
  /** The lists of `--keep-only` and `--include`: each must name a file. Without a list, every file is kept. */
  readonly kept: readonly ContextList[];
}

/** The lists of rules that hold in a directory and come from the tree, or win over those. */
export interface PlacedRules {
  /** The `.contextfiles` from the rule root down, then overrides and flags. */
  readonly cascade: Cascade<ContextRule>;
  /** The `.gitattributes` from the rule root down, as far as they say what is generated or vendored. */
  readonly attributes: Cascade<ContextRule>;
}

/** The rules that hold in one directory of a walk, and those that match the directory itself. */
export interface RuleScope extends PlacedRules {
  readonly omission: ContextRule | undefined;
  /** The built-in rule that matches the directory or one above it, or undefined if another rule brings it back. */
  readonly builtIn: ContextRule | undefined;
  readonly later: ContextRule | undefined;
  /** For each list in `kept`, whether it names the directory or one above it. */
  readonly keptBy: readonly boolean[];
  /** Segments of the path, from 0, that are excluded but entered, because an override may take in something below. */
  readonly closed: readonly number[];
  /** The top of the repository that the directory is in, as far as the walk knows, otherwise the start of the walk. */
  readonly top: string;
  readonly isIgnored: boolean;
  readonly ignoredBy: Rule | undefined;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/** The built-in rules are for names, wherever they are. */
const ANYWHERE: RuleContext = { directory: [], depth: 0 };

export interface GitVerdict {
  readonly ignored: boolean;
  /** The rule that decides, or undefined when none does, and below a directory that is ignored itself. */
  readonly rule: Rule | undefined;
}

/** The verdict of all rules on an entry, and the rule that decides. */
export interface Verdict {
  readonly included: boolean;
  readonly builtIn: ContextRule | undefined;
  readonly later: ContextRule | undefined;
  /** The omission rule that matches it, and leaves the entry out unless another rule matches it. */
  readonly omission: ContextRule | undefined;
  readonly ignored: boolean;
  /** The gitignore rule that decides on the entry, or on the ignored directory that it is in. */
  readonly gitRule: Rule | undefined;
  /** True if a negated gitignore rule brings back what a built-in rule omits. */
  readonly isBroughtBack: boolean;
  /** True for a directory that built-in rules or gitignore omit, and not only because of one above it. */
  readonly isClosed: boolean;
}

/** The verdict on an entry that no rule matches. In such a directory, the same rules hold as above it. */
export const INCLUDED: Verdict = {
  included: true,
  builtIn: undefined,
  later: undefined,
  omission: undefined,
  ignored: false,
  gitRule: undefined,
  isBroughtBack: false,
  isClosed: false,
};

/** Classifies an entry of a directory by all rules. */
export function classifyEntry(lists: RuleLists, scope: RuleScope, entry: DirectoryEntry, git: GitVerdict): Verdict {
  const { name, isDirectory } = entry;
  const own = lists.builtIn.find(ANYWHERE, name, isDirectory);
  const omission = (isDirectory ? lists.omittedDirectories : lists.omissions).find(ANYWHERE, name, isDirectory);
  const isMatched = own !== undefined || git.ignored || git.rule !== undefined;
  if (!isMatched && hasOnlyBuiltInRules(lists, scope, isDirectory))
    return omission ? { ...INCLUDED, omission } : INCLUDED;
  return classifyFully(lists, scope, { name, isDirectory, own, omission }, git);
}

interface MatchedEntry extends DirectoryEntry {
  readonly own: ContextRule | undefined;
  readonly omission: ContextRule | undefined;
}

function classifyFully(
  lists: RuleLists,
  scope: RuleScope,
  entry: MatchedEntry,
  { ignored, rule }: GitVerdict,
): Verdict {
  const { own, isDirectory } = entry;
  const builtIn = latest(scope.builtIn, own);
  // An allow-list such as `!*/` brings back what gitignore omits, and nothing that is built in.
  const isBroughtBack = builtIn !== undefined && rule?.excludes === false && !isCatchAll(rule);
  const isLeftOut = ignored || (builtIn?.excludes === true && !isBroughtBack);
  const isNamed = (own !== undefined && !isBroughtBack) || (ignored && rule?.excludes === true);
  const later = findLaterRule(scope, entry, { isLeftOut: isDirectory && isLeftOut, isNamed: isDirectory && isNamed });
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

function hasOnlyBuiltInRules(
  { kept }: RuleLists,
  { cascade, attributes, builtIn, later, omission, closed, isIgnored }: RuleScope,
  isDirectory: boolean,
): boolean {
  if (builtIn || later || omission || isIgnored || closed.length > 0) return false;
  return kept.length + cascade.lists.length === 0 && (isDirectory || attributes.lists.length === 0);
}

/**
 * Finds the last rule above gitignore that matches an entry or a directory above it. A bare star opens no directory
 * that the built-in rules or gitignore omit, because it would take in node_modules. It does not undo anything
 * that an earlier rule opened by its name. A directory that they omit by its own name is not opened by a rule for a
 * directory above it either: `src/` takes in src, but not src/node_modules.
 */
function findLaterRule(
  scope: RuleScope,
  { name, isDirectory }: DirectoryEntry,
  { isLeftOut, isNamed }: { readonly isLeftOut: boolean; readonly isNamed: boolean },
): ContextRule | undefined {
  const { later } = scope;
  const isOpening = later?.excludes === false;
  const isDropped = isOpening && (isNamed || (isLeftOut && isCatchAll(later)));
  let found = isDropped ? undefined : later;
  for (const { list, place } of scope.cascade.lists.toReversed()) {
    const last = findMarking(list, place, { name, isDirectory });
    found = latest(found, last && !isNaming(last) ? list.find(place, name, isDirectory, isNaming) : last);
    const isOpenedByName = found !== undefined && !found.excludes && !isCatchAll(found);
    if (!isLeftOut && !isOpenedByName) found = latest(found, last);
  }
  return found;
}

function findOmission({ attributes, omission }: RuleScope, entry: MatchedEntry): ContextRule | undefined {
  const own = latest(omission, entry.omission);
  return entry.isDirectory ? own : latest(own, attributes.find(entry.name, false));
}

/** A flag brings back an omitted file by its name, or by the same glob, such as `*.svg`, but not by a wider one. */
function isAskedFor({ kept }: RuleLists, scope: RuleScope, entry: DirectoryEntry, omission: ContextRule): boolean {
  if (entry.isDirectory) return false;
  return kept.some((list) => {
    const pattern = findKept(list, scope.cascade.directory, entry)?.pattern;
    const last = pattern?.slice(pattern.lastIndexOf('/') + 1);
    return last !== undefined && (last.replace(/\\(.)/gs, '$1') === entry.name || last === omission.pattern);
  });
}

function findKept({ list, base }: ContextList, directory: readonly string[], entry: DirectoryEntry) {
  return findMarking(list, { directory, depth: base.length }, entry);
}

function findMarking(
  list: RuleList<ContextRule>,
  place: RuleContext,
  { name, isDirectory }: DirectoryEntry,
): ContextRule | undefined {
  const found = list.find(place, name, isDirectory);
  const isNew = ({ use }: ContextRule) => use?.isMatched === false;
  for (let rule = found; rule?.use; rule = list.find(place, name, isDirectory, isNew)) rule.use.isMatched = true;
  return found;
}

/** Returns the rules that hold at the top of a workspace, before any of its rule files is read. */
export function rulesAtTop({ late }: Pick<RuleLists, 'late'>): PlacedRules {
  return { cascade: withLists(new Cascade(), late), attributes: new Cascade() };
}

/** Returns the same rules in a child directory. */
export function openRules({ cascade, attributes }: PlacedRules, name: string): PlacedRules {
  return { cascade: cascade.open(name), attributes: attributes.open(name) };
}

/** Returns the scope in which a walk starts. Rules that exclude that directory do not apply to its content. */
export function startScope({ kept }: RuleLists, path: string, { cascade, attributes }: PlacedRules): RuleScope {
  const names = segmentsOf(path);
  const keptBy = kept.map((list) =>
    names.some((name, i) => i >= list.base.length && findKept(list, names.slice(0, i), { name, isDirectory: true })),
  );
  const isOpen = { builtIn: undefined, later: undefined, closed: [], isIgnored: false, ignoredBy: undefined };
  return { cascade, attributes, omission: undefined, keptBy, top: path, ...isOpen };
}

/** Returns the scope in a classified directory, or undefined if it need not be entered. `holdsTracked` enters it anyway. */
export function scopeBelow(
  lists: RuleLists,
  scope: RuleScope,
  entry: DirectoryEntry,
  verdict: Verdict & { readonly holdsTracked?: boolean },
): RuleScope | undefined {
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
    keptBy: lists.kept.map((list, i) => findKept(list, directory, entry) !== undefined || scope.keptBy[i] === true),
    closed: included ? [] : closed,
    isIgnored: ignored,
    ignoredBy: ignored ? gitRule : undefined,
  };
}

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

/** Reports whether each list in `kept` names a file, or a directory that it is in. */
export function isKept({ kept }: RuleLists, { keptBy, cascade }: RuleScope, entry: DirectoryEntry): boolean {
  return kept
    .map((list, i) => findKept(list, cascade.directory, entry) !== undefined || keptBy[i] === true)
    .every(Boolean);
}

/** Returns the files of a directory that a rule might omit. */
export function findUndecided(lists: RuleLists, scope: RuleScope, files: readonly string[]): readonly string[] {
  const { builtIn, omission, later, keptBy, attributes, cascade } = scope;
  const isKeptInDoubt =
    keptBy.includes(false) || lists.kept.some(({ list }) => list.rules.some(({ use }) => use?.isMatched === false));
  if (builtIn || omission || later?.excludes || isKeptInDoubt) return files;
  return [
    ...lists.builtIn.filesInDoubt(ANYWHERE, files),
    ...lists.omissions.filesInDoubt(ANYWHERE, files),
    ...attributes.filesInDoubt(files),
    ...cascade.filesInDoubt(files),
  ];
}

/** Returns the most patterns that an entry is matched against, one by one. */
export function costOf({ kept }: RuleLists, { cascade, attributes }: RuleScope): number {
  return cascade.cost + attributes.cost + kept.reduce((sum, { list }) => sum + list.cost, 0);
}

/** The decision on a file or a directory, for `--debug-explain`. */
export interface Explanation {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly included: boolean;
  readonly reason: string;
}

/** Formats one decision as a line of text. */
export function explainLine({ path, isDirectory, included, reason }: Explanation): string {
  const kind = isDirectory ? 'directory' : 'file';
  return `${included ? 'Included' : 'Excluded'} ${kind} ${escapePath(path)}${isDirectory ? '/' : ''}: ${reason}`;
}

/** Describes the rule after a verdict. */
export function describeVerdict({ builtIn, later, ignored, gitRule, isBroughtBack }: Verdict): string {
  if (later) return describeRule(later);
  if (!ignored && !isBroughtBack && builtIn) return describeRule(builtIn);
  if (gitRule) return describeRule({ ...gitRule, text: latin1ToText(gitRule.text) });
  return ignored ? 'its directory is ignored' : 'no rule matches';
}

export function describeRule({ text, file, line }: Rule): string {
  return `rule ${JSON.stringify(text)} of ${file}, line ${line}`;
}
