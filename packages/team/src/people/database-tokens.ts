import type { Statements } from '@jinn/store/statements';
import { boundLookups } from '../limits/token-lookups.ts';
import type { Token } from './bearer-tokens.ts';
import type { Refusal } from './refusal.ts';
import { findScope } from './scopes.ts';
import type { SharedTokens, TokenStore } from './token-store.ts';

interface Row {
  readonly hash: string;
  readonly person: string;
  readonly scopes: string;
  /** In milliseconds since 1970; null if it does not end. */
  readonly expires: number | null;
}

const COLUMNS = 'hash, person, scopes, expires';

/** The tokens of a workspace in the database of a team. They open no other workspace. */
export interface DatabaseTokens extends TokenStore {
  /** Finds the token with a hash. One with a scope that is not known lets nobody in, and can be listed and revoked. */
  find(hash: string): Promise<Token | undefined>;
}

export function tokensInDatabase(statements: Statements, workspace: string): DatabaseTokens {
  return {
    // In the order in which they were made.
    list: async () => {
      const query = `SELECT ${COLUMNS} FROM tokens WHERE workspace = ? ORDER BY created, hash`;
      return ((await statements.read(query, workspace)) as readonly Row[]).map(toToken);
    },
    // Security: whoever can compare how long it takes learns of a hash, which opens nothing.
    find: async (hash) => {
      const query = `SELECT ${COLUMNS} FROM tokens WHERE workspace = ? AND hash = ?`;
      const [row] = (await statements.read(query, workspace, hash)) as readonly Row[];
      return row?.scopes.split(',').every(findScope) ? toToken(row) : undefined;
    },
    add: async ({ hash, person, scopes, expires }) => {
      const end = expires === Infinity ? null : expires;
      await statements.write(
        `INSERT INTO tokens (workspace, ${COLUMNS}, created) VALUES (?, ?, ?, ?, ?, ?)`,
        ...[workspace, hash, person, scopes.join(), end, Date.now()],
      );
    },
    remove: async (tokens) => {
      const remove = 'DELETE FROM tokens WHERE workspace = ? AND hash = ?';
      const counts = await statements.writeAll(tokens.map(({ hash }) => [remove, workspace, hash]));
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}

/** Lets people in by the tokens of a database. While it is away, nobody is let in. */
export function openSharedTokens(tokens: DatabaseTokens, onFailure: (error: unknown) => void): SharedTokens {
  const find = boundLookups(tokens.find);
  const orRefuse = (error: unknown): Refusal => {
    onFailure(error);
    return { status: 503, message: 'the tokens cannot be read now; send it again in a moment' };
  };
  return {
    find: (hash, address) => find(hash, address).catch(orRefuse),
    check: (hash) => tokens.find(hash).catch(orRefuse),
  };
}

function toToken({ person, hash, scopes, expires }: Row): Token {
  const known = scopes.split(',').flatMap((scope) => findScope(scope) ?? []);
  return { person, hash, scopes: known, expires: expires ?? Infinity };
}
