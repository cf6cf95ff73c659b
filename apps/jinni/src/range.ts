import { basename, dirname, join, resolve } from 'node:path';
import { type NamedTargets, planNamedTargets } from '@jinn/context';
import type { Recency } from '@jinn/git/git-log';
import type { RangeLayout } from '@jinn/git/range-layout';
import { exists, makeTempDirectory, resolveLinks, variables } from './start/jinni-system.ts';

/** A range of commits, laid out in a temporary directory. */
export interface CommitRange extends RangeLayout {
  /** The paths that the user named, in that directory. */
  readonly named: NamedTargets;
  /** The paths that the user named, where they are or were: absolute paths without links. */
  readonly targets: readonly string[];
}

/**
 * Lays out what changed between two commits below the targets that the user named. Throws ToolError for a target that
 * neither exists nor changed, and for a range that git does not know.
 */
export async function openRange(named: NamedTargets, range: string): Promise<CommitRange> {
  const { paths, root, cwd } = named;
  const there = paths.filter((path) => exists(resolve(cwd, path)));
  planNamedTargets({ ...named, paths: there }).close(); // Refuses the same targets as without a range.
  const targets = paths.map((path) => realPathOf(resolve(cwd, path)));
  const base = realPathOf(cwd);
  const top = root === undefined ? undefined : realPathOf(resolve(cwd, root));
  const { layOutRange } = await import('@jinn/git/range-layout');
  const layout = await layOutRange({
    targets,
    directories: targets.map(directoryAt),
    present: [base, top ?? base],
    range,
    variables: variables(),
    into: resolveLinks(makeTempDirectory()),
  });
  const gone = paths.filter((path, i) => !there.includes(path) && !layout.touches(targets[i] as string));
  if (gone.length > 0) planNamedTargets({ ...named, paths: gone }); // Throws, since they do not exist.
  const moved = (path: string) => join(layout.directory, path);
  const inLayout = { paths: targets.filter(layout.has).map(moved), root: top && moved(top), cwd: moved(base) };
  return { ...layout, targets, named: inLayout };
}

/** Returns the path in the repository of a path of a run, which is not where a range is laid out. */
export function realPathIn(range: CommitRange | undefined, path: string): string {
  return range ? path.slice(range.directory.length) || '/' : path;
}

/** Returns what changed lately, by the paths of a run. */
export async function recentIn(
  range: CommitRange | undefined,
  outputRoot: string,
): Promise<ReadonlyMap<string, Recency>> {
  const { recentChanges } = await import('@jinn/git/git-log');
  const recent = await recentChanges(realPathIn(range, outputRoot), variables());
  return range ? new Map([...recent].map(([file, at]) => [join(range.directory, file), at])) : recent;
}

function realPathOf(path: string): string {
  return exists(path) || path === '/' ? resolveLinks(path) : join(realPathOf(dirname(path)), basename(path));
}

function directoryAt(path: string): string {
  return exists(`${path}/.`) ? path : directoryAt(dirname(path));
}
