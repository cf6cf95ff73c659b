import { join } from 'node:path';
import { type planNamedTargets, targetDirectories } from '@jinn/context';
import type { DumpOptions } from '@jinn/context/dump';
import type { GitChanges } from '@jinn/git/git-changes';
import { isSensitiveSegment } from '@jinn/workspace/secrets/names';
import type { Flags } from './flags.ts';
import type { Machine } from './program-machine.ts';
import { type Range, realPathIn } from './range.ts';

type Plan = ReturnType<typeof planNamedTargets>;

/** What --changed and --diff add to a run. */
export type ChangeOptions = Pick<DumpOptions, 'only' | 'sections'>;

interface ChangedRun {
  readonly machine: Machine;
  readonly plan: Plan;
  /** What --changed names, if it is a range of commits. */
  readonly range: Range | undefined;
  readonly warn: (sentence: string) => void;
}

/** Finds what --changed and --diff add to a run: the only files to take in, and the diff at the head. */
export async function findChangeOptions(
  { changed, diff, afterChanged }: Pick<Flags, 'changed' | 'diff' | 'afterChanged'>,
  { machine, plan, range, warn }: ChangedRun,
): Promise<ChangeOptions> {
  if (changed === undefined && !diff) return {};
  const repositories = range?.repositories ?? (await findRepositories(changed ?? 'HEAD', machine, plan));
  if (afterChanged !== undefined && (await repositories[0]?.isCommit(afterChanged))) {
    warn(`${afterChanged} is a path and a commit; --changed=${afterChanged} means the commit`);
  }
  const ofTree = () => new Set(repositories.flatMap((changes) => changes.changed));
  const only = changed === undefined ? undefined : (range?.changed ?? ofTree());
  if (!diff) return { only };
  const place: DiffPlace = {
    outputRoot: realPathIn(range, plan.outputRoot),
    targets: range?.targets ?? plan.targets.map(({ workspace, path }) => join(workspace.root, path)),
  };
  return { only, sections: (paths) => diffSection(repositories, paths, place) };
}

interface DiffPlace {
  /** The directory that paths are shown from. */
  readonly outputRoot: string;
  /** Absolute paths. */
  readonly targets: readonly string[];
}

/** Returns the diff of the files that are shown, and of what was removed below the targets. */
async function diffSection(
  repositories: readonly GitChanges[],
  paths: readonly string[],
  { outputRoot, targets }: DiffPlace,
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

/** Finds the repositories that the targets lie in, with their changes. */
async function findRepositories(ref: string, machine: Machine, plan: Plan): Promise<GitChanges[]> {
  const { findAllChanges } = await import('@jinn/git/git-changes');
  return findAllChanges(targetDirectories(plan), ref, machine.variables);
}
