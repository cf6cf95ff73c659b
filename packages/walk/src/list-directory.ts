import { fromSystemError, type OpenDirectory, type Workspace } from '@jinn/core';
import type { NamedEntry } from './names.ts';
import { readNames } from './read-names.ts';

/**
 * What one directory holds, secrets left out, sorted by name; of a link, the link itself. Throws ToolError when it is
 * refused, missing, or none. `look` may open what it holds: the directory is open until it returns.
 */
export function listDirectory(
  workspace: Workspace,
  path: string,
  look?: (directory: OpenDirectory, entries: readonly NamedEntry[]) => void,
): Promise<NamedEntry[]> {
  return workspace.withDirectory(path, async (directory) => {
    const visible = read(directory, path).filter(({ name }) => !directory.isSecret(name));
    visible.sort((a, b) => (a.name < b.name ? -1 : 1));
    look?.(directory, visible);
    return visible;
  });
}

function read(directory: OpenDirectory, path: string): readonly NamedEntry[] {
  try {
    return readNames(directory).entries;
  } catch (error) {
    throw fromSystemError(error, path);
  }
}
