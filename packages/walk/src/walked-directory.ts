import type { OpenDirectory } from '@jinn/core';
import { DirectoryRules } from './directory-rules.ts';
import type { Names } from './names.ts';
import type { NamesCache } from './names-cache.ts';
import type { Place, WalkEntry } from './walk-entry.ts';

/** Files of one directory that no rule leaves out. */
export interface TakenFiles {
  /** Their names, sorted, between slashes: `/a/b/`. */
  readonly names: string;
  /** False when rules leave out others that lie there. */
  readonly areAll: boolean;
}

/** What a directory holds, as far as the walk reports it. */
export interface Listing {
  /** The files that are taken before the entry at the same place, and after the last; they are not among the entries. */
  readonly files: readonly (TakenFiles | undefined)[];
  readonly entries: readonly WalkEntry[];
  /** The directories among the entries that the walk may enter, in the order of the entries. */
  readonly children: readonly WalkedDirectory[];
  readonly notes: readonly string[];
}

/** A directory of the walk: first only known, then open and read, then closed. */
export class WalkedDirectory implements Place {
  /** What the walk reported; undefined for the start. */
  readonly entry: WalkEntry | undefined;
  readonly depth: number;
  readonly prefix: string;
  /** The gitignore rules that hold in it; those from above until it is read. */
  rules = DirectoryRules.NONE;
  readonly #parent: WalkedDirectory | undefined;
  #directory: OpenDirectory | undefined;

  private constructor(parent: WalkedDirectory | undefined, entry: WalkEntry | undefined) {
    this.#parent = parent;
    this.entry = entry;
    this.depth = parent ? parent.depth + 1 : 1;
    this.prefix = parent && entry ? `${parent.prefix}${entry.name}/` : '';
  }

  static start(directory: OpenDirectory, rules: DirectoryRules): WalkedDirectory {
    const start = new WalkedDirectory(undefined, undefined);
    start.#directory = directory;
    start.rules = rules;
    return start;
  }

  /** A directory that was reported among what this one holds. */
  child(entry: WalkEntry): WalkedDirectory {
    return new WalkedDirectory(this, entry);
  }

  /** Opened by `open` before anything in it is reported. */
  get directory(): OpenDirectory {
    return this.#directory as OpenDirectory;
  }

  /** Throws what the system says, or a ToolError when something else has taken its place. */
  open(): void {
    this.#enter((directory, name) => directory.child(name));
  }

  /** The names that it is known to hold, by a look from above: then it is opened only if something in it is. */
  recall(cache: NamesCache): Names | undefined {
    if (!this.#parent || !this.entry) return undefined;
    const { name } = this.entry;
    const { directory } = this.#parent;
    const stamp = directory.stampOf(name);
    const names = stamp && cache.get(stamp);
    if (names) this.#enter(() => directory.childWhenNeeded(name, stamp));
    return names;
  }

  #enter(open: (directory: OpenDirectory, name: string) => OpenDirectory): void {
    if (!this.#parent || !this.entry) return;
    const { name } = this.entry;
    const { directory, rules } = this.#parent;
    this.#directory = open(directory, name);
    this.rules = rules.child(name, rules.ignores(name, true));
  }

  /** Closes it, unless it is the start, which is the caller's. */
  close(): void {
    if (this.#parent) this.#directory?.close();
    this.#directory = undefined;
  }
}
