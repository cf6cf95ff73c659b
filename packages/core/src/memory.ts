/** A short text that is kept across sessions. */
export interface MemoryEntry {
  readonly key: string;
  readonly value: string;
  /** When it was saved, RFC 3339. */
  readonly updated: string;
  readonly pinned: boolean;
  /** When it will be gone; undefined for never. */
  readonly expires: Date | undefined;
}

/**
 * Texts by key, in scopes: one for each project, and a global one. Reading creates and changes nothing, but for the
 * file of an older jinn, which the first use takes over. Methods throw `write_failed` when the store cannot be had.
 */
export interface Memory {
  /**
   * The scope that a caller means: "global", the real path of the project at an absolute path, and without one the
   * nearest directory with a `.git` from the workspace upwards, or else the workspace. Throws `invalid_args`.
   */
  findScope(given: string | undefined): string;
  /** Replaces what the key had, its pin and its end too. On the disk when this returns. */
  save(scope: string, entry: Omit<MemoryEntry, 'updated'>): void;
  recall(scope: string, key: string): MemoryEntry | undefined;
  /** False when there was nothing. */
  forget(scope: string, key: string): boolean;
  /** The keys, pinned ones first; with a query those that have one of its words in key or value, best first. */
  list(scope: string, query: string | undefined): Promise<readonly string[]>;
  /** What went wrong beside the calls so far, each told once. */
  takeWarnings(): readonly string[];
}
