import type { OpenDirectory } from '@jinn/core';
import type { Names } from './names.ts';
import type { WalkEntry } from './walk-entry.ts';
import type { TakenFiles } from './walked-directory.ts';

/** What no search enters by itself (seeds/jinn-tool-reference: search_files, find_files, checksum_tree). */
export const EXCLUDED_DIRECTORIES: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  'vendor',
  '__pycache__',
  '.cache',
  'dist',
  'build',
]);

/** True for a path from the workspace root that leads through such a directory. */
export function liesInExcluded(path: string): boolean {
  return path.split('/').some((name) => EXCLUDED_DIRECTORIES.has(name));
}

/** True reports the entry, and enters it if it is a directory. `ignored` is what the gitignore rules say. */
export type Decide = (entry: WalkEntry, ignored: boolean) => boolean;

/** The rules of one directory. */
export interface Decider {
  readonly decide: Decide;
  /** Those of some files that `decide` might not report; the names stand between slashes, in ASCII. */
  readonly filesInDoubt: (names: string) => readonly string[];
}

export interface WalkOptions {
  /** Report names that begin with a dot, and enter such directories. Default false. */
  readonly hidden?: boolean | undefined;
  /** Leave out what git ignores: `.gitignore` files from the repository's top down, and `.git/info/exclude`. Default false. */
  readonly gitignore?: boolean | undefined;
  /** Names of directories that are neither reported nor entered, at any depth. */
  readonly excludeDirectories?: ReadonlySet<string> | undefined;
  /** Entries deeper than this are not looked for; 1 means only what lies directly in the start. */
  readonly maxDepth?: number | undefined;
  /**
   * False gives the entries of a directory in the order of the disk, a little faster. Asked when a directory has been
   * read; default true.
   */
  readonly sorted?: (() => boolean) | undefined;
  /** Awaited between directories, and now and then in a large one; `ToolContext.checkpoint`. */
  readonly checkpoint: () => Promise<void>;
  /**
   * The caller's own rules. Asked for everything but secrets, hidden names and excluded directories, for all entries of
   * a directory before the first is visited. `ignored` is what the gitignore rules say (always false without `gitignore`); the default
   * is `!ignored`.
   */
  readonly decide?: Decide | undefined;
  /**
   * The same for rules that lie in the tree: called with each directory that has been read, before any of its entries
   * is decided, and whether it holds a name. Other directories may be decided in between.
   */
  readonly decideIn?: ((directory: OpenDirectory, names: Pick<Names, 'has'>) => Decider) | undefined;
  /**
   * Takes the files of a directory that are reported, instead of visits: all at once with `filesFirst`, else as many as
   * stand between two of its other entries. A promise is awaited; the directory is open until then. Not for use with
   * `decide`.
   */
  readonly takeFiles?: ((directory: OpenDirectory, files: TakenFiles) => Promise<void> | undefined) | undefined;
  /** Told of each name that is left out because it is secret. */
  readonly onSecret?: ((path: string, isDirectory: boolean) => void) | undefined;
  /** Rule files above this directory, a path below the workspace root, are not read; it holds the start. */
  readonly rulesFrom?: string | undefined;
  /** Visit the files of a directory before its directories, each by their names; default false. */
  readonly filesFirst?: boolean | undefined;
}
