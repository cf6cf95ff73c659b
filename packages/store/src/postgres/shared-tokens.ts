import type { Statements } from '../statements.ts';

/** A bearer token by its hash, whom it stands for, and what it lets them do. */
export interface StoredToken {
  /** The SHA-256 of the token, in hex. */
  readonly hash: string;
  readonly person: string;
  /** The names of the scopes, with commas between. */
  readonly scopes: string;
  /** In milliseconds since 1970; null if it does not end. */
  readonly expires: number | null;
}

/** The tokens of a workspace. They open no other one. */
export interface TokenTable {
  add(token: StoredToken): Promise<void>;
  /** Returns them in the order in which they were made. */
  list(): Promise<readonly StoredToken[]>;
  find(hash: string): Promise<StoredToken | undefined>;
  /** Returns how many of these there were. */
  remove(hashes: readonly string[]): Promise<number>;
}

const COLUMNS = 'hash, person, scopes, expires';

export function tokensIn(statements: Statements, workspace: string): TokenTable {
  return {
    add: async ({ hash, person, scopes, expires }) => {
      await statements.write(
        `INSERT INTO tokens (workspace, ${COLUMNS}, created) VALUES (?, ?, ?, ?, ?, ?)`,
        ...[workspace, hash, person, scopes, expires, Date.now()],
      );
    },
    list: async () => {
      const query = `SELECT ${COLUMNS} FROM tokens WHERE workspace = ? ORDER BY created, hash`;
      return (await statements.read(query, workspace)) as readonly StoredToken[];
    },
    // Security: whoever can compare how long it takes learns of a hash, which opens nothing.
    find: async (hash) => {
      const query = `SELECT ${COLUMNS} FROM tokens WHERE workspace = ? AND hash = ?`;
      return ((await statements.read(query, workspace, hash)) as readonly StoredToken[])[0];
    },
    remove: async (hashes) => {
      const remove = 'DELETE FROM tokens WHERE workspace = ? AND hash = ?';
      const counts = await statements.writeAll(hashes.map((hash) => [remove, workspace, hash]));
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}
