import { join } from 'node:path';
import { type TargetPlan, targetDirectories } from '@jinn/context';
import type { DumpOptions } from '@jinn/context/dump';
import type { GitChanges } from '@jinn/git/git-changes';
import { isSensitiveSegment } from '@jinn/workspace/secrets/names';
import type { Flags } from './flags.ts';
import { type CommitRange, realPathIn } from './range.ts';
import { variables } from './start/jinni-system.ts';

/** What --changed and --diff add to a run. */
export type ChangeOptions = Pick<DumpOptions, 'only' | 'sections'>;

/** Finds the only files to take in, and the diff at the head. `range` is what --changed names, if it is a range. */
export async function findChangeOptions(
  { changed, diff, afterChanged }: Pick<Flags, 'changed' | 'diff' | 'afterChanged'>,
  { plan, range }: { readonly plan: TargetPlan; readonly range: CommitRange | undefined },
  warn: (sentence: string) => void,
): Promise<ChangeOptions> {
  const { findAllChanges } = await import('@jinn/git/git-changes');
  const repositories =
    range?.repositories ?? (await findAllChanges(targetDirectories(plan), changed ?? 'HEAD', variables()));
  if (afterChanged !== undefined && (await repositories[0]?.isCommit(afterChanged))) {
    warn(`${afterChanged} is a path and a commit; --changed=${afterChanged} means the commit`);
  }
  const ofTree = () => new Set(repositories.flatMap((changes) => changes.changed));
  const only = changed === undefined ? undefined : (range?.changed ?? ofTree());
  if (!diff) return { only };
  const outputRoot = realPathIn(range, plan.outputRoot);
  const targets = range?.targets ?? plan.targets.map(({ workspace, path }) => join(workspace.root, path));
  return { only, sections: (paths) => diffSection(repositories, paths, { outputRoot, targets }) };
}

async function diffSection(
  repositories: readonly GitChanges[],
  paths: readonly string[],
  { outputRoot, targets }: { readonly outputRoot: string; readonly targets: readonly string[] },
) {
  const taken = new Set(paths.map((path) => (path.startsWith('/') ? path : join(outputRoot, path))));
  const isTarget = (path: string) => targets.some((target) => path === target || path.startsWith(join(target, '/')));
  const diffs: string[] = [];
  for (const { changed, removed, diffOf } of repositories) {
    const gone = removed.filter((path) => isTarget(path) && !path.split('/').some(isSensitiveSegment));
    diffs.push(await diffOf([...changed.filter((path) => taken.has(path)), ...gone], outputRoot));
  }
  const text = diffs.join('').trimEnd();
  return text === '' ? [] : [{ title: 'diff', language: 'diff', text }];
}
