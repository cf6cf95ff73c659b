import type { OpenDirectory } from '../guard/index.ts';
import type { TrackedFiles } from './git/tracked-files.ts';
import { type DirectoryNames, readNames } from './names.ts';
import type { NamesCache } from './names-cache.ts';
import type { Cascade } from './rules/cascade.ts';
import type { Rule } from './rules/rule-file.ts';
import type { EntryParent } from './walk-entry.ts';
import type { Warnings } from './warnings.ts';

export interface ReadDirectory {
  readonly directory: OpenDirectory;
  readonly names: DirectoryNames;
}

export interface WalkedDirectory extends ReadDirectory, EntryParent {
  /** The gitignore rules in it, or none if it is ignored itself, since no rule can include its content again. */
  readonly rules: Cascade<Rule>;
  readonly isIgnored: boolean;
  /** Reports whether git tracks an entry of its repository, or something in it. Undefined if the walk ignores git. */
  readonly isTracked: TrackedFiles['holds'] | undefined;
  readonly warnings: Warnings;
}

/**
 * Opens a child directory and reads its names. If the cache is certain of them, the child is opened only when something
 * in it is. Throws the system's error, and ToolError if something else has replaced the child.
 */
export function openChild(parent: OpenDirectory, name: string, cache: NamesCache | undefined): ReadDirectory {
  const stat = cache?.isEmpty === false ? parent.statOf(name) : undefined;
  const known = stat && cache?.get(stat);
  if (known) return { directory: parent.childWhenNeeded(name, stat), names: known };
  const directory = parent.child(name);
  try {
    return { directory, names: namesOf(directory, cache) };
  } catch (error) {
    directory.close();
    throw error;
  }
}

/** Reads the names in an open directory, or takes them from the cache. Throws the system's error. */
export function namesOf(directory: OpenDirectory, cache: NamesCache | undefined): DirectoryNames {
  if (!cache) return readNames(directory);
  const known = cache.getOf(directory);
  if (known) return known;
  const readAt = Date.now();
  const names = readNames(directory);
  cache.set(directory, names, readAt);
  return names;
}
