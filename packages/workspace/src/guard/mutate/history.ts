export interface Snapshot {
  readonly content: Buffer;
  readonly mode: number;
}

export interface PlannedChange {
  readonly path: string;
  /** Undefined if the change creates the file. */
  readonly before: Snapshot | undefined;
  /** Of the content. Undefined if there is no file. `before` is checked by its token on a restore. */
  readonly beforeVersion: string | undefined;
  readonly afterVersion: string | undefined;
  /** How many of the directories above the file the change makes. */
  readonly newDirectories: number;
}

export interface HistoryEntry {
  readonly id: string;
  readonly order: number;
  /** The call that made the change. A call may have several entries. */
  readonly operationId: string;
  readonly tool: string;
  readonly path: string;
  readonly created: Date;
  /** Of the content before. Undefined if the change created the file. */
  readonly size: number | undefined;
  readonly beforeVersion: string | undefined;
  readonly afterVersion: string | undefined;
  /** 0 if an older jinn made the change. */
  readonly newDirectories: number;
  /** Whose call made it, if that is another user. '' for one without a name. */
  readonly otherPerson: string | undefined;
}

export interface PreparedOperation {
  readonly id: string;
  readonly entries: ReadonlyMap<string, string>;
}

/**
 * The undo history of one workspace. An entry is prepared before the disk is touched, and then committed or forgotten.
 * An entry that a killed process left prepared is settled by comparing versions with the disk. Methods reject with
 * `write_failed` if the history cannot be read or written, and with `unavailable` while the database of a team cannot
 * be reached.
 */
export interface History {
  /**
   * Records what is about to happen. When it resolves, the snapshots survive a power loss. Resolves to undefined if
   * they are too large: a warning reports that the change cannot be undone. The caller holds the locks of the files,
   * whose entries that are still prepared are settled first.
   */
  prepare(tool: string, changes: readonly PlannedChange[]): Promise<PreparedOperation | undefined>;
  /** Marks the changes to these paths as done, and forgets the others. Resolves to false if the operation is lost. */
  commit(operationId: string, paths: readonly string[]): Promise<boolean>;
  unsettled(): Promise<readonly Pick<HistoryEntry, 'id' | 'path'>[]>;
  /** Settles an entry that a killed process left. `version` is that of the file now. */
  settle(id: string, version: string | undefined): Promise<void>;
  /** The committed entries, loaded at the first call. */
  archive(): Promise<Archive>;
  /** Returns what went wrong so far, a sentence each, once. */
  takeWarnings(): readonly string[];
}

/** The committed entries of one workspace, as one user sees them: those of others too, with the name. */
export interface Archive {
  /** Lists the intact entries, newest first. At most `limit` of the newest are looked at. */
  list(limit?: number): Promise<readonly HistoryEntry[]>;
  count(): Promise<number>;
  /**
   * Finds the entry with this id or unique prefix of one, or all entries of the operation with this id. Throws
   * `not_found` if there is none, or one is damaged or missing, and `invalid_args` for several.
   */
  find(idOrPrefix: string): Promise<readonly HistoryEntry[]>;
  newer(entry: HistoryEntry): Promise<readonly HistoryEntry[]>;
  /** Undefined if the change created the file. Throws `not_found` if it is not, byte for byte, what was recorded. */
  snapshot(id: string): Promise<Snapshot | undefined>;
  /** Removes all entries of this user and returns their number. Works on a full disk. */
  clear(): Promise<number>;
  /** Returns the names of histories that were damaged and set aside, oldest first. */
  damaged(): readonly string[];
}
