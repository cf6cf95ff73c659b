import { fromSystemError } from '@jinn/core/errors';
import type { OpenDirectory, Workspace } from '../guard/index.ts';
import { type NamedEntry, readNames } from './names.ts';

/**
 * Lists one directory without its secrets, sorted by name. A link is the link itself. Throws ToolError if the path is
 * refused, missing, or not a directory.
 */
export function listDirectory(workspace: Workspace, path: string): Promise<NamedEntry[]> {
  return workspace.withDirectory(path, async (directory) => listOpen(directory, path));
}

/** Lists an open directory in the same way; `shown` is its name in errors. */
export function listOpen(directory: OpenDirectory, shown: string): NamedEntry[] {
  try {
    const visible = readNames(directory).inOrder.filter(({ name }) => !directory.isSecret(name));
    return visible.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw fromSystemError(error, shown);
  }
}
