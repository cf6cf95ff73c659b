import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import type { Workspace } from '@jinn/workspace';
import { Reopener } from './reopener.ts';
import { showPath } from './show-path.ts';
import { below, type Target, type TargetPlan } from './targets.ts';

/** Finds the targets through the guard, because an agent names them. Throws ToolError for a path that is not in the project. */
export function planGuardedTargets(workspace: Workspace, projectRoot: string, targets: readonly string[]): TargetPlan {
  const root = workspace.status(projectRoot);
  if (root.kind !== 'directory') {
    throw new ToolError('not_a_directory', `project_root is not a directory: ${projectRoot}`, {
      suggestion: 'name the directory that holds the file, and the file in targets',
    });
  }
  const ruleRoot = root.path === '.' ? '' : `${root.path}/`;
  const found = new Map<string, Target>();
  const warnings: string[] = [];
  for (const asked of targets.length > 0 ? targets : ['.']) {
    const { path, kind } = statusOf(workspace, projectRoot, asked);
    if (root.path !== '.' && below(root.path, path) === undefined) throw outsideProject(asked);
    if (kind === 'special') warnings.push(`${showPath(asked)}: not a regular file, left out`);
    else found.set(path, { workspace, path, kind, ruleRoot });
  }
  const outputRoot = posix.join(workspace.root, root.path);
  const reopener = new Reopener();
  return { targets: [...found.values()], outputRoot, warnings, reopener, close: () => reopener.close() };
}

/** Returns the status of a target. Message and suggestion of an error name paths as the target was asked for. */
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

function outsideProject(asked: string): ToolError {
  return new ToolError('path_outside_sandbox', `the target ${asked} is outside of project_root`, {
    suggestion: 'name targets in the project, or another project_root',
  });
}
