import { isIPv6 } from 'node:net';
import type { PersonScope } from './scopes.ts';

/** Who sent a request, what they may do, and the address that it came from, over HTTP. */
export interface Asker {
  readonly person: string;
  readonly scopes: readonly PersonScope[];
  readonly address?: string | undefined;
  /** Names the token that let them in, and where it is kept, if it can be revoked. */
  readonly token?: string | undefined;
  /** When the token of a provider that let them in ends, in milliseconds since 1970. */
  readonly expires?: number | undefined;
}

/** The part of an asker by which use is counted. */
export type LimitOwner = Pick<Asker, 'person' | 'address'>;

/** Returns for whom an asker counts. People without a name are told apart by their networks. */
export function ownerOf({ person, address }: LimitOwner): string {
  return person === '' ? `network ${networkOf(address ?? '')}` : `person ${person}`;
}

const GROUPS = 8;
const OF_NETWORK = 4;
const MAPPED = '0:0:0:0:0:ffff';

/**
 * Returns the key of an address for limits: for IPv6 the /64, all of whose addresses one person has; an IPv4 address written as IPv6
 * as itself.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  if (groups.slice(0, -2).join(':') !== MAPPED) return `${groups.slice(0, OF_NETWORK).join(':')}::/64`;
  const values = groups.slice(-2).map((group) => Number.parseInt(group, 16));
  return values.flatMap((value) => [value >> 8, value & 0xff]).join('.');
}

function groupsOf(address: string): string[] {
  // A URL writes each address in one way, and has no place for a zone.
  const { hostname } = new URL(`http://[${address.replace(/%.*/, '')}]`);
  const [before = [], after = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  return [...before, ...Array<string>(GROUPS - before.length - after.length).fill('0'), ...after];
}
