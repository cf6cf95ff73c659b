/** A statement in the SQL that SQLite and PostgreSQL have in common, with `?` for each value. */
export type Query = readonly [text: string, ...values: unknown[]];

export interface WriteOptions {
  /** False if a power loss may take what is written. True if absent. */
  readonly isSynced?: boolean;
}

/** Runs statements on a database. */
export interface Statements {
  /** Returns the rows. */
  read(...query: Query): Promise<readonly unknown[]>;
  /** Returns how many rows changed. What is written survives a power loss. */
  write(...query: Query): Promise<number>;
  /** Runs all of them or none, and returns how many rows each changed. */
  writeAll(queries: readonly Query[], options?: WriteOptions): Promise<readonly number[]>;
}
