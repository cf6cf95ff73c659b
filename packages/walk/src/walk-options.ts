import type { WalkEntry } from './walk-entry.ts';

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
   * The caller's own rules: true reports the entry, and enters it if it is a directory. Asked for everything but
   * secrets, hidden names and excluded directories, for all entries of a directory before the first is visited. `ignored` is what the gitignore rules say (always false without `gitignore`); the default
   * is `!ignored`.
   */
  readonly decide?: ((entry: WalkEntry, ignored: boolean) => boolean) | undefined;
}
