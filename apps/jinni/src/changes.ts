import { dirname, join } from 'node:path';
import type { planNamedTargets } from '@jinn/context';
import type { DumpOptions } from '@jinn/context/dump';
import type { GitChanges } from '@jinn/git/git-changes';
import { isSensitiveSegment } from '@jinn/secrets/names';
import type { Flags } from './flags.ts';
import type { Machine } from './program-machine.ts';

type Plan = ReturnType<typeof planNamedTargets>;

/** Finds what --changed and --diff add to a run: the only files to take in, and the diff at the head. */
export async function findChangeOptions(
  { changed, diff, afterChanged }: Pick<Flags, 'changed' | 'diff' | 'afterChanged'>,
  machine: Machine,
  plan: Plan,
  warn: (sentence: string) => void,
): Promise<Pick<DumpOptions, 'only' | 'sections'>> {
  if (changed === undefined && !diff) return {};
  const repositories = await findRepositories(changed ?? 'HEAD', machine, plan);
  if (afterChanged !== undefined && (await repositories[0]?.isCommit(afterChanged))) {
    warn(`${afterChanged} is a path and a commit; --changed=${afterChanged} means the commit`);
  }
  const only = changed === undefined ? undefined : new Set(repositories.flatMap((changes) => changes.changed));
  if (!diff) return { only };
  return {
    only,
    sections: async (paths) => {
      const taken = new Set(paths.map((path) => (path.startsWith('/') ? path : join(plan.outputRoot, path))));
      const isGone = (path: string) => isBelowTarget(path, plan) && !isSecret(path);
      const diffs: string[] = [];
      for (const { changed, removed, diffOf } of repositories) {
        diffs.push(
          await diffOf([...changed.filter((path) => taken.has(path)), ...removed.filter(isGone)], plan.outputRoot),
        );
      }
      const text = diffs.join('').trimEnd();
      return text === '' ? [] : [{ title: 'diff', language: 'diff', text }];
    },
  };
}

/** Finds the repositories that the targets lie in, with their changes. */
async function findRepositories(ref: string, machine: Machine, plan: Plan): Promise<GitChanges[]> {
  const { findChanges } = await import('@jinn/git/git-changes');
  const found: GitChanges[] = [];
  for (const { workspace, path, kind } of plan.targets) {
    const target = join(workspace.root, path);
    const directory = kind === 'directory' ? target : dirname(target);
    if (found.some(({ top }) => liesIn(directory, top, machine))) continue;
    found.push(await findChanges(directory, ref, machine.variables));
  }
  return found;
}

/** Reports whether a directory lies in a repository, and not in another repository inside of it. */
function liesIn(directory: string, top: string, machine: Machine): boolean {
  let at = directory;
  while (at !== top && at !== dirname(at) && !machine.exists(join(at, '.git'))) at = dirname(at);
  return at === top;
}

function isBelowTarget(path: string, { targets }: Plan): boolean {
  return targets.some((target) => path.startsWith(join(target.workspace.root, target.path, '/')));
}

function isSecret(path: string): boolean {
  return path.split('/').some(isSensitiveSegment);
}
