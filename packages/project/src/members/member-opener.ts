import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import { fromSystemError } from '@jinn/core/errors';
import type { OpenDirectory } from '@jinn/workspace';
import { type DirectoryRequest, ProjectDirectory } from '../files/project-directory.ts';

/** Reads the directories of members. The parent of the last one stays open: most members are siblings. */
export class MemberOpener {
  readonly #ctx: ToolContext;
  #path: string | undefined;
  #parent: OpenDirectory | undefined;

  constructor(ctx: ToolContext) {
    this.#ctx = ctx;
  }

  /** Reads a directory. Throws ToolError if the path is refused, missing, or not a directory. */
  read(request: DirectoryRequest): ProjectDirectory {
    const location = posix.join(request.top, request.path);
    const parent = this.#open(posix.dirname(location));
    const directory = tryToOpen(parent, posix.basename(location));
    try {
      return ProjectDirectory.read(this.#ctx, request, directory);
    } finally {
      directory.close();
    }
  }

  close(): void {
    this.#parent?.close();
    this.#parent = undefined;
  }

  #open(path: string): OpenDirectory {
    if (this.#parent && this.#path === path) return this.#parent;
    this.close();
    this.#path = path;
    this.#parent = this.#ctx.workspace.openDirectory(path);
    return this.#parent;
  }
}

function tryToOpen(parent: OpenDirectory, name: string): OpenDirectory {
  try {
    return parent.child(name);
  } catch (error) {
    throw fromSystemError(error, parent.pathOf(name));
  }
}
