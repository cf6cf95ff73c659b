import type { SharedDatabase } from '@jinn/store/postgres';
import { boundLookups } from '../limits/token-lookups.ts';
import type { Token } from './bearer-tokens.ts';
import type { Refusal, SharedTokens } from './identity.ts';
import type { TokenStore } from './run-tokens.ts';
import { findScope } from './scopes.ts';

type TokenTable = SharedDatabase['tokens'];
type StoredToken = Parameters<TokenTable['add']>[0];

/** Keeps tokens in the database of a team. */
export function tokensInDatabase(table: TokenTable): TokenStore {
  return {
    list: async () => (await table.list()).map(toToken),
    add: (token) => table.add(toStored(token)),
    remove: (tokens) => table.remove(tokens.map(({ hash }) => hash)),
  };
}

/** Finds tokens there. While the database is away, nobody is let in by them. */
export function openSharedTokens(table: TokenTable, onFailure: (error: unknown) => void): SharedTokens {
  const look = async (hash: string) => {
    const stored = await table.find(hash);
    return stored && isKnown(stored) ? toToken(stored) : undefined;
  };
  const find = boundLookups(look);
  const orRefuse = (error: unknown): Refusal => {
    onFailure(error);
    return { status: 503, message: 'the tokens cannot be read now; send it again in a moment' };
  };
  return {
    find: (hash, address) => find(hash, address).catch(orRefuse),
    check: (hash) => look(hash).catch(orRefuse),
  };
}

/** Reports whether all scopes are known. Security: a token with another one lets nobody in; it can be listed and taken back. */
function isKnown({ scopes }: StoredToken): boolean {
  return scopes.split(',').every((scope) => findScope(scope) !== undefined);
}

function toToken({ person, hash, scopes, expires }: StoredToken): Token {
  const known = scopes.split(',').flatMap((scope) => findScope(scope) ?? []);
  return { person, hash, scopes: known, expires: expires ?? Infinity };
}

function toStored({ person, hash, scopes, expires }: Token): StoredToken {
  return { person, hash, scopes: scopes.join(), expires: expires === Infinity ? null : expires };
}
