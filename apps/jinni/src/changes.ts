import { join } from 'node:path';
import type { planNamedTargets } from '@jinn/context';
import type { DumpOptions } from '@jinn/context/dump';
import { isSensitiveSegment } from '@jinn/core';
import type { Flags } from './flags.ts';
import type { Machine } from './machine.ts';

type Plan = ReturnType<typeof planNamedTargets>;

/** What --changed and --diff add to a run: the files that may be taken in, and the diff at the head. */
export async function findChangeOptions(
  { changed, diff }: Pick<Flags, 'changed' | 'diff'>,
  { cwd, variables }: Machine,
  plan: Plan,
): Promise<Pick<DumpOptions, 'only' | 'sections'>> {
  if (changed === undefined && !diff) return {};
  const { findChanges } = await import('@jinn/process');
  const changes = await findChanges(plan.targets[0]?.workspace.root ?? cwd, changed ?? 'HEAD', variables);
  const only = changed === undefined ? undefined : new Set(changes.changed);
  if (!diff) return { only };
  return {
    only,
    sections: async (paths) => {
      const taken = new Set(paths.map((path) => (path.startsWith('/') ? path : join(plan.outputRoot, path))));
      const removed = changes.removed.filter((path) => isBelowTarget(path, plan) && !isSecret(path));
      const text = await changes.diffOf([...changes.changed.filter((path) => taken.has(path)), ...removed]);
      return text === '' ? [] : [{ title: 'diff', language: 'diff', text: text.trimEnd() }];
    },
  };
}

function isBelowTarget(path: string, { targets }: Plan): boolean {
  return targets.some((target) => path.startsWith(join(target.workspace.root, target.path, '/')));
}

function isSecret(path: string): boolean {
  return path.split('/').some(isSensitiveSegment);
}
