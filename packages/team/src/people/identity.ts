import { timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Audit } from '../audit/audit.ts';
import { warnIfOpen, whyNotTaken } from '../named-file.ts';
import { type Asker, type Refusal, SCOPES } from './asker.ts';
import {
  describePeople,
  hashOf,
  isOwnToken,
  parseTokens,
  type SharedTokens,
  type Token,
  tokenId,
} from './bearer-tokens.ts';
import type { DatabaseTokens } from './database-tokens.ts';
import type { TokenVerifier } from './openid.ts';
import type { OpenidSettings, ProxySettings, TeamSettings } from './team-settings.ts';
import { openTokenFile, type TokenSource } from './token-file.ts';
import type { TrustedProxy } from './trusted-proxy.ts';

/** The path of the metadata that clients of OAuth read first (RFC 9728). */
const METADATA_PATH = '/.well-known/oauth-protected-resource';
const BEARER = /^Bearer +(\S+) *$/i;
const SHARED = 'shared ';
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The sources of user names. Without any, all who reach the port are one user. */
export interface IdentitySources {
  readonly tokens?: TokenSource | undefined;
  readonly shared?: SharedTokens | undefined;
  readonly openid?: { readonly settings: OpenidSettings; readonly verify: TokenVerifier } | undefined;
  readonly proxy?: TrustedProxy | undefined;
}

export interface Identity {
  readonly isNeeded: boolean;
  /** The names by which clients of the provider reach this server. */
  readonly hosts: readonly string[];
  /** Reports whether users have names, so that several may come. With `reload`, after a look whether the tokens have changed. */
  hasNamedPeople(options: { readonly reload: boolean }): boolean;
  /** Returns the address that a request came from, before a proxy of the operator. */
  addressOf(request: IncomingMessage): string | undefined;
  identify(request: IncomingMessage): Promise<Asker | Refusal>;
  /** Reports whether the token of an asker still counts. While no one can tell, it does. */
  counts(token: string): Promise<boolean>;
  challenge(refusal: Refusal): string | undefined;
  /** Returns the metadata that clients of OAuth read at a path, or undefined if there is none. */
  metadataAt(path: string): object | undefined;
  describe(): string;
}

/** Makes an identity of sources, which it looks at again at each use. */
export function createIdentity(from: IdentitySources): Identity {
  const isNamed = () => from.shared !== undefined || from.openid !== undefined || from.proxy?.namesPeople === true;
  const isNeeded = () => isNamed() || from.tokens !== undefined;
  const addressOf = (request: IncomingMessage) =>
    from.proxy ? from.proxy.addressOf(request) : request.socket.remoteAddress;

  async function identify(request: IncomingMessage): Promise<Asker | Refusal> {
    const { tokens, shared, openid, proxy } = from;
    const address = addressOf(request);
    if (!isNeeded()) return { person: '', scopes: SCOPES, address };
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
    get isNeeded() {
      return isNeeded();
    },
    get hosts() {
      return from.openid ? [new URL(from.openid.settings.resource).hostname] : [];
    },
    hasNamedPeople: ({ reload }) => {
      const tokens = reload ? from.tokens?.current() : from.tokens?.known();
      return isNamed() || tokens?.some(({ person }) => person !== '') === true;
    },
    addressOf,
    identify,
    counts: async (token) => {
      const judged = token.startsWith(SHARED)
        ? judge(await from.shared?.check(token.slice(SHARED.length)))
        : judge(from.tokens?.current().find(({ hash }) => hash === token));
      return judged !== undefined && !('status' in judged && judged.status === 401);
    },
    challenge: ({ status, message, error, scopes = from.openid?.settings.scopes }) => {
      if (status === 429 || status === 503 || (status === 403 && error === undefined)) return undefined;
      const { origin, pathname } = new URL(from.openid?.settings.resource ?? 'http://none');
      const parts = [
        error && `error="${error}"`,
        error && `error_description="${message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')}"`,
        from.openid && `resource_metadata="${origin}${METADATA_PATH}${pathname.replace(/\/$/, '')}"`,
        (from.openid || error === 'insufficient_scope') && scopes && `scope="${scopes.join(' ')}"`,
      ];
      return ['Bearer', parts.filter((part) => part).join(', ')].join(' ').trim();
    },
    metadataAt: (path) => {
      const { openid } = from;
      if (openid === undefined || !`${path}/`.startsWith(`${METADATA_PATH}/`)) return undefined;
      return {
        resource: openid.settings.resource,
        authorization_servers: [openid.settings.issuer],
        // Clients ask for all of these, and a provider that does not know one refuses the client. Only programs read metrics.
        scopes_supported: SCOPES.filter((scope) => scope !== 'jinn:metrics'),
        bearer_methods_supported: ['header'],
        resource_name: 'jinn',
      };
    },
    describe: () => describeSources(from, isNeeded()),
  };
}

function describeSources({ tokens, shared, openid, proxy }: IdentitySources, isNeeded: boolean): string {
  if (!isNeeded) return 'there is no token: all who reach the port count as one person';
  const sources = [
    tokens && describePeople(tokens.current()),
    shared && "tokens are in the team's database",
    openid && `users sign in at ${openid.settings.issuer}`,
    proxy?.namesPeople && 'a proxy names the users',
  ];
  return sources.filter((source) => source).join('; ');
}

function findToken(tokens: readonly Token[], given: string): Token | undefined {
  const hash = hashOf(given);
  // Compares all, so that the time does not tell which one fits.
  return tokens.filter((token) => timingSafeEqual(Buffer.from(hash), Buffer.from(token.hash)))[0];
}

function judge(found: Token | Refusal | undefined, place = ''): Omit<Asker, 'address'> | Refusal | undefined {
  if (found === undefined || 'status' in found) return found;
  if (found.expires <= Date.now()) return { status: 401, message: 'the token has expired', error: 'invalid_token' };
  return { person: found.person, scopes: found.scopes, token: `${place}${found.hash}` };
}

export interface ChangingIdentity extends Identity {
  /** Takes the provider and the proxy of other settings. Throws an Error, and changes nothing, if they are wrong. */
  change(settings: TeamSettings): Promise<void>;
}

export interface IdentityOptions {
  readonly tokenFile: string | undefined;
  readonly tokens: string | undefined;
  /** Where `jinn-mcp tokens` keeps what it makes. Used if nothing else is named. */
  readonly ownTokenFile: string | undefined;
  readonly settings: TeamSettings;
  readonly shared: DatabaseTokens | undefined;
  onFailure(error: unknown): void;
  /** Gets each token of the file that counts from now on, or no longer. */
  onToken: Audit['token'];
  warn(line: string): void;
}

/** Opens where the names of users come from. Throws an Error that names the wrong flag or variable. */
export async function openIdentity(options: IdentityOptions): Promise<ChangingIdentity> {
  const { shared, onFailure } = options;
  const namers = async ({ openid, proxy }: TeamSettings) => ({
    openid: openid && (await openOpenid(openid, onFailure)),
    proxy: proxy && (await openProxy(proxy, onFailure)),
  });
  const sources = {
    tokens: openTokens(options),
    shared: shared && (await import('./database-tokens.ts')).openSharedTokens(shared, onFailure),
    ...(await namers(options.settings)),
  };
  const identity = createIdentity(sources);
  const change = async (settings: TeamSettings) => {
    const next = await namers(settings);
    // Security: a server that asks who users are continues to do so.
    if (identity.isNeeded && !createIdentity({ ...sources, ...next }).isNeeded) {
      throw new Error('no sign-in would be needed: that counts from the next start');
    }
    Object.assign(sources, next);
  };
  return Object.assign(identity, { change });
}

async function openOpenid(settings: OpenidSettings, onFailure: (error: unknown) => void) {
  const { createTokenVerifier } = await import('./openid.ts');
  const { resource, audience = resource } = settings;
  return { settings, verify: createTokenVerifier({ ...settings, audience }, onFailure) };
}

async function openProxy(settings: ProxySettings, onFailure: (error: unknown) => void) {
  const { createTrustedProxy } = await import('./trusted-proxy.ts');
  if (settings.assertion === undefined) return createTrustedProxy(settings);
  const { createTokenVerifier } = await import('./openid.ts');
  return createTrustedProxy(settings, createTokenVerifier({ ...settings.assertion, isAssertion: true }, onFailure));
}

function openTokens(options: IdentityOptions): TokenSource | undefined {
  const { tokenFile, tokens, ownTokenFile, onFailure, onToken, warn } = options;
  const own = ownTokenFile !== undefined && fs.existsSync(ownTokenFile) ? ownTokenFile : undefined;
  const file = tokenFile ?? (tokens === undefined ? own : undefined);
  const source = tokenFile ? '--token-file' : (file ?? 'JINN_MCP_TOKEN');
  try {
    if (file === undefined) return tokens === undefined ? undefined : fixed(tokens);
    warnIfOpen(file, source, warn);
    const onChange = (change: 'added' | 'removed', token: Token) =>
      onToken(change, { person: token.person, token: tokenId(token) });
    return openTokenFile(file, { onFailure, onChange });
  } catch (error) {
    throw new Error(`${source}: ${whyNotTaken(file ?? '', error)}`);
  }
}

function fixed(text: string): TokenSource {
  const tokens = parseTokens(text);
  if (tokens.length === 0) throw new Error('there is no token in it');
  return { current: () => tokens, known: () => tokens };
}
