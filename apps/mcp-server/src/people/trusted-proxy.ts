import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Asker } from './asker.ts';
import type { Refusal } from './identity.ts';
import { toPersonName } from './person-name.ts';
import { findScope } from './scopes.ts';
import type { ProxySettings } from './team-settings.ts';

/** The proxies of the operator, which say who somebody is. */
export interface TrustedProxy {
  /** Returns who a proxy says sent the request; undefined if the request does not claim to come through one. */
  identify(request: IncomingMessage): Asker | Refusal | undefined;
  /** Returns the address that the request came from, before the proxy. */
  addressOf(request: IncomingMessage): string | undefined;
}

/** Throws an Error for an address that is none. */
export function createTrustedProxy(settings: ProxySettings): TrustedProxy {
  const { header, scopes_header: scopesHeader, scopes } = settings;
  const trusted = toBlockList(settings.addresses);
  const isTrusted = ({ socket: { remoteAddress = '' } }: IncomingMessage) =>
    isIP(remoteAddress) !== 0 && trusted.check(remoteAddress, familyOf(remoteAddress));
  const addressOf = (request: IncomingMessage) => {
    const { remoteAddress } = request.socket;
    if (!isTrusted(request)) return remoteAddress;
    // What stands before the last entry is what the client itself sent.
    const last = request.headersDistinct['x-forwarded-for']?.at(-1)?.split(',').at(-1)?.trim() ?? '';
    return isIP(last) === 0 ? remoteAddress : last;
  };
  return {
    addressOf,
    identify: (request) => {
      const names = request.headersDistinct[header.toLowerCase()];
      const given = scopesHeader === undefined ? undefined : request.headersDistinct[scopesHeader.toLowerCase()];
      if (names === undefined && given === undefined) return undefined;
      if (!isTrusted(request))
        return { status: 403, message: 'this header counts only from the proxy of the operator' };
      const person = names?.length === 1 ? toPersonName(names[0]) : undefined;
      if (person === undefined) return { status: 403, message: `the proxy must send one name in ${header}` };
      if (given !== undefined && given.length > 1)
        return { status: 403, message: `the proxy must send one ${scopesHeader}` };
      const found = (given ?? []).flatMap((text) => text.split(/[\s,]+/)).map(findScope);
      return {
        person,
        scopes: scopesHeader === undefined ? scopes : found.filter((scope) => scope !== undefined),
        address: addressOf(request),
      };
    },
  };
}

function toBlockList(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of addresses) {
    const [address = '', bits, ...more] = text.split('/');
    const most = isIP(address) === 4 ? 32 : 128;
    const prefix = bits === undefined ? most : Number(bits);
    if (isIP(address) === 0 || more.length > 0 || !/^\d+$/.test(bits ?? '0') || prefix > most)
      throw new Error(`proxy.addresses: ${text} is no address or CIDR block`);
    list.addSubnet(address, prefix, familyOf(address));
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
