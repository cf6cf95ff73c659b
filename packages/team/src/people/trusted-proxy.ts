import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { type Asker, findScope, type Refusal, toPersonName } from './asker.ts';
import type { TokenVerifier } from './openid.ts';
import type { ProxySettings } from './team-settings.ts';

/** The proxies of the operator, which say who someone is. */
export interface TrustedProxy {
  readonly namesPeople: boolean;
  /** Returns who a proxy says sent the request, or undefined if the request does not claim to come through one. */
  identify(request: IncomingMessage): Promise<Asker | Refusal | undefined>;
  addressOf(request: IncomingMessage): string | undefined;
}

/** Believes a proxy of the operator. `verify` checks its header, if that is signed. Throws an Error for an invalid address. */
export function createTrustedProxy(settings: ProxySettings, verify?: TokenVerifier): TrustedProxy {
  const { header, scopes_header: scopesHeader, scopes } = settings;
  const trusted = toBlockList(settings.addresses);
  const isTrusted = ({ socket: { remoteAddress = '' } }: IncomingMessage) =>
    isIP(remoteAddress) !== 0 && trusted.check(remoteAddress, familyOf(remoteAddress));
  const addressOf = (request: IncomingMessage) => {
    const { remoteAddress } = request.socket;
    if (!isTrusted(request)) return remoteAddress;
    // The client itself sent all entries but the last.
    const last = request.headersDistinct['x-forwarded-for']?.at(-1)?.split(',').at(-1)?.trim() ?? '';
    return isIP(last) === 0 ? remoteAddress : last;
  };
  const scopesOf = (given: readonly string[] | undefined) => {
    const found = (given ?? []).flatMap((text) => text.split(/[\s,]+/)).map(findScope);
    return scopesHeader === undefined ? scopes : found.filter((scope) => scope !== undefined);
  };
  const judge = async (text: string): Promise<Awaited<ReturnType<TokenVerifier>> | undefined> => {
    if (verify) return verify(text);
    const person = toPersonName(text);
    return person === undefined ? undefined : { person, scopes: [] };
  };
  return {
    addressOf,
    namesPeople: header !== undefined,
    identify: async (request) => {
      const all = (name: string | undefined) =>
        name === undefined ? undefined : request.headersDistinct[name.toLowerCase()];
      const [names, given] = [all(header), all(scopesHeader)];
      if (names === undefined && given === undefined) return undefined;
      if (!isTrusted(request))
        return { status: 403, message: 'this header counts only from the proxy of the operator' };
      const [name] = names?.length === 1 ? names : [];
      const judged = name && (await judge(name));
      if (!judged) return { status: 403, message: `the proxy must send one name in ${header}` };
      if (given !== undefined && given.length > 1)
        return { status: 403, message: `the proxy must send one ${scopesHeader}` };
      if ('status' in judged)
        return judged.status === 401 ? { status: 403, message: `${header}: ${judged.message}` } : judged;
      // It is asked for again in each request, so that nothing ends with it.
      const { expires: _, ...named } = judged;
      return { ...named, scopes: [...new Set([...scopesOf(given), ...judged.scopes])], address: addressOf(request) };
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
