import { basename, dirname, join, resolve } from 'node:path';
import { planNamedTargets } from '@jinn/context';
import type { Recency } from '@jinn/git/git-log';
import type { RangeLayout } from '@jinn/git/range-layout';
import type { Machine } from './program-machine.ts';

type NamedTargets = Parameters<typeof planNamedTargets>[0];

/** A range of commits, laid out in a temporary directory. */
export interface Range extends RangeLayout {
  /** The paths that the user named, in that directory. */
  readonly named: NamedTargets;
  /** The paths that the user named, where they are or were: absolute paths without links. */
  readonly targets: readonly string[];
}

/**
 * Lays out what changed between two commits below the targets that the user named. Throws ToolError for a target that
 * neither exists nor changed, and for a range that git does not know.
 */
export async function openRange(named: NamedTargets, range: string, machine: Machine): Promise<Range> {
  const { paths, root, cwd } = named;
  const there = paths.filter((path) => machine.exists(resolve(cwd, path)));
  planNamedTargets({ ...named, paths: there }).close(); // Refuses the same targets as without a range.
  const targets = paths.map((path) => realPathOf(resolve(cwd, path), machine));
  const base = realPathOf(cwd, machine);
  const top = root === undefined ? undefined : realPathOf(resolve(cwd, root), machine);
  const { layOutRange } = await import('@jinn/git/range-layout');
  const layout = await layOutRange({
    targets,
    directories: targets.map((target) => directoryAt(target, machine)),
    present: [base, top ?? base],
    range,
    variables: machine.variables,
    into: machine.realPath(machine.makeTempDirectory()),
  });
  const gone = paths.filter((path, i) => !there.includes(path) && !layout.touches(targets[i] as string));
  if (gone.length > 0) planNamedTargets({ ...named, paths: gone }); // Throws, since they do not exist.
  const moved = (path: string) => join(layout.directory, path);
  return {
    ...layout,
    targets,
    named: {
      paths: targets.filter(layout.has).map(moved),
      root: top === undefined ? undefined : moved(top),
      cwd: moved(base),
    },
  };
}

/** Returns the place in the repository of a path of a run, which is not where a range is laid out. */
export function realPathIn(range: Range | undefined, path: string): string {
  return range ? path.slice(range.directory.length) || '/' : path;
}

/** Returns what changed lately, by the paths of a run. */
export async function recentIn(
  range: Range | undefined,
  outputRoot: string,
  machine: Machine,
): Promise<ReadonlyMap<string, Recency>> {
  const { recentChanges } = await import('@jinn/git/git-log');
  const recent = await recentChanges(realPathIn(range, outputRoot), machine.variables);
  return range ? new Map([...recent].map(([file, at]) => [join(range.directory, file), at])) : recent;
}

/** Returns the path of a file without links; the file need not exist. */
function realPathOf(path: string, machine: Machine): string {
  if (machine.exists(path) || path === '/') return machine.realPath(path);
  return join(realPathOf(dirname(path), machine), basename(path));
}

/** Returns a target that is a directory, or else the deepest directory above it. */
function directoryAt(path: string, machine: Machine): string {
  return machine.exists(`${path}/.`) ? path : directoryAt(dirname(path), machine);
}
