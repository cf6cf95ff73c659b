import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';

/** Who sent a request: the name of the token, empty without one, and the address that it came from, over HTTP. */
export interface Asker {
  readonly person: string;
  readonly address?: string | undefined;
}

/** Whoever is at the other end of standard input and output. */
const LOCAL_PERSON = '';

/** Makes of it what the SDK hands on to the handler of a request. The token itself goes no further. */
export function toAuthInfo({ person, address }: Asker): AuthInfo {
  return { token: '', clientId: person, scopes: [], extra: { address } };
}

/** Returns who sent the request that is handled. */
export function askerOf({ http }: ServerContext): Asker {
  const { clientId = LOCAL_PERSON, extra } = http?.authInfo ?? {};
  return { person: clientId, address: extra?.['address'] as string | undefined };
}
