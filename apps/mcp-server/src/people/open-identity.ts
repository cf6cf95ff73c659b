import fs from 'node:fs';
import type { SharedDatabase } from '@jinn/store/postgres';
import type { Audit, NamedToken } from '../audit/audit.ts';
import { warningOf, whyNotTaken } from '../named-file.ts';
import { idOf, parseTokens, type Token } from './bearer-tokens.ts';
import { createIdentity, type Identity, type IdentitySources } from './identity.ts';
import type { ProxySettings, TeamSettings } from './team-settings.ts';
import { openTokenFile, type TokenSource } from './token-file.ts';

export interface IdentityOptions {
  /** The file of tokens that the command line names. */
  readonly tokenFile: string | undefined;
  /** The tokens that the environment has. */
  readonly tokens: string | undefined;
  /** Where `jinn-mcp tokens` keeps what it makes, which counts if nothing else is named. */
  readonly ownTokenFile: string | undefined;
  readonly settings: TeamSettings;
  /** What several servers share; undefined if they share nothing. */
  readonly shared: SharedDatabase | undefined;
  /** Gets what is wrong while the server runs. */
  onFailure(error: unknown): void;
  /** Hears which tokens of the file count from now on, or no longer. */
  onToken: Audit['token'];
  /** Gets what the operator should know at the start. */
  warn(line: string): void;
}

/** Opens where the names of people come from. Throws an Error that names the flag or variable at fault. */
export async function openIdentity(options: IdentityOptions): Promise<Identity> {
  const { settings, shared, onFailure } = options;
  return createIdentity({
    tokens: openTokens(options),
    shared: shared && (await import('./database-tokens.ts')).openSharedTokens(shared.tokens, onFailure),
    openid: settings.openid && (await openOpenid(settings.openid, onFailure)),
    proxy: settings.proxy && (await openProxy(settings.proxy, onFailure)),
  });
}

async function openOpenid(settings: NonNullable<TeamSettings['openid']>, onFailure: (error: unknown) => void) {
  const { createTokenVerifier } = await import('./openid.ts');
  const { issuer, resource, audience = resource, claim } = settings;
  const verify = createTokenVerifier({ issuer, audience, claim }, onFailure);
  return { settings, verify } satisfies IdentitySources['openid'];
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
    const warning = warningOf(file);
    if (warning) warn(`${source}: ${warning}`);
    return openTokenFile(file, { onFailure, onChange: (change, token) => onToken(change, named(token)) });
  } catch (error) {
    throw new Error(`${source}: ${whyNotTaken(file ?? '', error)}`);
  }
}

function named(token: Token): NamedToken {
  return { person: token.person, token: idOf(token) };
}

function fixed(text: string): TokenSource {
  const tokens = parseTokens(text);
  if (tokens.length === 0) throw new Error('there is no token in it');
  return { current: () => tokens, known: () => tokens };
}
