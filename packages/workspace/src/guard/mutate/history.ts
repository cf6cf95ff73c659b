/** A file before a change, as undo restores it. */
export interface Snapshot {
  readonly content: Buffer;
  /** Permission bits. */
  readonly mode: number;
}

/** One file of a call that is about to change it. */
export interface PlannedChange {
  /** The path below the workspace root, links resolved. */
  readonly path: string;
  /** Undefined if the change creates the file. */
  readonly before: Snapshot | undefined;
  /** Version tokens of the content; undefined if there is no file. `before` is checked by its token on a restore. */
  readonly beforeVersion: string | undefined;
  readonly afterVersion: string | undefined;
  /** How many of the directories above the file the change makes. */
  readonly newDirectories: number;
}

/** One change of one file, which can be undone. */
export interface HistoryEntry {
  /** Short and unique. */
  readonly id: string;
  /** Newer entries have higher ones. */
  readonly order: number;
  /** The call that made the change; a call that changes several files has several entries. */
  readonly operationId: string;
  /** The name of the tool. */
  readonly tool: string;
  readonly path: string;
  readonly created: Date;
  /** The bytes of the content before; undefined if the change created the file. */
  readonly size: number | undefined;
  readonly beforeVersion: string | undefined;
  readonly afterVersion: string | undefined;
  /** How many of the directories above the file the change made; 0 if an older jinn made it. */
  readonly newDirectories: number;
  /** The name of the person whose call made it, if another person asks; '' for one without a name. */
  readonly otherPerson: string | undefined;
}

/** An operation whose snapshots are recorded. */
export interface PreparedOperation {
  readonly id: string;
  /** The ids of its entries, by path. */
  readonly entries: ReadonlyMap<string, string>;
}

/**
 * The undo history of one workspace. An entry is prepared before the disk is touched, and then committed or forgotten.
 * An entry that a killed process left prepared is settled by comparing versions with the disk. Methods reject with
 * `write_failed` if the history cannot be read, or not be written by those that write, and with `unavailable` while the
 * database of a team cannot be reached.
 */
export interface History {
  /**
   * Records what is about to happen; when it resolves, the snapshots survive a power loss. Resolves to undefined if they are
   * too large for the history: the change cannot be undone then, and a warning says so. The caller holds the locks of
   * the files; entries of these files that are still prepared were left behind, and are settled first.
   */
  prepare(tool: string, changes: readonly PlannedChange[]): Promise<PreparedOperation | undefined>;
  /**
   * Marks the changes of an operation as done for these paths, and forgets the others, which were not changed. Resolves to
   * false if the history has lost the operation, so that it cannot be undone.
   */
  commit(operationId: string, paths: readonly string[]): Promise<boolean>;
  /** Returns the entries that are only prepared, of calls that run now or were killed. */
  unsettled(): Promise<readonly Pick<HistoryEntry, 'id' | 'path'>[]>;
  /** Settles an entry that a killed process left. `version` is what the file has now, undefined if there is none. */
  settle(id: string, version: string | undefined): Promise<void>;
  /** Returns the committed entries, for the undo tool; they are loaded at the first call. */
  archive(): Promise<Archive>;
  /** Returns what went wrong beside the calls so far, a sentence each; each is returned once. */
  takeWarnings(): readonly string[];
}

/** The committed entries of one workspace, as one person sees them: those of others too, with the name. */
export interface Archive {
  /** Lists the entries that are intact, newest first; at most `limit` of the newest are looked at. */
  list(limit?: number): Promise<readonly HistoryEntry[]>;
  /** Counts all entries, damaged ones too. */
  count(): Promise<number>;
  /**
   * Finds the entry with this id or unique prefix of one, or all entries of the operation with this id. Throws
   * `not_found` if there is none, or it is damaged, or entries of the operation are missing, and `invalid_args` for
   * several.
   */
  find(idOrPrefix: string): Promise<readonly HistoryEntry[]>;
  /** Returns the newer entries of the same file that are intact, oldest first. */
  newer(entry: HistoryEntry): Promise<readonly HistoryEntry[]>;
  /**
   * Returns the file before the change; undefined if the change created it. Throws `not_found` if it is not, byte for
   * byte, what was recorded.
   */
  snapshot(id: string): Promise<Snapshot | undefined>;
  /** Removes all entries of this person and returns their number. Works on a full disk. */
  clear(): Promise<number>;
  /** Returns the names of histories that were damaged and set aside, oldest first. */
  damaged(): readonly string[];
}
