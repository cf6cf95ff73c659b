import type { OpenDirectory } from '../guard/index.ts';
import type { DirectoryNames } from './names.ts';
import type { Rule } from './rules/rule-file.ts';
import type { WalkEntry } from './walk-entry.ts';

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
 * and `rule` is the gitignore rule that decides on it: undefined when none matches, and below an ignored directory.
 * Without the option `gitignore` they are always false and undefined.
 */
export type EntryFilter = (entry: WalkEntry, ignored: boolean, rule: Rule | undefined) => boolean;

/** A caller's rules for one directory. */
export interface Decider {
  readonly decide: EntryFilter;
  /** The most patterns that an entry is matched against, one by one. */
  readonly cost: number;
  /**
   * Returns the files that `decide` might not report; it is asked about these, and about files whose names are not
   * plain.
   */
  readonly filesInDoubt: (files: readonly string[]) => readonly string[];
}

/** Files of one directory that no rule leaves out. */
export interface TakenFiles {
  /** The names, sorted by code units. */
  readonly names: readonly string[];
  /** True if all names are printable ASCII, and none begins like a hidden or secret name. */
  readonly arePlain: boolean;
  /** False if a rule leaves out other files of the directory. */
  readonly areAll: boolean;
}

export interface WalkOptions {
  /** True to report names that begin with a dot, and enter such directories. Default false. */
  readonly hidden?: boolean | undefined;
  /**
   * True to leave out what git ignores: `.gitignore` files from the repository's top down, `.git/info/exclude`, and the
   * user's own rules; but not what git tracks. Default false.
   */
  readonly gitignore?: boolean | undefined;
  /** Names of directories that are neither reported nor entered, at any depth. */
  readonly excludeDirectories?: ReadonlySet<string> | undefined;
  /** How deep to look; 1 means only the entries directly in the start. Default: any depth. */
  readonly maxDepth?: number | undefined;
  /** Runs between directories, and now and then in a large one, and is awaited; `ToolContext.checkpoint`. */
  readonly checkpoint: () => Promise<void>;
  /**
   * Decides which entries are reported. Called for all entries except secrets, hidden names and excluded directories;
   * for all of a directory before the first of them is visited. The default reports what git does not ignore.
   */
  readonly decide?: EntryFilter | undefined;
  /**
   * Returns the decider for a directory, for rules that lie in the tree: called with each directory that has been read,
   * before any of its entries is decided, and with a test for the names in it. Other directories may be decided in
   * between.
   */
  readonly decideIn?: ((directory: OpenDirectory, names: Pick<DirectoryNames, 'has'>) => Decider) | undefined;
  /**
   * Takes the reported files of a directory, instead of visits: all at once with `filesFirst`, else as many as stand
   * between two of its other entries. A promise is awaited; the directory is open until then. Not for use with
   * `decide`.
   */
  readonly takeFiles?: ((directory: OpenDirectory, files: TakenFiles) => Promise<void> | undefined) | undefined;
  /** Hears of each entry that is left out because it is secret. */
  readonly onSecret?: ((path: string, isDirectory: boolean) => void) | undefined;
  /** A path below the workspace root that holds the start. Without a repository, rule files above it are not read. */
  readonly rulesFrom?: string | undefined;
  /** True to visit the files of a directory before its directories, each by their names. Default false. */
  readonly filesFirst?: boolean | undefined;
}
