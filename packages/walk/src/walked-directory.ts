import type { OpenDirectory } from '@jinn/guard';
import { type DirectoryNames, readNames } from './names.ts';
import type { NamesCache } from './names-cache.ts';
import type { Cascade } from './rules/cascade.ts';
import type { Rule } from './rules/rule-file.ts';
import type { EntryParent } from './walk-entry.ts';

/** A directory whose names are known. */
export interface ReadDirectory {
  readonly directory: OpenDirectory;
  readonly names: DirectoryNames;
}

/** A directory that a walk is in. */
export interface WalkedDirectory extends ReadDirectory, EntryParent {
  /** The gitignore rules that hold in it; none where it is ignored itself, since no rule can bring back what it holds. */
  readonly rules: Cascade<Rule>;
  readonly isIgnored: boolean;
}

/**
 * Opens a child directory and reads its names. Where the cache knows them for certain, the child is opened only when
 * something in it is. Throws what the system says, and ToolError when something else has taken the child's place.
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

/** Reads the names in an open directory, or takes them from the cache. Throws what the system says. */
export function namesOf(directory: OpenDirectory, cache: NamesCache | undefined): DirectoryNames {
  if (!cache) return readNames(directory);
  const known = cache.getOf(directory);
  if (known) return known;
  const readAt = Date.now();
  const names = readNames(directory);
  cache.set(directory, names, readAt);
  return names;
}
