import type { StateDatabase } from './state-database.ts';

/**
 * Runs single statements in the SQL that SQLite and PostgreSQL have in common, with `?` for each value. What is written
 * survives a power loss.
 */
export interface Statements {
  /** Returns the rows. */
  read(text: string, ...values: readonly unknown[]): Promise<readonly unknown[]>;
  /** Returns how many rows changed. */
  write(text: string, ...values: readonly unknown[]): Promise<number>;
}

/** Runs them on `state.db`. */
export function statementsOf(database: StateDatabase): Statements {
  return {
    read: async (text, ...values) => database.read((connection) => connection.sql(text).all(...values)),
    write: async (text, ...values) => database.writeSynced((connection) => connection.sql(text).run(...values).changes),
  };
}
