import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { openWorkspace, type Workspace } from '@jinn/workspace';
import { isSensitiveSegment } from '@jinn/workspace/secrets/names';
import { locateNamed, type NamedPath } from '@jinn/workspace/walk';
import { Reopener } from './reopener.ts';
import { showPath } from './show-path.ts';

/** A file or directory to take in. */
export interface Target {
  readonly workspace: Workspace;
  /** Below the workspace root, without links. */
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** The directory where rules begin, below the workspace root; '' or with a slash at its end. */
  readonly ruleRoot: string;
}

/** Everything that a run takes in. */
export interface TargetPlan {
  readonly targets: readonly Target[];
  /** Absolute; paths are shown relative to it. */
  readonly outputRoot: string;
  readonly warnings: readonly string[];
  readonly reopener: Reopener;
  close(): void;
}

export interface NamedTargets {
  /** The paths as the user wrote them, relative to `cwd`. */
  readonly paths: readonly string[];
  readonly root: string | undefined;
  readonly cwd: string;
  /** The variables of the process, by which the user's git configuration is found; there is none if absent. */
  readonly variables?: Workspace['variables'];
}

/**
 * Finds the targets that a user named on the command line. Rules begin at `root`, or else at the working directory; a
 * target outside of that begins its own. Throws ToolError for a path that does not exist.
 */
export function planNamedTargets({ paths, root, cwd, variables = {} }: NamedTargets): TargetPlan {
  const base = locateNamed(posix.resolve(cwd, root ?? '.'));
  if (base?.kind !== 'directory') {
    throw new ToolError(
      'not_a_directory',
      `Provided project root '${root ?? '.'}' does not exist or is not a directory.`,
    );
  }
  const found = new Map<string, NamedPath>();
  const warnings: string[] = [];
  for (const asked of paths) {
    const target = locate(asked, cwd);
    if (root !== undefined && below(base.path, target.path) === undefined) throw outsideRoot(target, base);
    if (target.kind === 'special') warnings.push(`${showPath(asked)}: not a regular file, left out`);
    else found.set(target.path, target);
  }
  const reopener = new Reopener();
  const workspaces = new Map<string, Workspace>();
  const open = (directory: string) => {
    const workspace = workspaces.get(directory) ?? openWorkspace({ root: directory, variables });
    workspaces.set(directory, workspace);
    return workspace;
  };
  const targets = [...found.values()].map((target): Target => {
    const isInside = below(base.path, target.path) !== undefined;
    const ruleRoot = isInside ? base.path : directoryOf(target);
    rejectSecretDirectory(target);
    const { kind } = target;
    return {
      workspace: open(ruleRoot),
      path: below(ruleRoot, target.path) ?? '.',
      kind: kind as Target['kind'],
      ruleRoot: '',
    };
  });
  return {
    targets,
    outputRoot: root === undefined ? outputRootOf([...found.values()], base.path) : base.path,
    warnings,
    reopener,
    close: () => {
      reopener.close();
      for (const workspace of workspaces.values()) workspace.close();
    },
  };
}

function locate(asked: string, cwd: string): NamedPath {
  const absolute = posix.resolve(cwd, asked);
  const target = asked.includes('\0') ? undefined : locateNamed(absolute);
  if (target) return target;
  throw new ToolError(
    'file_not_found',
    `Target path does not exist: ${showPath(asked)} (resolved to ${showPath(absolute)})`,
  );
}

function outsideRoot(target: NamedPath, root: NamedPath): ToolError {
  return new ToolError(
    'path_outside_sandbox',
    `Target path ${showPath(target.path)} is outside the specified project root ${showPath(root.path)}`,
  );
}

/** Throws ToolError for a directory of secrets; a secret file may be named as a target. */
function rejectSecretDirectory({ path, kind }: NamedPath): void {
  if (kind !== 'directory' || !path.split('/').some(isSensitiveSegment)) return;
  throw new ToolError('path_outside_sandbox', `${showPath(path)} holds secrets and is never taken in as a whole`, {
    suggestion: 'name the file that you need',
  });
}

function directoryOf({ path, kind }: NamedPath): string {
  return kind === 'directory' ? path : posix.dirname(path);
}

/**
 * Returns the directory that paths are shown from: the working directory if all targets lie in it, else the deepest one that
 * holds all targets.
 */
function outputRootOf(targets: readonly NamedPath[], cwd: string): string {
  const areInside = targets.every(({ path }) => below(cwd, path) !== undefined);
  return areInside ? cwd : commonDirectory(targets, cwd);
}

function commonDirectory(targets: readonly NamedPath[], fallback: string): string {
  const [first, ...rest] = targets.map((target) => directoryOf(target));
  if (first === undefined) return fallback;
  return rest.reduce((common, path) => {
    let at = common;
    while (below(at, path) === undefined) at = posix.dirname(at);
    return at;
  }, first);
}

/** Returns the absolute directories that the targets are or lie in. */
export function targetDirectories({ targets }: Pick<TargetPlan, 'targets'>): string[] {
  const directories = targets.map(({ workspace, path, kind }) => {
    const target = posix.join(workspace.root, path);
    return kind === 'directory' ? target : posix.dirname(target);
  });
  return [...new Set(directories)];
}

/** Returns a path relative to a directory that holds it, '.' for that directory; undefined for a path elsewhere. */
export function below(directory: string, path: string): string | undefined {
  if (path === directory) return '.';
  const prefix = directory === '/' ? '/' : `${directory}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}
