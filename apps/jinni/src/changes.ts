import type { planNamedTargets } from '@jinn/context';
import type { DumpOptions } from '@jinn/context/dump';
import type { Flags } from './flags.ts';

const MAX_DIFF = 64 * 1024 * 1024;

/** What --changed and --diff add to a run: the files that may be taken in, and the diff at the head. */
export async function findChangeOptions(
  { changed, diff }: Pick<Flags, 'changed' | 'diff'>,
  cwd: string,
  plan: ReturnType<typeof planNamedTargets>,
): Promise<Pick<DumpOptions, 'only' | 'sections'>> {
  if (changed === undefined && !diff) return {};
  const { diffSince, findChanges } = await import('@jinn/process');
  const directory = plan.targets[0]?.workspace.root ?? cwd;
  const ref = changed ?? 'HEAD';
  const changes = await findChanges(directory, ref);
  return {
    only: changed === undefined ? undefined : new Set(changes.changed),
    sections: diff
      ? async (paths) => {
          const taken = new Set(paths.map((path) => (path.startsWith('/') ? path : `${plan.outputRoot}/${path}`)));
          const text = await diffSince(
            directory,
            ref,
            changes.changed.filter((path) => taken.has(path)),
          );
          return text === '' ? [] : [{ title: 'diff', language: 'diff', text: text.slice(0, MAX_DIFF).trimEnd() }];
        }
      : undefined,
  };
}
