import fs from 'node:fs';
import { posix } from 'node:path';
import type { FoundTarget } from '../guard.ts';
import type { Workspace } from '../workspace.ts';
import { removeQuietly } from './write-all.ts';

/**
 * Removes the traces of a killed process that wrote the file at `path` (below the root): hidden files called `name`
 * beside the file and in the directories above it, and the empty directories that it made. A hidden file in a directory
 * further up says that everything below that directory was missing when the process began. Never throws.
 */
export function removeLeft(workspace: Workspace, path: string, name: string): void {
  const below: string[] = [];
  for (let directory = posix.dirname(path); ; directory = posix.dirname(directory)) {
    if (removeFrom(workspace, posix.join(directory, name))) {
      for (const made of below) removeEmpty(workspace, made);
    }
    if (directory === '.') return;
    below.push(directory);
  }
}

/** Removes up to `count` directories above `path` (below the root), the nearest first, as long as they are empty. Never throws. */
export function removeEmptyAbove(workspace: Workspace, path: string, count: number): void {
  let directory = posix.dirname(path);
  for (let left = count; left > 0 && directory !== '.' && removeEmpty(workspace, directory); left--) {
    directory = posix.dirname(directory);
  }
}

function removeFrom(workspace: Workspace, path: string): boolean {
  return atName(workspace, path, (prefix, { inode }) => inode?.kind === 'file' && removeQuietly(prefix)) ?? false;
}

/** Removes a directory. Returns false if there is no such directory, or it is not empty. */
function removeEmpty(workspace: Workspace, path: string): boolean {
  const remove = (prefix: string, { inode }: FoundTarget) => {
    if (inode?.kind !== 'directory') return false;
    fs.rmdirSync(prefix);
    return true;
  };
  return atName(workspace, path, remove) ?? false;
}

/** Runs `work` with a name that leads to what stands at `path`; returns undefined if that fails. */
function atName<T>(workspace: Workspace, path: string, work: (name: string, found: FoundTarget) => T): T | undefined {
  try {
    // The dot keeps a name that begins with a tilde from standing for the home.
    const found = workspace.findTarget(`./${path}`, { isExact: true });
    try {
      // The process did not write to a path that a link leads elsewhere.
      if (found.missing.length > 0 || found.path !== path) return undefined;
      return found.parent.within((prefix) => work(`${prefix}/${found.name}`, found));
    } finally {
      found.inode?.close();
      found.parent.close();
    }
  } catch {
    return undefined; // It is gone, or closed to us, or a directory that is not empty.
  }
}
