import type { Token } from './bearer-tokens.ts';
import type { Refusal } from './refusal.ts';

export interface TokenStore {
  list(): Promise<readonly Token[]>;
  add(token: Token): Promise<void>;
  remove(tokens: readonly Token[]): Promise<number>;
  /** Lists the faults of the kept tokens. A faulty one lets nobody in. */
  faults?(): readonly string[];
}

export interface SharedTokens {
  /** Finds a token by its hash, for a request from an address. */
  find(hash: string, address: string): Promise<Token | Refusal | undefined>;
  /** Finds a token that was let in. The server itself asks for it, so that no bound is needed. */
  check(hash: string): Promise<Token | Refusal | undefined>;
}
