export interface MemoryEntry {
  readonly key: string;
  readonly value: string;
  /** RFC 3339. */
  readonly updated: string;
  readonly pinned: boolean;
  readonly expires: Date | undefined;
}

export interface MemoryScope {
  readonly scope: string;
  readonly count: number;
  readonly updated: string;
}

/**
 * Texts of one user by key, in scopes: one for each project, and a global one. Methods reject with `write_failed` if
 * the memory cannot be opened, and with `unavailable` while the database of a team cannot be reached.
 */
export interface Memory {
  /**
   * Finds a scope: "global", the project at an absolute path, or else the nearest directory with a `.git` from the
   * workspace upwards, or else the workspace. Throws `invalid_args`.
   */
  findScope(given: string | undefined): string;
  /** The text is on the disk when this resolves. */
  save(scope: string, entry: Omit<MemoryEntry, 'updated'>): Promise<void>;
  /**
   * Replaces the text of a key by what `toValue` makes of it, or of undefined for a missing key. Pin and expiry stay. If
   * another process changes the text meanwhile, it runs again. Rejects with `conflict` if that never ends.
   */
  edit(scope: string, key: string, toValue: (value: string | undefined) => string | Promise<string>): Promise<void>;
  recall(scope: string, key: string): Promise<MemoryEntry | undefined>;
  /** In the order of the keys, without the missing ones. */
  recallAll(scope: string, keys: readonly string[]): Promise<readonly MemoryEntry[]>;
  forget(scope: string, key: string): Promise<boolean>;
  /** Pinned ones first. With a query, those with one of its words in key or value, best first. */
  list(scope: string, query: string | undefined): Promise<readonly string[]>;
  /** Searches texts that are stored elsewhere, as `list` does with a query. */
  search(texts: readonly MemoryEntry[], query: string): Promise<readonly string[]>;
  scopes(): Promise<readonly MemoryScope[]>;
  /** A key that the other scope has stays where it is. */
  move(from: string, to: string): Promise<{ readonly moved: number; readonly kept: readonly string[] }>;
  takeWarnings(): readonly string[];
}
