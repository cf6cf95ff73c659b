import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { openWorkspace, pathBelow, type Workspace } from '@jinn/workspace';
import { escapePath } from './escape-path.ts';
import { type DumpTarget, Reopener, type TargetPlan, targetDirectories } from './targets.ts';

interface AskedTargets {
  readonly workspace: Workspace;
  readonly projectRoot: string;
  readonly targets: readonly string[];
}

interface AgentPlan {
  readonly plan: TargetPlan;
  /** The absolute paths of the changed files, or undefined for all files. */
  readonly only: ReadonlySet<string> | undefined;
}

/** Finds the targets of an agent, and with `ref` what changed: since a commit, or in a range, whose files are read from its commit. */
export async function planAgentTargets(
  asked: AskedTargets,
  ref: string | undefined,
  context: Pick<ToolContext, 'environment' | 'signal'>,
): Promise<AgentPlan> {
  if (ref === undefined) return { plan: planGuarded(asked), only: undefined };
  const { isRange } = await import('@jinn/git/git-range');
  if (isRange(ref)) return planRange(asked, ref, context);
  const plan = planGuarded(asked);
  const { findAllChanges } = await import('@jinn/git/git-changes');
  const repositories = await findAllChanges(targetDirectories(plan), ref, context.environment, context.signal);
  return { plan, only: new Set(repositories.flatMap(({ changed }) => changed)) };
}

async function planRange(
  asked: AskedTargets,
  range: string,
  { environment, signal }: Pick<ToolContext, 'environment' | 'signal'>,
): Promise<AgentPlan> {
  const { workspace, targets } = asked;
  const project = planGuarded({ ...asked, targets: [] });
  project.close();
  const root = project.outputRoot;
  const found = (targets.length > 0 ? targets : ['.']).flatMap((target) => locate(asked, target, root));
  const { layOutRange, makeLayoutDirectory } = await import('@jinn/git/range-layout');
  const { into, remove } = makeLayoutDirectory();
  try {
    const layout = await layOutRange({
      targets: found.map(({ path }) => path),
      directories: [...new Set(found.map(({ directory = root }) => directory))],
      present: [root],
      range,
      variables: environment,
      signal,
      into,
    });
    for (const { path, fault } of found) if (fault && !layout.touches(path)) throw fault;
    const kept = found.filter(({ path }) => layout.has(path)).map(({ path }) => posix.join(into, path));
    const only = new Set([...layout.changed].filter((file) => mayRead(workspace, file.slice(into.length))));
    const copy = openWorkspace({ root: posix.join(into, workspace.root) });
    const plan = planGuarded({ workspace: copy, projectRoot: posix.join(into, root), targets: kept });
    const close = () => {
      plan.close();
      copy.close();
      remove();
    };
    return { plan: { ...plan, targets: kept.length > 0 ? plan.targets : [], close }, only };
  } catch (error) {
    remove();
    throw error;
  }
}

interface LocatedTarget {
  readonly path: string;
  /** The target itself, or the directory that it is in, or undefined if that does not exist. */
  readonly directory?: string | undefined;
  /** Why it cannot be opened now. It may have existed in the range. */
  readonly fault?: ToolError;
}

function locate(asked: AskedTargets, target: string, root: string): LocatedTarget[] {
  try {
    const plan = planGuarded({ ...asked, targets: [target] });
    const [directory] = targetDirectories(plan);
    return plan.targets.map(({ path }) => ({ path: posix.join(asked.workspace.root, path), directory }));
  } catch (fault) {
    const path = posix.resolve(root, target);
    const isGone = fault instanceof ToolError && fault.code === 'file_not_found' && pathBelow(root, path) !== undefined;
    if (isGone) return [{ path, fault }];
    throw fault;
  }
}

/** Security: a file that the guard would not open now may not be read from git either. */
function mayRead(workspace: Workspace, file: string): boolean {
  try {
    workspace.status(file);
    return true;
  } catch (error) {
    return error instanceof ToolError && (error.code === 'file_not_found' || error.code === 'not_a_directory');
  }
}

function planGuarded({ workspace, projectRoot, targets }: AskedTargets): TargetPlan {
  const root = workspace.status(projectRoot);
  if (root.kind !== 'directory') {
    throw new ToolError('not_a_directory', `project_root is not a directory: ${projectRoot}`, {
      suggestion: 'name the directory that holds the file, and the file in targets',
    });
  }
  const ruleRoot = root.path === '.' ? '' : `${root.path}/`;
  const found = new Map<string, DumpTarget>();
  const warnings: string[] = [];
  for (const asked of targets.length > 0 ? targets : ['.']) {
    const { path, kind } = statusOf(workspace, projectRoot, asked);
    if (root.path !== '.' && pathBelow(root.path, path) === undefined) {
      throw new ToolError('path_outside_sandbox', `the target ${asked} is outside of project_root`, {
        suggestion: 'name targets in the project, or another project_root',
      });
    }
    if (kind === 'special') warnings.push(`${escapePath(asked)}: not a regular file, skipped`);
    else found.set(path, { workspace, path, kind, ruleRoot });
  }
  const outputRoot = posix.join(workspace.root, root.path);
  const reopener = new Reopener();
  return { targets: [...found.values()], outputRoot, warnings, reopener, close: () => reopener.close() };
}

function statusOf(workspace: Workspace, projectRoot: string, asked: string) {
  const absolute = posix.resolve(workspace.root, projectRoot, asked);
  try {
    return workspace.status(absolute);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { code, message, suggestion } = error;
    const directory = asked.slice(0, asked.lastIndexOf('/') + 1);
    const asAsked = (text: string) =>
      text.replaceAll(absolute, () => asked).replaceAll(`${posix.dirname(absolute)}/`, () => directory);
    throw new ToolError(code, asAsked(message), {
      ...(suggestion && { suggestion: asAsked(suggestion) }),
      cause: error,
    });
  }
}
