import { fromSystemError, type OpenDirectory, type Workspace } from '@jinn/core';
import type { NamedEntry } from './names.ts';
import { readNames } from './read-names.ts';

/**
 * What one directory holds, secrets left out, sorted by name; of a link, the link itself. Throws ToolError when it is
 * refused, missing, or none.
 */
export function listDirectory(workspace: Workspace, path: string): Promise<NamedEntry[]> {
  return workspace.withDirectory(path, async (directory) => listOpen(directory, path));
}

/** The same of a directory that is open; `shown` is what an error calls it. */
export function listOpen(directory: OpenDirectory, shown: string): NamedEntry[] {
  try {
    const visible = readNames(directory).entries.filter(({ name }) => !directory.isSecret(name));
    return visible.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw fromSystemError(error, shown);
  }
}
