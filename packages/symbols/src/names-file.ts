import type { ToolContext } from '@jinn/core';

/** True if a path names a file. False for a directory, a glob, and a path that is missing or refused. */
export function namesFile({ workspace }: ToolContext, path: string): boolean {
  try {
    return workspace.status(path).kind !== 'directory';
  } catch {
    return false; // What looks for files below the path says what is wrong with it.
  }
}
