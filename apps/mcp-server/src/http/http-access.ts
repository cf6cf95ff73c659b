import { createHash, timingSafeEqual } from 'node:crypto';
import type { Token } from '../people/bearer-tokens.ts';
import { isLoopback } from './http-address.ts';

export interface AccessOptions {
  /** The host name or address that the server listens on. */
  readonly host: string;
  readonly allowHost: readonly string[];
  /** The allowed origins, as browsers send them. If there are none and the server is for this machine alone, those of this machine. */
  readonly allowOrigin: readonly string[];
  /** Everybody is served if there are none. */
  readonly tokens: readonly Token[];
}

interface Headers {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly authorization?: string | undefined;
}

/** Why a request is refused. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
}

export interface Access {
  /** Judges the Host and Origin headers: a web page must not reach a server on this machine by a name of its own. */
  judgeSource(headers: Headers): Refusal | undefined;
  /** Returns the name of the person whose token it is; empty without a name, or where no token is needed. */
  judgeToken(headers: Headers): { readonly person: string } | Refusal;
}

export function createAccess({ host, allowHost, allowOrigin, tokens }: AccessOptions): Access {
  const isLocal = isLoopback(host);
  const isKnownHost = (name: string) =>
    name === host.toLowerCase() || allowHost.includes(name) || (isLocal && isLoopback(name));
  const isKnownOrigin = (origin: string) =>
    allowOrigin.length > 0 ? allowOrigin.includes(origin) : isLocal && isLoopback(hostOf(origin) ?? '');
  return {
    judgeSource: (headers) => {
      const name = /^(\[[0-9a-f:.]+\]|[^:/@\s]+)(:\d+)?$/i.exec(headers.host ?? '')?.[1]?.toLowerCase();
      if (name === undefined || !isKnownHost(name)) return { status: 403, message: notServed(name) };
      const { origin } = headers;
      if (origin === undefined || isKnownOrigin(origin)) return undefined;
      return { status: 403, message: 'pages of this Origin may not ask here' };
    },
    judgeToken: ({ authorization }) => {
      if (tokens.length === 0) return { person: '' };
      const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
      // Compares all, so that the time does not tell which one fits.
      const [known] = tokens.filter(({ token }) => isEqual(given, token));
      return known ? { person: known.person } : { status: 401, message: 'a bearer token is needed' };
    },
  };
}

function notServed(name: string | undefined): string {
  const advice = name === undefined ? '' : `: to serve it, start jinn-mcp with --allow-host ${name}`;
  return `this Host is not served here${advice}`;
}

/** Returns undefined if the text is not an origin exactly as browsers write it. */
function hostOf(origin: string): string | undefined {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  return url?.origin === origin && /^https?:$/.test(url.protocol) ? url.hostname : undefined;
}

/** Compares digests, which have one length, so that the time does not tell where two texts differ. */
function isEqual(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
