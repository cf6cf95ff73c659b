import type { OpenDirectory } from '../guard/index.ts';
import type { DirectoryNames } from './names.ts';
import type { Rule } from './rules/rule-file.ts';
import type { WalkEntry } from './walk-entry.ts';
import type { LeftOut } from './warnings.ts';

/** Directories that no search enters by itself. */
export const EXCLUDED_DIRECTORIES: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  'vendor',
  '__pycache__',
  '.cache',
  'dist',
  'build',
]);

/**
 * Returns true to report an entry, and to enter it if it is a directory. `ignored` says whether git ignores the entry,
 * and `rule` is the gitignore rule that decides on it: undefined if none matches, and below an ignored directory.
 * Without the option `gitignore` they are always false and undefined.
 */
export type EntryFilter = (entry: WalkEntry, ignored: boolean, rule: Rule | undefined) => boolean;

export interface Decider {
  readonly decide: EntryFilter;
  readonly cost: number;
  /** Returns the files that `decide` might not report. It is asked about these, and about names that are not plain. */
  readonly filesInDoubt: (files: readonly string[]) => readonly string[];
}

/** Files of one directory that no rule excludes. */
export interface TakenFiles {
  /** Sorted by code units. */
  readonly names: readonly string[];
  /** True if all names are printable ASCII, and none starts like a hidden or secret name. */
  readonly arePlain: boolean;
  /** False if a rule excludes other files of the directory. */
  readonly areAll: boolean;
}

export interface WalkOptions {
  readonly hidden?: boolean | undefined;
  /** True to exclude what `.ignore` files hide, and what git ignores and does not track, also by `.git/info/exclude` and the user's own rules. */
  readonly gitignore?: boolean | undefined;
  readonly excludeDirectories?: ReadonlySet<string> | undefined;
  /** True to enter excluded directories that have files that git tracks. */
  readonly entersTracked?: boolean | undefined;
  /** 1 means only the entries directly in the start. Default: any depth. */
  readonly maxDepth?: number | undefined;
  /** Awaited between directories, and now and then in a large one. `ToolContext.checkpoint`. */
  readonly checkpoint: () => Promise<void>;
  /** Decides which entries of a directory are reported, before its first visit. Default: what git does not ignore. */
  readonly decide?: EntryFilter | undefined;
  /** Returns the decider for a directory that has been read. Others may be decided on before its entries. */
  readonly decideIn?: ((directory: OpenDirectory, names: Pick<DirectoryNames, 'has'>) => Decider) | undefined;
  /**
   * Takes the reported files of a directory, instead of visits: all at once with `filesFirst`, or else as many as are
   * between two of its other entries. A promise is awaited. The directory is open until then. Not for use with
   * `decide`.
   */
  readonly takeFiles?: ((directory: OpenDirectory, files: TakenFiles) => Promise<void> | undefined) | undefined;
  readonly onSecret?: ((path: string, isDirectory: boolean) => void) | undefined;
  /** A path below the workspace root that holds the start. Without a repository, rule files above it are not read. */
  readonly rulesFrom?: string | undefined;
  readonly filesFirst?: boolean | undefined;
  /** Takes the paths that the walk omitted, by the reason, instead of a line in its warnings for each. */
  readonly leftOut?: LeftOut | undefined;
}
