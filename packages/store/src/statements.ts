/** A statement in the SQL that SQLite and PostgreSQL share, with `?` for each value. */
export type Query = readonly [text: string, ...values: unknown[]];

export interface WriteOptions {
  /** False if a power loss may undo what is written. True if absent. */
  readonly isSynced?: boolean;
}

/** Runs statements on a database. */
export interface Statements {
  read(...query: Query): Promise<readonly unknown[]>;
  /** Writes, and returns how many rows changed. The changes survive a power loss. */
  write(...query: Query): Promise<number>;
  /** Runs all statements or none, and returns how many rows each changed. */
  writeAll(queries: readonly Query[], options?: WriteOptions): Promise<readonly number[]>;
}

/** Returns the column `key` of rows. */
export function toKeys(rows: readonly unknown[]): string[] {
  return (rows as readonly { key: string }[]).map(({ key }) => key);
}
