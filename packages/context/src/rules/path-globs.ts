import { posix } from 'node:path';
import { globRoot, NO_ENTRIES, PathMatcher } from '@jinn/workspace/walk';
import { below, type TargetPlan } from '../targets/targets.ts';
import { readFlag } from './exclusions.ts';

/**
 * Compiles the globs of a flag into a test for the paths that a plan shows. A glob also holds for what lies below a
 * directory that it matches. No globs match every path.
 */
export function compileGlobs(
  globs: readonly string[],
  flag: string,
  plan: Pick<TargetPlan, 'targets' | 'outputRoot'>,
): (path: string) => boolean {
  const root = rootOf(plan);
  const matcher = new PathMatcher(
    globs.flatMap((glob) => readFlag(flag, glob, root)),
    true,
  );
  return (path) => matcher.matches(posix.dirname(path), posix.basename(path));
}

/** Returns the root of the shown paths. Without a workspace that holds it, no glob is taken for the path of a file. */
function rootOf({ targets, outputRoot }: Pick<TargetPlan, 'targets' | 'outputRoot'>) {
  for (const { workspace } of targets) {
    const directory = below(workspace.root, outputRoot);
    if (directory !== undefined) return { ...globRoot(workspace, directory), base: [] };
  }
  return NO_ENTRIES;
}
