import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { openWorkspace, type Workspace } from '@jinn/workspace';
import { planGuardedTargets } from './guarded-targets.ts';
import { below, type TargetPlan, targetDirectories } from './targets.ts';

export interface AskedTargets {
  readonly workspace: Workspace;
  readonly projectRoot: string;
  readonly targets: readonly string[];
}

interface ChangedPlan {
  readonly plan: TargetPlan;
  /** The absolute paths of the changed files. */
  readonly only: ReadonlySet<string>;
}

type Surroundings = Pick<ToolContext, 'environment' | 'signal'>;

/**
 * Finds the targets of an agent, and the changes there: since a commit, or between the two of a range. The files of a
 * range are read from its commit, and not from the working tree.
 */
export async function planChangedTargets(
  asked: AskedTargets,
  ref: string,
  surroundings: Surroundings,
): Promise<ChangedPlan> {
  const { isRange } = await import('@jinn/git/git-range');
  if (isRange(ref)) return planRange(asked, ref, surroundings);
  const plan = planGuardedTargets(asked.workspace, asked.projectRoot, asked.targets);
  const { findAllChanges } = await import('@jinn/git/git-changes');
  const repositories = await findAllChanges(
    targetDirectories(plan),
    ref,
    surroundings.environment,
    surroundings.signal,
  );
  return { plan, only: new Set(repositories.flatMap(({ changed }) => changed)) };
}

async function planRange(
  { workspace, projectRoot, targets }: AskedTargets,
  range: string,
  { environment, signal }: Surroundings,
): Promise<ChangedPlan> {
  const project = planGuardedTargets(workspace, projectRoot, []);
  project.close();
  const asked = targets.length > 0 ? targets : ['.'];
  const found = asked.flatMap((target) => locate(workspace, projectRoot, { target, root: project.outputRoot }));
  const { layOutRange, makeLayoutDirectory } = await import('@jinn/git/range-layout');
  const { into, remove } = makeLayoutDirectory();
  try {
    const layout = await layOutRange({
      targets: found.map(({ path }) => path),
      directories: [...new Set(found.map(({ directory = project.outputRoot }) => directory))],
      present: [project.outputRoot],
      range,
      variables: environment,
      signal,
      into,
    });
    for (const { path, fault } of found) if (fault && !layout.touches(path)) throw fault;
    const kept = found.filter(({ path }) => layout.has(path)).map(({ path }) => posix.join(into, path));
    const only = new Set([...layout.changed].filter((file) => isOpen(workspace, file.slice(into.length))));
    return { plan: planIn(posix.join(into, workspace.root), posix.join(into, project.outputRoot), kept, remove), only };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Plans targets in the directory where a range is laid out. Closing the plan removes the directory. */
function planIn(root: string, projectRoot: string, targets: readonly string[], remove: () => void): TargetPlan {
  const workspace = openWorkspace({ root });
  const plan = planGuardedTargets(workspace, projectRoot, targets);
  const close = () => {
    plan.close();
    workspace.close();
    remove();
  };
  return { ...plan, targets: targets.length > 0 ? plan.targets : [], close };
}

interface LocatedTarget {
  /** Absolute, without links. */
  readonly path: string;
  /** The target itself, or the directory that it lies in; undefined if that does not exist. */
  readonly directory?: string | undefined;
  /** Why it cannot be opened now; it may have existed in the range. */
  readonly fault?: ToolError;
}

function locate(
  workspace: Workspace,
  projectRoot: string,
  { target, root }: { target: string; root: string },
): LocatedTarget[] {
  try {
    const plan = planGuardedTargets(workspace, projectRoot, [target]);
    const [directory] = targetDirectories(plan);
    return plan.targets.map(({ path }) => ({ path: posix.join(workspace.root, path), directory }));
  } catch (fault) {
    const path = posix.resolve(root, target);
    if (!(fault instanceof ToolError) || fault.code !== 'file_not_found' || below(root, path) === undefined)
      throw fault;
    return [{ path, fault }];
  }
}

/**
 * Reports whether the guard would open a file if it existed: a file that may not be read now may not be read from git.
 */
function isOpen(workspace: Workspace, file: string): boolean {
  try {
    workspace.status(file);
    return true;
  } catch (error) {
    return error instanceof ToolError && (error.code === 'file_not_found' || error.code === 'not_a_directory');
  }
}
