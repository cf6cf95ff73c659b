import { posix } from 'node:path';
import { type OpenDirectory, pathBelow } from '@jinn/workspace';
import {
  type Decider,
  type TakenFiles,
  TrackedFiles,
  type WalkEntry,
  type WalkOptions,
  walk,
} from '@jinn/workspace/walk';
import type { CharsetSources } from '../document/file-charsets.ts';
import { isBeatenByTracking, MOST_SVG_BYTES, vendorRule } from '../rules/built-in-rules.ts';
import {
  classifyEntry,
  costOf,
  describeRule,
  describeVerdict,
  type Explanation,
  findUndecided,
  type GitVerdict,
  INCLUDED,
  isKept,
  openRules,
  type RuleLists,
  type RuleScope,
  scopeBelow,
  startScope,
  type Verdict,
} from '../rules/classify-entry.ts';
import { type ContextRule, withLists } from '../rules/context-rules.ts';
import { FLAG_NAMES } from '../rules/exclusions.ts';
import {
  compileLists,
  type PatternUses,
  type RuleOptions,
  readAttributes,
  readContextFiles,
  readRulesAbove,
} from '../rules/rule-lists.ts';
import type { TokenCounter } from '../tokens/tokens.ts';
import { type Candidate, NamedFile, WalkedFile, type WalkedTree } from './candidate.ts';
import { escapePath } from './escape-path.ts';
import { Omissions } from './reported-omissions.ts';
import type { DumpTarget, TargetPlan } from './targets.ts';

/** Visits a file. The walk waits for a promise. */
export type CandidateVisitor = (candidate: Candidate) => Promise<undefined> | undefined;

/** Files of one directory that are taken at once. */
export interface TakenDirectory {
  readonly prefix: string;
  readonly names: readonly string[];
  readonly arePlain: boolean;
  candidateOf(name: string): Candidate;
}

export interface CollectOptions extends RuleOptions {
  /** Absolute paths that this run writes. They are omitted no matter what the rules say. */
  readonly ownOutputs?: readonly string[] | undefined;
  /** Absolute paths. If present, only these are taken in. */
  readonly only?: ReadonlySet<string> | undefined;
  /** True for targets that the user named, which are opened no matter what they are. Those of an agent are guarded. */
  readonly opensNamed?: boolean | undefined;
  readonly checkpoint: () => Promise<void>;
  /** Gets all files of a directory at once if that is possible, instead of a visit for each. A promise is awaited. */
  readonly takeFiles?: ((directory: TakenDirectory) => Promise<void> | undefined) | undefined;
  readonly onOmissions?: ((sentence: string) => void) | undefined;
  readonly counter?: TokenCounter | undefined;
  readonly explain?: ((explanation: Explanation) => void) | undefined;
  /** The settings and the session that decide encodings, in addition to a file and its project. */
  readonly charsets?: CharsetSources | undefined;
}

/** Visits the files that the targets and the rules name: target by target, and no file twice. */
export async function collectFiles(plan: TargetPlan, options: CollectOptions, visit: CandidateVisitor): Promise<void> {
  const warned = new Set<string>();
  const warn = (sentence: string) => {
    if (!warned.has(sentence)) options.warn(sentence);
    warned.add(sentence);
  };
  for (const sentence of plan.warnings) warn(sentence);
  const omissions = new Omissions(options.counter);
  const uses: PatternUses = new Map();
  const seen = plan.targets.length > 1 ? new Set<string>() : undefined;
  for (const target of plan.targets) {
    const run: TargetRun = {
      target,
      plan,
      options: { ...options, warn },
      omissions,
      uses,
      ownOutputs: pathsBelow(target, options.ownOutputs ?? []),
      shown: shownFrom(plan.outputRoot, target.workspace.root),
      take: createVisitor(target, seen, options.only, visit),
    };
    if (target.kind === 'file') await acceptFile(run);
    else await new TargetWalk(run).run();
  }
  for (const [label, { isMatched }] of uses) if (!isMatched) warn(`${escapePath(label)} matches nothing`);
  for (const sentence of omissions.sentences()) options.onOmissions?.(sentence);
}

function acceptFile({ target, options, ownOutputs, shown, take }: TargetRun): Promise<undefined> | undefined {
  const path = shown(target.path);
  if (ownOutputs.has(target.path)) {
    options.warn(`${escapePath(path)}: is written by this run, skipped`);
    return undefined;
  }
  options.explain?.({ path, isDirectory: false, included: true, reason: 'named as a target' });
  return take(target.path, new NamedFile(target, path, options.opensNamed === true));
}

function createVisitor(
  { workspace }: DumpTarget,
  seen: Set<string> | undefined,
  only: ReadonlySet<string> | undefined,
  visit: CandidateVisitor,
): TargetRun['take'] {
  if (!seen && !only) return (_, candidate) => visit(candidate);
  return (path, candidate) => {
    const real = posix.join(workspace.root, path);
    if (seen?.has(real) || only?.has(real) === false) return undefined;
    seen?.add(real);
    return visit(candidate);
  };
}

function pathsBelow({ workspace }: DumpTarget, paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.map((path) => pathBelow(workspace.root, path)).filter((path) => path !== undefined));
}

function shownFrom(outputRoot: string, root: string): (path: string) => string {
  if (outputRoot === root) return (path) => path;
  const above = pathBelow(outputRoot, root);
  if (above !== undefined) return (path) => `${above}/${path}`;
  return (path) => {
    const real = posix.join(root, path);
    return pathBelow(outputRoot, real) ?? real;
  };
}

interface TargetRun {
  readonly target: DumpTarget;
  readonly plan: TargetPlan;
  readonly options: CollectOptions;
  readonly omissions: Omissions;
  readonly uses: PatternUses;
  readonly ownOutputs: ReadonlySet<string>;
  readonly shown: (path: string) => string;
  readonly take: (path: string, candidate: Candidate) => Promise<undefined> | undefined;
}

class TargetWalk {
  readonly #run: TargetRun;
  readonly #lists: RuleLists;
  readonly #tree: WalkedTree;
  readonly #otherTargets: ReadonlySet<string>;
  readonly #tracked = new Map<string, TrackedFiles | undefined>();
  readonly #scopes = new Map<string, RuleScope>();

  constructor(run: TargetRun) {
    this.#run = run;
    this.#lists = compileLists(run.target, run.options, run.uses);
    this.#tree = treeOf(run);
    const others = run.plan.targets.filter((other) => other !== run.target);
    this.#otherTargets = pathsBelow(
      run.target,
      others.map(({ workspace, path }) => posix.join(workspace.root, path)),
    );
  }

  async run(): Promise<void> {
    const { target, options } = this.#run;
    const { workspace, path, ruleRoot } = target;
    this.#scopes.set(path, startScope(this.#lists, path, await readRulesAbove(target, this.#lists, options)));
    const walkOptions: WalkOptions = {
      hidden: true,
      gitignore: true,
      filesFirst: true,
      takeFiles: this.#takesAtOnce() ? (directory, files) => this.#takeFiles(directory, files) : undefined,
      rulesFrom: ruleRoot === '' ? '.' : ruleRoot.slice(0, -1),
      decideIn: (directory, names) => this.#decideIn(directory, names),
      onSecret: (secret, isDirectory) => options.explain?.({ ...SECRET, path: this.#run.shown(secret), isDirectory }),
      checkpoint: options.checkpoint,
    };
    const { warnings } = await walk(workspace, `./${path}`, walkOptions, (entry) => this.#visit(entry));
    for (const warning of warnings) options.warn(warning);
  }

  #takesAtOnce(): boolean {
    const { options, plan, ownOutputs } = this.#run;
    const looksAtEach = options.explain || options.only || plan.targets.length > 1 || ownOutputs.size > 0;
    return options.takeFiles !== undefined && !looksAtEach;
  }

  #takeFiles(directory: OpenDirectory, { names, arePlain }: TakenFiles): Promise<void> | undefined {
    const { options, shown } = this.#run;
    const prefix = shown(directory.path === '.' ? '' : `${directory.path}/`);
    const candidateOf = (name: string) => new WalkedFile(this.#tree, directory, name, prefix + name);
    return options.takeFiles?.({ prefix, names, arePlain, candidateOf });
  }

  #visit({ kind, path, directory, name }: WalkEntry): Promise<undefined> | undefined {
    if (kind !== 'file') return undefined;
    return this.#run.take(path, new WalkedFile(this.#tree, directory, name, this.#run.shown(path)));
  }

  #decideIn(directory: OpenDirectory, names: { has(name: string): boolean }): Decider {
    const above = this.#scopes.get(directory.path) as RuleScope;
    this.#scopes.delete(directory.path);
    const scope = this.#scopeIn(directory, names, above);
    return {
      decide: (entry, ignored, rule) => this.#decide(entry, scope, { ignored, rule }),
      cost: costOf(this.#lists, scope),
      filesInDoubt: (files) => findUndecided(this.#lists, scope, files),
    };
  }

  #scopeIn(directory: OpenDirectory, names: { has(name: string): boolean }, above: RuleScope): RuleScope {
    const { warn, noDefaults } = this.#run.options;
    const { cascade, attributes } = above;
    const isTarget = directory.path === this.#run.target.path;
    const vendored = noDefaults || isTarget ? undefined : vendorRule(directory.path, names);
    const hasRules = names.has('.contextfiles');
    const hasAttributes = names.has('.gitattributes') && !noDefaults;
    if (!vendored && !hasRules && !hasAttributes && !names.has('.git')) return above;
    return {
      ...above,
      cascade: hasRules ? withLists(cascade, [readContextFiles(directory, warn)]) : cascade,
      attributes: hasAttributes ? withLists(attributes, [readAttributes(directory)]) : attributes,
      omission: above.omission ?? vendored,
      top: names.has('.git') ? directory.path : above.top,
    };
  }

  #decide(entry: WalkEntry, scope: RuleScope, git: GitVerdict): boolean {
    const { path, kind } = entry;
    const decision =
      kind === 'directory' ? this.#classifyDirectory(entry, scope, git) : this.#classifyFile(entry, scope, git);
    this.#run.options.explain?.({
      path: this.#run.shown(path),
      isDirectory: kind === 'directory',
      included: decision.included,
      reason: describe(decision),
    });
    return decision.isReported ?? decision.included;
  }

  #classifyFile(walked: WalkEntry, scope: RuleScope, git: GitVerdict): Decision {
    const { path, name, kind } = walked;
    if (kind === 'link') return { included: false, reason: 'symbolic link' };
    if (kind === 'special') return { included: false, reason: 'not a regular file' };
    if (this.#run.ownOutputs.size > 0 && this.#run.ownOutputs.has(path))
      return { included: false, reason: 'written by this run' };
    if (this.#isOtherTarget(path)) return NAMED;
    const entry = { name, isDirectory: false };
    const verdict = classifyEntry(this.#lists, scope, entry, git);
    const isTracked = leftOutBy(verdict) !== undefined && this.#trackedIn(scope)?.has(path) === true;
    const included = verdict.included || (isTracked && isBeaten(verdict));
    if (!isKept(this.#lists, scope, entry)) return { included: false, reason: this.#notKept() };
    if (this.#isUnchanged(path)) return { included: false, reason: 'not changed' };
    if (!included && isTracked) this.#run.omissions.addTracked(leftOutBy(verdict) as ContextRule, 1);
    if (included && verdict.omission) return this.#omit(walked, verdict, verdict.omission);
    return included && isTracked ? { included, reason: 'tracked by git', verdict } : { included, verdict };
  }

  #omit({ path, directory, name }: WalkEntry, verdict: Verdict, rule: ContextRule): Decision {
    const { omissions, shown } = this.#run;
    const isSvg = rule.pattern === '*.svg';
    const isRead = isSvg || omissions.countsTokens;
    const candidate = isRead ? new WalkedFile(this.#tree, directory, name, shown(path)) : undefined;
    if (isSvg && candidate && isSmall(candidate)) return { included: true, verdict };
    omissions.add(candidate);
    return { included: false, omittedBy: rule };
  }

  #classifyDirectory({ path, name }: WalkEntry, scope: RuleScope, git: GitVerdict): Decision {
    if (this.#isOtherTarget(path)) {
      this.#scopes.set(path, startScope(this.#lists, path, openRules(scope, name)));
      // The walk does not enter a directory that git ignores. As a target, it is walked by itself.
      return git.ignored ? { ...NAMED, isReported: false } : NAMED;
    }
    const entry = { name, isDirectory: true };
    const verdict = classifyEntry(this.#lists, scope, entry, git);
    if (verdict === INCLUDED) {
      this.#scopes.set(path, { ...scope, ...openRules(scope, name) });
      return MATCHED_BY_NONE;
    }
    const rule = leftOutBy(verdict);
    const tracked = rule ? (this.#trackedIn(scope)?.countBelow(path) ?? 0) : 0;
    const holdsTracked = tracked > 0 && isBeaten(verdict);
    const inside = scopeBelow(this.#lists, scope, entry, { ...verdict, holdsTracked });
    if (!inside && rule && tracked > 0) this.#run.omissions.addTracked(rule, tracked);
    if (inside) this.#scopes.set(path, inside);
    const { included } = verdict;
    if (included || !inside) return { included, verdict };
    if (holdsTracked)
      return { included, isReported: true, verdict, reason: 'excluded, but contains files that Git tracks' };
    return { included, isReported: true, verdict, reason: 'excluded, but entered for a later rule' };
  }

  #trackedIn({ top }: RuleScope): TrackedFiles | undefined {
    if (!this.#tracked.has(top)) this.#tracked.set(top, TrackedFiles.find(this.#run.target.workspace, top));
    return this.#tracked.get(top);
  }

  #isOtherTarget(path: string): boolean {
    return this.#otherTargets.size > 0 && this.#otherTargets.has(path);
  }

  #notKept(): string {
    const { keepOnly, include } = this.#run.options.names ?? FLAG_NAMES;
    return `not named by ${keepOnly} or ${include}`;
  }

  #isUnchanged(path: string): boolean {
    const { options, target } = this.#run;
    return options.only?.has(posix.join(target.workspace.root, path)) === false;
  }
}

interface Decision {
  readonly included: boolean;
  /** True if the walk reports or enters it. Absent if the verdict says that. */
  readonly isReported?: boolean;
  readonly reason?: string;
  readonly verdict?: Verdict;
  /** The omission rule that omits a file which the verdict takes in. */
  readonly omittedBy?: ContextRule;
}

function leftOutBy({ included, later, ignored, builtIn }: Verdict): ContextRule | undefined {
  return included || later || ignored ? undefined : builtIn;
}

function isBeaten(verdict: Verdict): boolean {
  const rule = leftOutBy(verdict);
  return rule !== undefined && isBeatenByTracking(rule);
}

function isSmall(candidate: Candidate): boolean {
  try {
    return candidate.read(({ size }) => size <= MOST_SVG_BYTES);
  } catch {
    return false;
  }
}

const SECRET = { included: false, reason: 'secret: no rule includes it' } as const;
const MATCHED_BY_NONE: Decision = { included: true, verdict: INCLUDED };
const NAMED: Decision = { included: true, reason: 'named as a target' };

function describe({ verdict, omittedBy, reason }: Decision): string {
  const rule = omittedBy ? describeRule(omittedBy) : verdict && describeVerdict(verdict);
  return [rule, reason].filter(Boolean).join('; ');
}

function treeOf({ target, plan, options, shown }: TargetRun): WalkedTree {
  const { workspace, ruleRoot } = target;
  const { overrides, opensNamed } = options;
  // Overrides win over the files in the tree, so a new rule goes there.
  const ruleFile = overrides && overrides.content.length > 0 ? overrides.file : shown(`${ruleRoot}.contextfiles`);
  return { workspace, ruleRoot, ruleFile, reopener: plan.reopener, isGuarded: !opensNamed };
}
