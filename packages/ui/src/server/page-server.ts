import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import path from 'node:path';
import { ToolError } from '@jinn/core/errors';

const TOKEN_BYTES = 32;

/** How long the browser may take to open the page. */
const CODE_MS = 600_000;

const MAX_BODY = 1024 * 1024;
const MAX_CONNECTIONS = 32;
const REQUEST_MS = 10_000;
/** Where the built pages are: next to the chunks of the program. */
const FOLDER = path.join(import.meta.dirname, '../views');

/** A request to the page that passed the checks. */
export interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly response: ServerResponse;
}

/** Answers a request with a JSON value. Undefined if it has answered itself. Throws ToolError. */
export type RequestHandler = (request: PageRequest) => unknown;

/** Returns a built file of the views. */
export function readBuiltPage(name: 'page.html' | 'view.html'): string {
  return fs.readFileSync(path.join(FOLDER, name), 'utf8');
}

/** Serves the page on a free port of 127.0.0.1. */
export async function servePage(answer: RequestHandler) {
  const page = readBuiltPage('page.html');
  const access = createPageAccess(() => portOf(server));
  const headers = headersFor(page);
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    handle(request, response, { page, access, answer }).catch((error: unknown) => refuse(response, error));
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${portOf(server)}/`,
    access,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function portOf(server: Server): number {
  return (server.address() as { port: number }).port;
}

function headersFor(page: string): Record<string, string> {
  const [, policy = "default-src 'none'"] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
  return {
    'content-security-policy': `${policy}; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}

interface ServedPage {
  readonly page: string;
  readonly access: ReturnType<typeof createPageAccess>;
  readonly answer: RequestHandler;
}

async function handle(request: IncomingMessage, response: ServerResponse, { page, access, answer }: ServedPage) {
  const { method = '', headers } = request;
  const stranger = access.checkSource(method, headers);
  if (stranger) return sendJson(response, stranger.status, { error: stranger.message });
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (method === 'GET' && pathname === '/') {
    return void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  }
  if (method === 'POST' && pathname === '/api/open') {
    const token = access.trade((await readBody(request))['code']);
    const used = { error: 'this address was used or is too old: run jinn ui again' };
    return sendJson(response, token ? 200 : 401, token ? { token } : used);
  }
  const refusal = access.checkToken(headers);
  if (refusal) return sendJson(response, refusal.status, { error: refusal.message });
  const body = method === 'POST' ? await readBody(request) : {};
  const value = await answer({ method, path: pathname, query: searchParams, body, response });
  if (value !== undefined) sendJson(response, 200, value);
}

async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BODY) throw new ToolError('resource_limit', 'the request is too large');
  }
  try {
    return Object(JSON.parse(Buffer.concat(chunks).toString()));
  } catch {
    throw new ToolError('invalid_request', 'the body is no JSON');
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function refuse(response: ServerResponse, thrown: unknown): void {
  const error =
    thrown instanceof ToolError
      ? thrown
      : new ToolError('internal', String((thrown as Error).message), { cause: thrown });
  if (response.headersSent) return void response.end();
  const { code, message, suggestion } = error;
  sendJson(response, code === 'internal' ? 500 : 400, { error: message, code, suggestion });
}

/**
 * Makes the access to the page at a port of 127.0.0.1. Security: a token that only this process and the page know keeps
 * other users of the machine out. The check of Host keeps out names that point to 127.0.0.1. Those of Origin and of the
 * kind of the body keep out other pages. There are no cookies: the browser would send them to every port.
 */
function createPageAccess(port: () => number) {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const codes = new Map<string, number>();
  const origins = () => [`http://127.0.0.1:${port()}`, `http://localhost:${port()}`];
  return {
    /** Makes a code that opens the page once, within ten minutes. */
    makeCode: () => {
      const code = randomBytes(TOKEN_BYTES).toString('base64url');
      codes.set(code, Date.now() + CODE_MS);
      return code;
    },
    /** Returns the token for a code, or undefined if the code is unknown, used or too old. */
    trade: (code: unknown) => {
      const until = codes.get(String(code));
      codes.delete(String(code));
      return until !== undefined && Date.now() < until ? token : undefined;
    },
    /** Returns why a request must not even be answered with the empty page, or undefined if it may be. */
    checkSource: (method: string, headers: IncomingHttpHeaders) => {
      const { host, origin = `http://${host}`, 'sec-fetch-site': site = 'none', 'content-type': type } = headers;
      if (!origins().includes(`http://${host}`)) return { status: 421, message: 'this server has another name' };
      if (origin !== `http://${host}` || (site !== 'same-origin' && site !== 'none'))
        return { status: 403, message: 'another page must not ask' };
      if (method !== 'GET' && method !== 'POST') return { status: 403, message: 'the methods are GET and POST' };
      if (method === 'POST' && type !== 'application/json') return { status: 415, message: 'the body must be JSON' };
      return undefined;
    },
    /** Returns why a request may neither read nor change anything, or undefined if it may. */
    checkToken: ({ authorization = '' }: IncomingHttpHeaders) =>
      isEqual(authorization, `Bearer ${token}`)
        ? undefined
        : { status: 401, message: 'open the page by jinn ui, which has the key to it' },
  };
}

function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
