import type { ToolContext } from '@jinn/core';

/** Reports whether a path names a file; false for a directory, a glob, and a path that is missing or refused. */
export function isFilePath({ workspace }: ToolContext, path: string): boolean {
  try {
    return workspace.status(path).kind !== 'directory';
  } catch {
    return false; // The search below the path reports what is wrong with it.
  }
}
