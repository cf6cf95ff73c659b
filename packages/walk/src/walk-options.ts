import type { WalkEntry } from './walk-entry.ts';

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
   * read, some directories ahead of the visits; default true.
   */
  readonly sorted?: (() => boolean) | undefined;
  /** Awaited between directories, and now and then in a large one; `ToolContext.checkpoint`. */
  readonly checkpoint: () => Promise<void>;
  /**
   * The caller's own rules: true reports the entry, and enters it if it is a directory. Asked for everything but
   * secrets, hidden names and excluded directories, some directories ahead of the visits, the entries of one
   * directory in a row. `ignored` is what the gitignore rules say (always false without `gitignore`); the default
   * is `!ignored`.
   */
  readonly decide?: ((entry: WalkEntry, ignored: boolean) => boolean) | undefined;
}
