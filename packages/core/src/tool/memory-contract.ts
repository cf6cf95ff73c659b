/** A short text that is saved across sessions. */
export interface MemoryEntry {
  readonly key: string;
  readonly value: string;
  /** The time when it was saved, as RFC 3339. */
  readonly updated: string;
  readonly pinned: boolean;
  /** The time when it expires; undefined for never. */
  readonly expires: Date | undefined;
}

export interface MemoryScope {
  readonly scope: string;
  readonly count: number;
  /** The time when its last text was saved, as RFC 3339. */
  readonly updated: string;
}

/**
 * Texts of one person by key, in scopes: one for each project, and a global one. Reading creates and changes nothing, except that the
 * first use imports the file of an older jinn. Methods reject with `write_failed` if the memory
 * cannot be opened, and with `unavailable` while the database of a team cannot be reached.
 */
export interface Memory {
  /**
   * Finds the scope that a caller names: "global"; or the real path of the project at an absolute path; or, without a
   * path, the nearest directory with a `.git` from the workspace upwards, else the workspace. Throws `invalid_args`.
   */
  findScope(given: string | undefined): string;
  /** Replaces the text of the key, its pin and its expiry. The text is on the disk when this resolves. */
  save(scope: string, entry: Omit<MemoryEntry, 'updated'>): Promise<void>;
  recall(scope: string, key: string): Promise<MemoryEntry | undefined>;
  /** Reads the texts of some keys at once, in the order of the keys. Missing ones are left out. */
  recallAll(scope: string, keys: readonly string[]): Promise<readonly MemoryEntry[]>;
  /** Removes a text. Resolves to false if the key did not exist. */
  forget(scope: string, key: string): Promise<boolean>;
  /**
   * Lists the keys, pinned ones first. With a query, it lists those with one of its words in key or value, best first.
   */
  list(scope: string, query: string | undefined): Promise<readonly string[]>;
  /** Lists all scopes with texts, each with their number, sorted by scope. */
  scopes(): Promise<readonly MemoryScope[]>;
  /** Moves all texts of a scope to another one. A key that the other scope has stays where it is. */
  move(from: string, to: string): Promise<{ readonly moved: number; readonly kept: readonly string[] }>;
  /** Returns the faults beside the calls so far, a sentence each; each is returned once. */
  takeWarnings(): readonly string[];
}
