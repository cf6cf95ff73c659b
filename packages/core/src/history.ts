/** A file's content before a change, as undo gives it back. */
export interface Snapshot {
  readonly content: Buffer;
  /** Permission bits. */
  readonly mode: number;
}

/** One file of a call that is about to change it. */
export interface PlannedChange {
  /** The path below the workspace root, links resolved. */
  readonly path: string;
  /** Undefined for a file that is made. */
  readonly before: Snapshot | undefined;
  /** Version tokens of the content; undefined where there is no file. */
  readonly beforeVersion: string | undefined;
  readonly afterVersion: string | undefined;
}

/** One change of one file, which can be undone. */
export interface HistoryEntry {
  /** Short and unique. */
  readonly id: string;
  /** The call that made it; calls that change several files have several entries. */
  readonly operationId: string;
  /** The name of the tool. */
  readonly tool: string;
  readonly path: string;
  readonly created: Date;
  /** Bytes of the content before; undefined when the change made the file. */
  readonly size: number | undefined;
  readonly beforeVersion: string | undefined;
  readonly afterVersion: string | undefined;
}

export interface PreparedOperation {
  readonly id: string;
  /** Entry ids, by path. */
  readonly entries: ReadonlyMap<string, string>;
}

/**
 * The undo history of one workspace. An entry is prepared before the disk is touched, and after that committed or forgotten;
 * one that a killed process left prepared is settled by comparing versions with the disk. Methods that change
 * something throw `write_failed` when that cannot be recorded.
 */
export interface History {
  /**
   * Records what is about to happen; when it returns, the snapshots survive a power loss. The caller holds the locks
   * of the files, so that any entry of them that is still prepared was left behind: it is settled first.
   */
  prepare(tool: string, changes: readonly PlannedChange[]): PreparedOperation;
  /** Marks the changes of an operation as done for these paths, and forgets the others, which were not changed. */
  commit(operationId: string, paths: readonly string[]): void;
  /** Entries that are only prepared: of calls that run now, or that were killed. */
  unsettled(): readonly Pick<HistoryEntry, 'id' | 'path'>[];
  /** Settles an entry that a killed process left: `version` is what the file has now. */
  settle(id: string, version: string | undefined): void;
  /** What was recorded, for the undo tool; loaded when first asked for. */
  archive(): Promise<Archive>;
}

/** The committed entries of one workspace. */
export interface Archive {
  /** Newest first. */
  list(limit?: number): readonly HistoryEntry[];
  count(): number;
  /**
   * The entry with this id or unique prefix of one, or all entries of the operation that it names. Throws `not_found`
   * for none and `invalid_args` for several.
   */
  find(idOrPrefix: string): readonly HistoryEntry[];
  /** What the file was before; undefined when the change made it. */
  snapshot(id: string): Snapshot | undefined;
  /** Removes all entries; gives their number. */
  clear(): number;
}
