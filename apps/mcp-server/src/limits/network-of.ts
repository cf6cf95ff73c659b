import { isIPv6 } from 'node:net';

const GROUPS = 8;
const OF_NETWORK = 4;
const MAPPED = '0:0:0:0:0:ffff';

/**
 * Returns what an address counts as where those of strangers are counted: for IPv6 the first 64 bits, of which one person has all
 * addresses that there are; an IPv4 address that is written as one of IPv6 as itself.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  if (groups.slice(0, -2).join(':') === MAPPED) return groups.slice(-2).flatMap(toBytes).join('.');
  return `${groups.slice(0, OF_NETWORK).join(':')}::/64`;
}

function groupsOf(address: string): string[] {
  // A URL writes each address in one way, and has no place for a zone.
  const { hostname } = new URL(`http://[${address.replace(/%.*/, '')}]`);
  const [head, tail] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const [before = [], after = []] = [head, tail];
  return [...before, ...Array<string>(GROUPS - before.length - after.length).fill('0'), ...after];
}

function toBytes(group: string): number[] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}
