import { lazy } from '@jinn/core';
import { isObject } from '@jinn/core/text';
import { createRemoteJWKSet, errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import { type Asker, type Refusal, SCOPES, toPersonName } from './asker.ts';
import { type ClaimSettings, isSecure } from './team-settings.ts';

const CLOCK_SKEW_SECONDS = 60;
const PROVIDER_MS = 5_000;
/** How soon after the keys were read an unknown one makes them be read again. */
const COOLDOWN_MS = 2_000;
const MAX_KEY_AGE_MS = 10 * 60 * 1000;
/** Anyone who can check a signature by these cannot make one. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const ACCESS_TOKEN = /^(application\/)?at\+jwt$/i;
const ANY_TOKEN = /^(application\/)?jwt$/i;
/** The claims of an ID token, which is for the client that asked for it. */
const OF_ID_TOKEN = ['nonce', 'at_hash', 'c_hash', 's_hash'];
/** Errors of the token itself. Any other is one of the provider. */
const OF_TOKEN =
  /^ERR_(JWT_|JWS_|JOSE_ALG_NOT_ALLOWED|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE_MATCHING_KEYS)/;

export type TokenVerifier = (token: string) => Promise<Omit<Asker, 'address' | 'token'> | Refusal>;

/** Whose tokens count, and where their keys are. */
export interface TokenIssuer {
  readonly issuer: string;
  readonly audience: string;
  readonly claim: string;
  readonly claims?: ClaimSettings | undefined;
  /** The URL of the keys. The issuer says it if absent. */
  readonly keys?: string | undefined;
  /** True for a statement of who someone is, regardless of its type, otherwise it is an access token. */
  readonly isAssertion?: boolean;
  readonly maxKeyAgeMs?: number;
}

/** Returns a function that checks the tokens of a provider, whose keys it reads when the first token comes. */
export function createTokenVerifier(from: TokenIssuer, onFailure: (error: unknown) => void): TokenVerifier {
  const { issuer, audience, claim, claims = {}, isAssertion = false, maxKeyAgeMs = MAX_KEY_AGE_MS } = from;
  const limits = { timeoutDuration: PROVIDER_MS, cooldownDuration: COOLDOWN_MS, cacheMaxAge: maxKeyAgeMs };
  const keys = lazy(async () =>
    createRemoteJWKSet(from.keys === undefined ? await askForKeys(issuer) : new URL(from.keys), limits),
  );
  return async (token) => {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, await keys(), {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_SKEW_SECONDS,
        requiredClaims: ['exp', claim],
      });
      const fault = faultOf(payload, isAssertion ? undefined : protectedHeader);
      if (fault !== undefined) return invalid(fault);
      const person = toPersonName(payload[claim]);
      if (person === undefined) return invalid(`the claim ${claim} is not a name`);
      const expires = (Number(payload.exp) + CLOCK_SKEW_SECONDS) * 1000;
      // The claim `scope`, or `scp`, which some providers have instead. It may name scopes of others.
      const named = isAssertion ? undefined : (payload['scope'] ?? payload['scp']);
      const names = Array.isArray(named) ? named.map(String) : String(named ?? '').split(' ');
      const given = givenBy(payload, claims);
      names.push(...given.flatMap(({ scopes }) => scopes));
      return { person, scopes: SCOPES.filter((scope) => names.includes(scope)), expires, ...largestOf(given) };
    } catch (error) {
      if (error instanceof errors.JOSEError && OF_TOKEN.test(error.code)) return invalid(explain(error));
      onFailure(error);
      return { status: 503, message: 'the provider that knows the token cannot be reached: send it again in a moment' };
    }
  };
}

function faultOf(payload: JWTPayload, header: JWTHeaderParameters | undefined): string | undefined {
  if (payload['cnf'] !== undefined) return 'the token is bound to a key, and this server takes none of these';
  if (header === undefined || ACCESS_TOKEN.test(header.typ ?? '')) return undefined;
  if (header.typ !== undefined && !ANY_TOKEN.test(header.typ)) return 'the token is of another type than access tokens';
  // Keycloak says it in the claims, where it also puts a nonce into access tokens.
  const { typ } = payload;
  const isIdToken = typ === 'ID' || (typ !== 'Bearer' && OF_ID_TOKEN.some((name) => payload[name] !== undefined));
  return isIdToken ? 'this is an ID token, which is for a client: send the access token' : undefined;
}

function givenBy(payload: JWTPayload, claims: ClaimSettings) {
  return Object.entries(claims).flatMap(([claim, byValue]) =>
    valuesOf(payload, claim).flatMap((value) => (Object.hasOwn(byValue, value) && byValue[value]) || []),
  );
}

// Keycloak has roles inside of realm_access, and others claims with a URL as their name.
function valuesOf(payload: JWTPayload, claim: string): string[] {
  const inside = (value: unknown, key: string) => (isObject(value) ? value[key] : undefined);
  const found = payload[claim] ?? claim.split('.').reduce(inside, payload as unknown);
  const values: unknown[] = Array.isArray(found) ? found : [found];
  return values.filter((value) => /^(string|number|boolean)$/.test(typeof value)).map(String);
}

function largestOf(given: ReturnType<typeof givenBy>): Pick<Asker, 'limits'> {
  const all = given.flatMap(({ limits = {} }) => Object.entries(limits));
  const largest = new Map<string, number>();
  for (const [name, count = 0] of all) largest.set(name, Math.max(count, largest.get(name) ?? 0));
  return largest.size > 0 ? { limits: Object.fromEntries(largest) } : {};
}

async function askForKeys(issuer: string): Promise<URL> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(PROVIDER_MS) });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  const found = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
  if (found.issuer !== issuer) throw new Error(`${url} is of the issuer ${JSON.stringify(found.issuer)}`);
  if (typeof found.jwks_uri !== 'string') throw new Error(`${url} names no jwks_uri`);
  const keys = new URL(found.jwks_uri);
  if (!isSecure(keys)) throw new Error(`${url} has a jwks_uri that is no https: URL`);
  return keys;
}

function explain(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `the claim ${error.claim} of the token is not right`;
  return 'the token is not valid';
}

function invalid(message: string): Refusal {
  return { status: 401, message, error: 'invalid_token' };
}
