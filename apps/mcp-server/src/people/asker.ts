import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import { networkOf } from '../limits/network-of.ts';
import { SCOPES, type Scope } from './scopes.ts';

/** Who sent a request, what they may do, and the address that it came from, over HTTP. */
export interface Asker {
  /** The name of the person; empty without one. */
  readonly person: string;
  readonly scopes: readonly Scope[];
  readonly address?: string | undefined;
  /** Names the token that let them in, and where it is kept, if it may be taken back. */
  readonly token?: string | undefined;
  /** When the token of a provider that let them in ends, in milliseconds since 1970. */
  readonly expires?: number | undefined;
}

/** Whoever is at the other end of standard input and output. */
const LOCAL: Asker = { person: '', scopes: SCOPES };

/** Returns for whom an asker counts where what they use is counted: people without a name are told apart by their networks. */
export function ownerOf({ person, address }: Pick<Asker, 'person' | 'address'>): string {
  return person === '' ? `network ${networkOf(address ?? '')}` : `person ${person}`;
}

/** Makes of it what the SDK hands on to the handler of a request. The token itself goes no further. */
export function toAuthInfo({ person, scopes, address, token }: Asker): AuthInfo {
  return { token: '', clientId: person, scopes: [...scopes], extra: { address, token } };
}

/** Returns who sent the request that is handled. */
export function askerOf({ http }: ServerContext): Asker {
  return toAsker(http?.authInfo);
}

/** Takes it back from the SDK. */
export function toAsker(authInfo: AuthInfo | undefined): Asker {
  if (authInfo === undefined) return LOCAL;
  const { clientId, scopes, extra } = authInfo;
  const { address, token } = (extra ?? {}) as Pick<Asker, 'address' | 'token'>;
  return { person: clientId, scopes: scopes as Scope[], address, token };
}
