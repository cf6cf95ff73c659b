import type { Sqlite, Statement } from './load-sqlite.ts';

/** An open database, and the statements that were prepared for it. */
export class Connection {
  readonly sqlite: Sqlite;
  readonly #statements = new Map<string, Statement>();

  constructor(sqlite: Sqlite) {
    this.sqlite = sqlite;
  }

  /** Prepares a statement, once for each text. */
  sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.sqlite.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}
