import { posix } from 'node:path';
import type { PatternUses } from '../rules/rule-lists.ts';
import { type Candidate, NamedFile } from './candidate.ts';
import type { CollectOptions } from './collect-options.ts';
import { Omissions } from './reported-omissions.ts';
import { showPath } from './show-path.ts';
import { type TargetRun, TargetWalk } from './target-walk.ts';
import { below, type Target, type TargetPlan } from './targets.ts';

/** Visits the files that the targets and the rules name: target by target, and no file twice. */
export async function collect(
  plan: TargetPlan,
  options: CollectOptions,
  visit: (candidate: Candidate) => void,
): Promise<void> {
  const warn = once(options.warn);
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
      ownOutputs: outputsBelow(target, options.ownOutputs ?? []),
      shown: shownFrom(plan.outputRoot, target.workspace.root),
      take: createVisitor(target, seen, options.only, visit),
    };
    if (target.kind === 'file') acceptFile(run);
    else await new TargetWalk(run).run();
  }
  for (const [label, { isMatched }] of uses) if (!isMatched) warn(`${showPath(label)} matches nothing`);
  for (const sentence of omissions.sentences()) options.onOmissions?.(sentence);
}

/** Takes in a file that is a target itself. */
function acceptFile({ target, options, ownOutputs, shown, take }: TargetRun): void {
  const path = shown(target.path);
  if (ownOutputs.has(target.path)) {
    options.warn(`${showPath(path)}: is written by this run, left out`);
    return;
  }
  options.explain?.({ path, isDirectory: false, included: true, reason: 'named as a target' });
  take(target.path, new NamedFile(target, path, options.opensNamed === true));
}

/** Visits a file unless it was seen in another target, or is not among the only ones. */
function createVisitor(
  { workspace }: Target,
  seen: Set<string> | undefined,
  only: ReadonlySet<string> | undefined,
  visit: (candidate: Candidate) => void,
): TargetRun['take'] {
  if (!seen && !only) return (_, candidate) => visit(candidate);
  return (path, candidate) => {
    const real = posix.join(workspace.root, path);
    if (seen?.has(real) || only?.has(real) === false) return;
    seen?.add(real);
    visit(candidate);
  };
}

function once(warn: (sentence: string) => void): (sentence: string) => void {
  const warned = new Set<string>();
  return (sentence) => {
    if (!warned.has(sentence)) warn(sentence);
    warned.add(sentence);
  };
}

function outputsBelow({ workspace }: Target, outputs: readonly string[]): ReadonlySet<string> {
  return new Set(outputs.map((path) => below(workspace.root, path)).filter((path) => path !== undefined));
}

function shownFrom(outputRoot: string, root: string): (path: string) => string {
  if (outputRoot === root) return (path) => path;
  const above = below(outputRoot, root);
  if (above !== undefined) return (path) => `${above}/${path}`;
  return (path) => {
    const real = posix.join(root, path);
    return below(outputRoot, real) ?? real;
  };
}
