import type { Statements } from '@jinn/store/statements';
import { Rate } from '../limits/rate.ts';
import { findScope, networkOf, type Refusal } from './asker.ts';
import type { SharedTokens, Token, TokenStore } from './bearer-tokens.ts';

interface Row {
  readonly hash: string;
  readonly person: string;
  readonly scopes: string;
  readonly expires: number | null;
}

const COLUMNS = 'hash, person, scopes, expires';

/** The tokens of a workspace in the database of a team. They open no other workspace. */
export interface DatabaseTokens extends TokenStore {
  /** Finds the token with a hash. One with a scope that is not known lets no one in, and can be listed and revoked. */
  find(hash: string): Promise<Token | undefined>;
}

export function tokensInDatabase(statements: Statements, workspace: string): DatabaseTokens {
  return {
    list: async () => {
      const query = `SELECT ${COLUMNS} FROM tokens WHERE workspace = ? ORDER BY created, hash`;
      return ((await statements.read(query, workspace)) as readonly Row[]).map(toToken);
    },
    // Security: anyone who can compare how long it takes learns of a hash, which opens nothing.
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

/** Lets users in by the tokens of a database. While it is away, no one is let in. */
export function openSharedTokens(tokens: DatabaseTokens, onFailure: (error: unknown) => void): SharedTokens {
  const find = boundLookups(tokens.find);
  const orRefuse = (error: unknown): Refusal => {
    onFailure(error);
    return { status: 503, message: 'the tokens cannot be read now: send it again in a moment' };
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

const UNKNOWN_PER_MINUTE = 60;
/** Tokens that no one was let in by yet and that are still to be looked up. */
const MAX_IN_LINE = 128;
/** Entries that were used longest ago are forgotten: then a token waits in line again, and a network starts from zero. */
const MAX_KEPT = 1_000;

type TokenLookup<T> = (hash: string) => Promise<T | undefined>;

/** Bounds lookups. A known token is looked up at once. All others wait in one line, and each network is refused after some unknown ones. */
export function boundLookups<T>(
  look: TokenLookup<T>,
): (hash: string, address: string) => Promise<T | Refusal | undefined> {
  const share = shareLookups(look);
  const known = new Map<string, true>();
  const rates = new Map<string, Rate>();
  let inLine = 0;
  const findNew = async (hash: string, network: string): Promise<T | Refusal | undefined> => {
    const rate = rates.get(network) ?? new Rate(UNKNOWN_PER_MINUTE);
    keep(rates, network, rate);
    const wait = Math.ceil(rate.waitFor(1, performance.now()) / 1_000);
    if (wait > 0) {
      const message = `too many tokens from this address are unknown here: wait ${wait} seconds`;
      return { status: 429, message, retryAfter: wait };
    }
    const places = share.isWaiting(hash) ? 0 : 1;
    if (inLine + places > MAX_IN_LINE) {
      return { status: 503, message: 'too many tokens are looked up at once: send it again in a moment' };
    }
    inLine += places;
    const found = await share.look(hash, 'of strangers').finally(() => {
      inLine -= places;
    });
    if (found === undefined) rate.take(1, performance.now());
    else keep(known, hash, true);
    return found;
  };
  return async (hash, address) => {
    if (!known.has(hash)) return findNew(hash, networkOf(address));
    const found = await share.look(hash, hash);
    if (found !== undefined) keep(known, hash, true);
    else known.delete(hash);
    return found;
  };
}

/** Runs the lookups of a line in turn. Equal ones share one that has not begun, since a token may be revoked during one that has. */
function shareLookups<T>(look: TokenLookup<T>) {
  const waiting = new Map<string, Promise<T | undefined>>();
  const lines = new Map<string, Promise<unknown>>();
  return {
    isWaiting: (hash: string) => waiting.has(hash),
    look: (hash: string, line: string): Promise<T | undefined> => {
      const shared = waiting.get(hash);
      if (shared !== undefined) return shared;
      const before = (lines.get(line) ?? Promise.resolve()).finally(() => waiting.delete(hash));
      const found = before.then(() => look(hash));
      waiting.set(hash, found);
      lines.set(line, found);
      const leave = () => {
        if (lines.get(line) === found) lines.delete(line);
      };
      found.then(leave, leave);
      return found;
    },
  };
}

function keep<T>(kept: Map<string, T>, name: string, value: T): void {
  kept.delete(name);
  kept.set(name, value);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}
