import { posix } from 'node:path';
import type { OpenDirectory } from '@jinn/workspace';
import {
  type Decider,
  type TakenFiles,
  TrackedFiles,
  type WalkEntry,
  type WalkOptions,
  walk,
} from '@jinn/workspace/walk';
import {
  classifyEntry,
  costOf,
  findUndecided,
  type GitVerdict,
  INCLUDED,
  isKept,
  openRules,
  type RuleLists,
  type Scope,
  scopeBelow,
  startScope,
  type Verdict,
} from '../rules/classify-entry.ts';
import { type ContextRule, withLists } from '../rules/context-rules.ts';
import { isBeatenByTracking } from '../rules/default-rules.ts';
import { FLAG_NAMES } from '../rules/exclusions.ts';
import { describeRule, describeVerdict } from '../rules/explanation.ts';
import { MOST_SVG_BYTES, vendorRule } from '../rules/omission-rules.ts';
import {
  compileLists,
  type PatternUses,
  readAttributes,
  readContextFiles,
  readRulesAbove,
} from '../rules/rule-lists.ts';
import { type Candidate, WalkedFile, type WalkedTree } from './candidate.ts';
import type { CollectOptions } from './collect-options.ts';
import type { Omissions } from './reported-omissions.ts';
import { below, type Target, type TargetPlan } from './targets.ts';

/** The facts about one target of a run. */
export interface TargetRun {
  readonly target: Target;
  readonly plan: TargetPlan;
  readonly options: CollectOptions;
  readonly omissions: Omissions;
  readonly uses: PatternUses;
  /** Paths below the target's workspace root that this run writes. */
  readonly ownOutputs: ReadonlySet<string>;
  /** Turns a path below the workspace root into the path that is shown. */
  readonly shown: (path: string) => string;
  /** Takes in a file by its path below the workspace root. */
  readonly take: (path: string, candidate: Candidate) => void;
}

/** Walks a directory that is a target, and takes in the files that the rules name. */
export class TargetWalk {
  readonly #run: TargetRun;
  readonly #lists: RuleLists;
  readonly #tree: WalkedTree;
  /** The other targets that this walk may come upon, below the workspace root. */
  readonly #otherTargets: ReadonlySet<string>;
  /** The files that git tracks, by the top of the repository. */
  readonly #tracked = new Map<string, TrackedFiles | undefined>();
  /** The scopes of directories that the walk has not read yet. */
  readonly #scopes = new Map<string, Scope>();

  constructor(run: TargetRun) {
    this.#run = run;
    this.#lists = compileLists(run.target, run.options, run.uses);
    this.#tree = treeOf(run);
    this.#otherTargets = otherTargets(run);
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

  /** Reports whether the files of a directory are taken at once; false if each file must be looked at. */
  #takesAtOnce(): boolean {
    const { options, plan, ownOutputs } = this.#run;
    const looksAtEach = options.explain || options.only || plan.targets.length > 1 || ownOutputs.size > 0;
    return options.takeFiles !== undefined && !looksAtEach;
  }

  #takeFiles(directory: OpenDirectory, { names, arePlain }: TakenFiles): Promise<void> | undefined {
    const { options, shown } = this.#run;
    const prefix = shown(prefixOf(directory));
    const candidateOf = (name: string) => new WalkedFile(this.#tree, directory, name, prefix + name);
    return options.takeFiles?.({ prefix, names, arePlain, candidateOf });
  }

  #visit({ kind, path, directory, name }: WalkEntry): undefined {
    if (kind !== 'file') return;
    this.#run.take(path, new WalkedFile(this.#tree, directory, name, this.#run.shown(path)));
  }

  #decideIn(directory: OpenDirectory, names: { has(name: string): boolean }): Decider {
    const above = this.#scopes.get(directory.path) as Scope;
    this.#scopes.delete(directory.path);
    const scope = this.#scopeIn(directory, names, above);
    return {
      decide: (entry, ignored, rule) => this.#decide(entry, scope, { ignored, rule }),
      cost: costOf(this.#lists, scope),
      filesInDoubt: (files) => findUndecided(this.#lists, scope, files),
    };
  }

  /** Adds the rules of a directory's own rule files. */
  #scopeIn(directory: OpenDirectory, names: { has(name: string): boolean }, above: Scope): Scope {
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

  #decide(entry: WalkEntry, scope: Scope, git: GitVerdict): boolean {
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

  #classifyFile(walked: WalkEntry, scope: Scope, git: GitVerdict): Decision {
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

  /** Leaves out a file that says next to nothing, but not a small SVG file. */
  #omit({ path, directory, name }: WalkEntry, verdict: Verdict, rule: ContextRule): Decision {
    const { omissions, shown } = this.#run;
    const isSvg = rule.pattern === '*.svg';
    const isRead = isSvg || omissions.countsTokens;
    const candidate = isRead ? new WalkedFile(this.#tree, directory, name, shown(path)) : undefined;
    if (isSvg && candidate && isSmall(candidate)) return { included: true, verdict };
    omissions.add(candidate);
    return { included: false, omittedBy: rule };
  }

  #classifyDirectory({ path, name }: WalkEntry, scope: Scope, git: GitVerdict): Decision {
    if (this.#isOtherTarget(path)) {
      this.#scopes.set(path, startScope(this.#lists, path, openRules(scope, name)));
      // The walk does not enter a directory that git ignores; as a target, it is walked by itself.
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
      return { included, isReported: true, verdict, reason: 'left out, but holds files that git tracks' };
    return { included, isReported: true, verdict, reason: 'left out, but entered for a later rule' };
  }

  #trackedIn({ top }: Scope): TrackedFiles | undefined {
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

/** The decision on an entry, and its reason: a verdict, a reason of its own, or both. */
interface Decision {
  readonly included: boolean;
  /** True if the walk reports or enters it; absent if the verdict says that. */
  readonly isReported?: boolean;
  readonly reason?: string;
  readonly verdict?: Verdict;
  /** The omission rule that leaves out a file which the verdict takes in. */
  readonly omittedBy?: ContextRule;
}

/** Returns the built-in rule that leaves an entry out, unless another rule matches it; else undefined. */
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

const SECRET = { included: false, reason: 'secret; no rule takes it in' } as const;
const MATCHED_BY_NONE: Decision = { included: true, verdict: INCLUDED };
const NAMED: Decision = { included: true, reason: 'named as a target' };

function describe({ verdict, omittedBy, reason }: Decision): string {
  const rule = omittedBy ? describeRule(omittedBy) : verdict && describeVerdict(verdict);
  return [rule, reason].filter(Boolean).join('; ');
}

/** Returns the part before a name in its path below the workspace root. */
function prefixOf({ path }: OpenDirectory): string {
  return path === '.' ? '' : `${path}/`;
}

function treeOf({ target, plan, options, shown }: TargetRun): WalkedTree {
  const { workspace, ruleRoot } = target;
  const { overrides, opensNamed } = options;
  // Overrides win over the files in the tree, so a new rule goes there.
  const ruleFile = overrides && overrides.content.length > 0 ? overrides.file : shown(`${ruleRoot}.contextfiles`);
  return { workspace, ruleRoot, ruleFile, reopener: plan.reopener, isGuarded: !opensNamed };
}

function otherTargets({ target, plan }: TargetRun): Set<string> {
  const others = plan.targets.filter((other) => other !== target);
  const reals = others.map(({ workspace, path }) => posix.join(workspace.root, path));
  return new Set(reals.map((real) => below(target.workspace.root, real)).filter((path) => path !== undefined));
}
