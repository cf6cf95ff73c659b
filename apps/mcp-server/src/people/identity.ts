import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Asker } from './asker.ts';
import { describePeople, hashOf, isOwnToken, type Token } from './bearer-tokens.ts';
import type { TokenVerifier } from './openid.ts';
import { SCOPES, type Scope } from './scopes.ts';
import type { OpenidSettings } from './team-settings.ts';
import type { TokenSource } from './token-file.ts';
import type { TrustedProxy } from './trusted-proxy.ts';

/** Below this path of the server stands what clients of OAuth read first (RFC 9728). */
const METADATA_PATH = '/.well-known/oauth-protected-resource';
const BEARER = /^Bearer +(\S+) *$/i;
/** What stands before the hash of a token that several servers share, where an asker names it. */
const SHARED = 'shared ';
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Why a request is refused. */
export interface Refusal {
  readonly status: 401 | 403 | 429 | 503;
  readonly message: string;
  /** The code of OAuth. */
  readonly error?: 'invalid_token' | 'insufficient_scope';
  /** What to ask the provider for: the scopes that are missing, and those that the person has. */
  readonly scopes?: readonly Scope[];
  /** After how many seconds it may be sent again. */
  readonly retryAfter?: number;
}

/** Tokens that several servers share. */
export interface SharedTokens {
  /** Finds a token by its hash, for who came from an address; says why nobody can tell. */
  find(hash: string, address: string): Promise<Token | Refusal | undefined>;
  /** Finds a token that was let in. The server itself asks for it, so that no bound is needed. */
  check(hash: string): Promise<Token | Refusal | undefined>;
}

/** Where the names of people come from. Without any, all who reach the port are one person. */
export interface IdentitySources {
  readonly tokens?: TokenSource | undefined;
  readonly shared?: SharedTokens | undefined;
  readonly openid?: { readonly settings: OpenidSettings; readonly verify: TokenVerifier } | undefined;
  readonly proxy?: TrustedProxy | undefined;
}

export interface Identity {
  /** True if somebody must say who they are. */
  readonly isNeeded: boolean;
  /** Reports whether several people may come: they have names. Looks whether the tokens have changed. */
  hasNames(): boolean;
  /** Reports the same of the tokens that were found last, without a look. */
  hadNames(): boolean;
  /** Returns the address that a request came from, before a proxy of the operator. */
  addressOf(request: IncomingMessage): string | undefined;
  /** Returns who sent a request, or why it is refused. */
  identify(request: IncomingMessage): Promise<Asker | Refusal>;
  /** Reports whether the token of an asker still counts. While nobody can tell, it does. */
  counts(token: string): Promise<boolean>;
  /** Returns the header WWW-Authenticate of a refusal; undefined if it has none. */
  challenge(refusal: Refusal): string | undefined;
  /** Returns what clients of OAuth read at a path; undefined if there is nothing. */
  metadataAt(path: string): object | undefined;
  /** Says where names come from, for the operator. */
  describe(): string;
}

export function createIdentity({ tokens, shared, openid, proxy }: IdentitySources): Identity {
  const named = shared !== undefined || openid !== undefined || proxy?.namesPeople === true;
  const isNeeded = named || tokens !== undefined;
  const resource = openid && new URL(openid.settings.resource);
  const metadataUrl = resource && `${resource.origin}${METADATA_PATH}${resource.pathname.replace(/\/$/, '')}`;

  const addressOf = (request: IncomingMessage) => (proxy ? proxy.addressOf(request) : request.socket.remoteAddress);

  async function identify(request: IncomingMessage): Promise<Asker | Refusal> {
    const address = addressOf(request);
    if (!isNeeded) return { person: '', scopes: SCOPES, address };
    const behind = await proxy?.identify(request);
    if (behind) return behind;
    const [sent = '', ...more] = request.headersDistinct['authorization'] ?? [];
    // Security: a gateway in front may have judged the other one.
    if (more.length > 0) return { status: 401, message: 'one header Authorization is taken, not several' };
    const given = BEARER.exec(sent)?.[1];
    if (given === undefined) return { status: 401, message: 'a bearer token is needed' };
    const judged =
      judge(findToken(tokens?.current() ?? [], given)) ??
      (isOwnToken(given) ? judge(await shared?.find(hashOf(given), address ?? ''), SHARED) : undefined) ??
      (JWT.test(given) ? await openid?.verify(given) : undefined);
    if (judged === undefined)
      return { status: 401, message: 'the bearer token is not known here', error: 'invalid_token' };
    return 'status' in judged ? judged : { ...judged, address };
  }

  return {
    isNeeded,
    hasNames: () => named || areNamed(tokens?.current()),
    hadNames: () => named || areNamed(tokens?.known()),
    addressOf,
    identify,
    counts: async (token) => {
      const judged = token.startsWith(SHARED)
        ? judge(await shared?.check(token.slice(SHARED.length)))
        : judge(tokens?.current().find(({ hash }) => hash === token));
      return judged !== undefined && !('status' in judged && judged.status === 401);
    },
    challenge: ({ status, message, error, scopes = openid?.settings.scopes }) => {
      if (status === 429 || status === 503 || (status === 403 && error === undefined)) return undefined;
      const parts = [
        error && `error="${error}"`,
        error && `error_description="${message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')}"`,
        metadataUrl && `resource_metadata="${metadataUrl}"`,
        (openid || error === 'insufficient_scope') && scopes && `scope="${scopes.join(' ')}"`,
      ];
      return ['Bearer', parts.filter((part) => part).join(', ')].join(' ').trim();
    },
    metadataAt: (path) => {
      if (openid === undefined || !`${path}/`.startsWith(`${METADATA_PATH}/`)) return undefined;
      return {
        resource: openid.settings.resource,
        authorization_servers: [openid.settings.issuer],
        scopes_supported: SCOPES,
        bearer_methods_supported: ['header'],
        resource_name: 'jinn',
      };
    },
    describe: () => {
      if (!isNeeded) return 'there is no token: all who reach the port count as one person';
      const sources = [
        tokens && describePeople(tokens.current()),
        shared && "tokens are in the team's database",
        openid && `people sign in at ${openid.settings.issuer}`,
        proxy?.namesPeople && 'a proxy says who people are',
      ];
      return sources.filter((source) => source).join('; ');
    },
  };
}

function areNamed(tokens: readonly Token[] = []): boolean {
  return tokens.some(({ person }) => person !== '');
}

function findToken(tokens: readonly Token[], given: string): Token | undefined {
  const hash = hashOf(given);
  // Compares all, so that the time does not tell which one fits.
  return tokens.filter((token) => timingSafeEqual(Buffer.from(hash), Buffer.from(token.hash)))[0];
}

/** Returns the person of a token that was found, or why it is refused; undefined for none. `place` says where it is kept. */
function judge(found: Token | Refusal | undefined, place = ''): Omit<Asker, 'address'> | Refusal | undefined {
  if (found === undefined || 'status' in found) return found;
  if (found.expires <= Date.now()) return { status: 401, message: 'the token has expired', error: 'invalid_token' };
  return { person: found.person, scopes: found.scopes, token: `${place}${found.hash}` };
}
