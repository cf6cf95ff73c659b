import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const TOKEN_BYTES = 32;
/** How long the browser may take to open the page. */
const CODE_MS = 60_000;

/** Why a request is refused. */
export interface RefusedRequest {
  readonly status: number;
  readonly message: string;
}

/** Decides who may use the page. */
export interface PageAccess {
  /** Makes a code that opens the page once, within a minute. */
  makeCode(): string;
  /** Returns the token for a code; undefined if the code is unknown, used or too old. */
  trade(code: unknown): string | undefined;
  /** Returns why a request must not even be answered with the empty page; undefined if it may be. */
  checkSource(method: string, headers: IncomingHttpHeaders): RefusedRequest | undefined;
  /** Returns why a request may neither read nor change anything; undefined if it may. */
  checkToken(headers: IncomingHttpHeaders): RefusedRequest | undefined;
}

/**
 * Makes the access to the page at a port of 127.0.0.1. Security: a token that only this process and the page know keeps
 * other users of the machine out. The check of Host keeps out names that lead to 127.0.0.1; those of Origin and of the
 * kind of the body keep out other pages. There are no cookies: the browser would send them to every port.
 */
export function createPageAccess(port: () => number): PageAccess {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const codes = new Map<string, number>();
  const origins = () => [`http://127.0.0.1:${port()}`, `http://localhost:${port()}`];
  return {
    makeCode: () => {
      const code = randomBytes(TOKEN_BYTES).toString('base64url');
      codes.set(code, Date.now() + CODE_MS);
      return code;
    },
    trade: (code) => {
      const until = codes.get(String(code));
      codes.delete(String(code));
      return until !== undefined && Date.now() < until ? token : undefined;
    },
    checkSource: (method, { host, origin, 'sec-fetch-site': site, 'content-type': type }) => {
      if (!origins().includes(`http://${host}`)) return { status: 421, message: 'this server has another name' };
      if (origin !== undefined && origin !== `http://${host}`)
        return { status: 403, message: 'another page must not ask' };
      if (site !== undefined && site !== 'same-origin' && site !== 'none')
        return { status: 403, message: 'another page must not ask' };
      if (method !== 'GET' && method !== 'POST') return { status: 403, message: 'the methods are GET and POST' };
      if (method === 'POST' && type !== 'application/json') return { status: 415, message: 'the body must be JSON' };
      return undefined;
    },
    checkToken: ({ authorization = '' }) =>
      isEqual(authorization, `Bearer ${token}`)
        ? undefined
        : { status: 401, message: 'open the page by jinn ui, which has the key to it' },
  };
}

function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
