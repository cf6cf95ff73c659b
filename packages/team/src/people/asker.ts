import ipaddr from 'ipaddr.js';

/** Who sent a request, what they may do, and the address that it came from, over HTTP. */
export interface Asker {
  readonly person: string;
  readonly scopes: readonly PersonScope[];
  readonly address?: string | undefined;
  /** Names the token that let them in, and where it is kept, if it can be revoked. */
  readonly token?: string | undefined;
  /** When the token of a provider that let them in ends, in milliseconds since 1970. */
  readonly expires?: number | undefined;
  /** Limits from the claims of their token, which replace those for all. */
  readonly limits?: Readonly<Record<string, number>> | undefined;
}

/** The part of an asker by which use is counted. */
export type LimitOwner = Pick<Asker, 'person' | 'address' | 'limits'>;

/** Returns for whom an asker counts. Users without a name are told apart by their networks. */
export function ownerOf({ person, address }: LimitOwner): string {
  return person === '' ? `network ${networkOf(address ?? '')}` : `person ${person}`;
}

const OF_NETWORK = 4;
const HEX = 16;

/** Returns the key of an address for limits: the /64 of IPv6, and IPv4 that is written as IPv6 as itself. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const groups = parsed.parts.slice(0, OF_NETWORK).map((part) => part.toString(HEX));
  return `${groups.join(':')}::/64`;
}

/** What the user may do, as the scopes of OAuth say it. The first three are the effects of tools. */
export const SCOPES = ['jinn:read', 'jinn:write', 'jinn:execute', 'jinn:admin', 'jinn:metrics'] as const;
export type PersonScope = (typeof SCOPES)[number];
/** The scopes that calls of tools need. */
export const TOOL_SCOPES: readonly PersonScope[] = ['jinn:read', 'jinn:write', 'jinn:execute'];

/** Returns the scope of this name, with or without `jinn:`, or undefined if there is none. */
export function findScope(name: string): PersonScope | undefined {
  return SCOPES.find((known) => known === name || known === `jinn:${name}`);
}

/** Reads names of scopes, each once. Throws an Error for the operator. */
export function parseScopes(names: readonly string[]): readonly PersonScope[] {
  const found = names.map((name) => {
    const scope = findScope(name);
    if (scope) return scope;
    throw new Error(`there is no scope ${JSON.stringify(name)}. The scopes are ${SCOPES.join(', ')}`);
  });
  return [...new Set(found)];
}

export interface Refusal {
  readonly status: 401 | 403 | 429 | 503;
  readonly message: string;
  readonly error?: 'invalid_token' | 'insufficient_scope';
  /** The scopes to ask the provider for: those that are missing, and those that the user has. */
  readonly scopes?: readonly PersonScope[];
  readonly retryAfter?: number;
}

const MAX_LENGTH = 255;
const OTHERS = /[^\w.@-]+/gu;

/** Makes a name of what a provider calls the user, with other characters as in a URL. Returns undefined if it is not a name. */
export function toPersonName(given: unknown): string | undefined {
  if (typeof given !== 'string' || given === '' || given.length > MAX_LENGTH || !given.isWellFormed()) return undefined;
  const toHex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return given.replace(OTHERS, (text) => encodeURIComponent(text).replace(/[!'()*~]/g, toHex));
}
