import fs from 'node:fs';
import { fromSystemError, type OpenDirectory, type Workspace } from '@jinn/core';
import { type EntryKind, kindOf } from './walk-entry.ts';

/** A name in a directory, and what stands there; of a link, the link itself. */
export interface ListedEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

/**
 * What one directory holds, secrets left out, sorted by name. Quicker than a walk of one level, which reads without
 * holding others up: for directories that are small. Throws ToolError when it is refused, missing, or none.
 */
export function listDirectory(workspace: Workspace, path: string): Promise<ListedEntry[]> {
  return workspace.withDirectory(path, async (directory) => {
    const visible = read(directory, path).filter(({ name }) => !directory.isSecret(name));
    const entries = visible.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}

function read(directory: OpenDirectory, path: string): fs.Dirent[] {
  try {
    return directory.within((prefix) => fs.readdirSync(prefix, { withFileTypes: true }));
  } catch (error) {
    throw fromSystemError(error, path);
  }
}
