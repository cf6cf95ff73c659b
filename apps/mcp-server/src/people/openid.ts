import { once } from '@jinn/tool';
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Asker } from './asker.ts';
import type { Refusal } from './identity.ts';
import { toPersonName } from './person-name.ts';
import { scopesAmong } from './scopes.ts';
import type { OpenidSettings } from './team-settings.ts';

const CLOCK_SKEW_SECONDS = 60;
const PROVIDER_MS = 5_000;
/** How soon after the keys were read an unknown one makes them be read again. */
const COOLDOWN_MS = 2_000;
const MAX_KEY_AGE_MS = 10 * 60 * 1000;
/** What is wrong with the token itself; any other error is one of the provider. */
const OF_TOKEN =
  /^ERR_(JWT_|JWS_|JOSE_ALG_NOT_ALLOWED|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE_MATCHING_KEYS)/;

export type TokenVerifier = (token: string) => Promise<Pick<Asker, 'person' | 'scopes'> | Refusal>;

/**
 * Makes what checks the access tokens of a provider. It asks the provider for its keys when the first token comes. Of a set of keys,
 * jose takes only those whose secret half the provider alone has.
 */
export function createTokenVerifier(settings: OpenidSettings, onFailure: (error: unknown) => void): TokenVerifier {
  const { issuer, resource, audience = resource, claim } = settings;
  const keys = once(() => findKeys(issuer));
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, await keys(), {
        issuer,
        audience,
        clockTolerance: CLOCK_SKEW_SECONDS,
        requiredClaims: ['exp', claim],
      });
      const person = toPersonName(payload[claim]);
      if (person === undefined) return invalid(`the claim ${claim} is no name`);
      return { person, scopes: scopesAmong(scopesIn(payload)) };
    } catch (error) {
      if (error instanceof errors.JOSEError && OF_TOKEN.test(error.code)) return invalid(explain(error));
      onFailure(error);
      return { status: 503, message: 'the provider that knows the token cannot be reached; send it again in a moment' };
    }
  };
}

/** Reads where the provider has its keys. Throws an Error if it is another provider, or cannot be reached. */
async function findKeys(issuer: string) {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(PROVIDER_MS) });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  const found = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
  if (found.issuer !== issuer) throw new Error(`${url} is of the issuer ${JSON.stringify(found.issuer)}`);
  if (typeof found.jwks_uri !== 'string') throw new Error(`${url} names no jwks_uri`);
  const limits = { timeoutDuration: PROVIDER_MS, cooldownDuration: COOLDOWN_MS, cacheMaxAge: MAX_KEY_AGE_MS };
  return createRemoteJWKSet(new URL(found.jwks_uri), limits);
}

/** Returns the names in the claim `scope`, or in `scp`, which some providers have instead. */
function scopesIn({ scope, scp }: JWTPayload): readonly string[] {
  const given = scope ?? scp;
  return Array.isArray(given) ? given.map(String) : String(given ?? '').split(' ');
}

function explain(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `the claim ${error.claim} of the token is not right`;
  return 'the token is not valid';
}

function invalid(message: string): Refusal {
  return { status: 401, message, error: 'invalid_token' };
}
