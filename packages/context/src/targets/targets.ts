import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { type OpenDirectory, type OpenFile, openWorkspace, pathBelow, type Workspace } from '@jinn/workspace';
import { isSensitiveSegment } from '@jinn/workspace/secrets/names';
import { locateNamed, type NamedPath } from '@jinn/workspace/walk';
import { escapePath } from './escape-path.ts';

/** A file or directory to take in. */
export interface DumpTarget {
  readonly workspace: Workspace;
  /** Below the workspace root, without links. */
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** The directory where rules start, below the workspace root. '' or with a slash at its end. */
  readonly ruleRoot: string;
}

export interface TargetPlan {
  readonly targets: readonly DumpTarget[];
  /** Absolute. Paths are shown relative to it. */
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
  /** The variables of the process, by which the user's git configuration is found. There is none if absent. */
  readonly variables?: Workspace['variables'];
}

/** Finds the targets of a command line. Rules start at `root`, or at a target outside of it. Throws ToolError for a missing path. */
export function planNamedTargets({ paths, root, cwd, variables = {} }: NamedTargets): TargetPlan {
  const base = locateNamed(posix.resolve(cwd, root ?? '.'));
  if (base?.kind !== 'directory') {
    const message = `Provided project root '${root ?? '.'}' does not exist or is not a directory.`;
    throw new ToolError('not_a_directory', message);
  }
  const found = new Map<string, NamedPath>();
  const warnings: string[] = [];
  for (const asked of paths) {
    const target = locate(asked, cwd);
    if (root !== undefined && pathBelow(base.path, target.path) === undefined) {
      const message = `Target path ${escapePath(target.path)} is outside the specified project root ${escapePath(base.path)}`;
      throw new ToolError('path_outside_sandbox', message);
    }
    if (target.kind === 'special') warnings.push(`${escapePath(asked)}: not a regular file, skipped`);
    else found.set(target.path, target);
  }
  const reopener = new Reopener();
  const workspaces = new Map<string, Workspace>();
  const open = (directory: string) => {
    const workspace = workspaces.get(directory) ?? openWorkspace({ root: directory, variables });
    workspaces.set(directory, workspace);
    return workspace;
  };
  const targets = [...found.values()].map((target): DumpTarget => {
    const isInside = pathBelow(base.path, target.path) !== undefined;
    const ruleRoot = isInside ? base.path : directoryOf(target);
    rejectSecretDirectory(target);
    const kind = target.kind as DumpTarget['kind'];
    return { workspace: open(ruleRoot), path: pathBelow(ruleRoot, target.path) ?? '.', kind, ruleRoot: '' };
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
  const message = `Target path does not exist: ${escapePath(asked)} (resolved to ${escapePath(absolute)})`;
  throw new ToolError('file_not_found', message);
}

function rejectSecretDirectory({ path, kind }: NamedPath): void {
  if (kind !== 'directory' || !path.split('/').some(isSensitiveSegment)) return;
  throw new ToolError('path_outside_sandbox', `${escapePath(path)} holds secrets and is never taken in as a whole`, {
    suggestion: 'name the file that you need',
  });
}

function directoryOf({ path, kind }: NamedPath): string {
  return kind === 'directory' ? path : posix.dirname(path);
}

function outputRootOf(targets: readonly NamedPath[], cwd: string): string {
  if (targets.every(({ path }) => pathBelow(cwd, path) !== undefined)) return cwd;
  return targets.map(directoryOf).reduce((common, path) => {
    let at = common;
    while (pathBelow(at, path) === undefined) at = posix.dirname(at);
    return at;
  });
}

/** Returns the absolute directories that the targets are or lie in. */
export function targetDirectories({ targets }: Pick<TargetPlan, 'targets'>): string[] {
  const directories = targets.map(({ workspace, path, kind }) => {
    const target = posix.join(workspace.root, path);
    return kind === 'directory' ? target : posix.dirname(target);
  });
  return [...new Set(directories)];
}

/** Uses a file, and closes it. */
export function useAndClose<T>(file: OpenFile, use: (file: OpenFile) => T): T {
  try {
    return use(file);
  } finally {
    file.close();
  }
}

/** Opens files again after a walk. The directory of the last one stays open, because the next is mostly in it too. */
export class Reopener {
  #workspace: Workspace | undefined;
  #path = '';
  #directory: OpenDirectory | undefined;

  read<T>(
    {
      workspace,
      directory,
      name,
    }: { readonly workspace: Workspace; readonly directory: string; readonly name: string },
    use: (file: OpenFile) => T,
  ): T {
    return useAndClose(this.#directoryOf(workspace, directory).openFile(name), use);
  }

  close(): void {
    this.#directory?.close();
    this.#directory = undefined;
  }

  #directoryOf(workspace: Workspace, path: string): OpenDirectory {
    if (this.#directory && this.#workspace === workspace && this.#path === path) return this.#directory;
    this.close();
    this.#workspace = workspace;
    this.#path = path;
    this.#directory = workspace.openDirectory(`./${path}`);
    return this.#directory;
  }
}

const REMOTE = /^(?:vscode-remote:\/\/|vscode:\/\/vscode-remote\/)wsl(?:(?:\+|%2B)|\.localhost\/)([^/]+)(\/.*)?$/i;

/** Translates an editor's address of a file in WSL into a path. Returns anything else as it is. */
export function translateWslPath(path: string): string {
  const match = REMOTE.exec(path);
  if (!match) return path;
  try {
    return decodeURIComponent(match[2] ?? '/');
  } catch {
    return path;
  }
}
