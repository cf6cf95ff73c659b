import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createSession } from '@jinn/core';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { ServerFactory } from './create-server.ts';
import { type Access, type AccessOptions, createAccess } from './http-access.ts';
import type { Address } from './http-address.ts';
import type { Log } from './log.ts';

const PATH = '/mcp';
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 256;
/** How long the headers, and the whole request, may take to arrive. A stream of answers has no limit. */
const HEADERS_MS = 5_000;
const CHECK_MS = 1_000;
const REQUEST_MS = 60_000;
const IDLE_MS = 10_000;
/** How long calls may go on after the server is told to stop. */
const DRAIN_MS = 10_000;
const IDLE_CHECK_MS = 50;

export interface HttpOptions extends Omit<AccessOptions, 'host'> {
  readonly address: Address;
  /** Resolves when the server must stop. */
  readonly stop: Promise<void>;
  /** Is called with the URL when the server listens. */
  onListen(url: string): void;
}

/**
 * Serves Streamable HTTP without sessions: what a connection would know lives as long as a request. Ends when it is told
 * to and the requests that run have been answered. Throws when the address cannot be had.
 */
export async function serveHttp(factory: ServerFactory, log: Log, options: HttpOptions): Promise<void> {
  const { host, port } = options.address;
  const access = createAccess({ ...options, host });
  const handler = createMcpHandler(
    () => {
      const session = createSession();
      const server = factory.make(session);
      server.onclose = () => void session.close();
      return server;
    },
    { onerror: log.failure, maxRequestBodySize: MAX_BODY_BYTES },
  );
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, connectionsCheckingInterval: CHECK_MS },
    (request, response) => {
      answer(request, response, access, handler.fetch).catch((error: unknown) => {
        if (!response.destroyed) log.failure(error);
        response.destroy();
      });
    },
  );
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  server.keepAliveTimeout = IDLE_MS;
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host.replace(/^\[|\]$/g, ''));
  await once(server, 'listening');
  options.onListen(`http://${host}:${(server.address() as { port: number }).port}${PATH}`);

  await options.stop;
  const closed = once(server, 'close');
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
  await handler.close();
  await factory.idle();
}

/** Refuses a request before it reads the body: by its source, then by its token, then by its path. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  access: Access,
  fetch: (request: Request) => Promise<Response>,
): Promise<void> {
  const { headers, method = 'GET' } = request;
  const stranger = access.judgeSource(headers);
  if (stranger) return refuse(response, stranger.status, stranger.message);
  if (headers.origin !== undefined) allowPage(response, headers.origin);
  if (method === 'OPTIONS') return void response.writeHead(204, { allow: 'POST' }).end();
  const unauthorized = access.judgeToken(headers);
  if (unauthorized) {
    response.setHeader('www-authenticate', 'Bearer');
    return refuse(response, unauthorized.status, unauthorized.message);
  }
  if (request.url?.split('?')[0] !== PATH) return refuse(response, 404, `the server is at ${PATH}`);
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) return refuse(response, 413, 'the request is too large');
  await send(await fetch(toRequest(request, response)), response);
}

/** Sets the headers that let the script of a web page read the answer. */
function allowPage(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-methods', 'POST');
  response.setHeader(
    'access-control-allow-headers',
    'accept, authorization, content-type, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id',
  );
  response.setHeader('vary', 'origin');
}

/** Refuses a request and closes the connection, since the rest of the request is not read. */
function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } });
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body);
}

/** Converts a request of Node to a web Request that aborts when the client goes away. */
function toRequest(request: IncomingMessage, response: ServerResponse): Request {
  const { headers, method = 'GET' } = request;
  const controller = new AbortController();
  response.on('close', () => controller.abort());
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(new URL(request.url ?? '/', `http://${headers.host}`), {
    method,
    headers: pairs,
    signal: controller.signal,
    ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }),
  });
}

async function send(from: Response, to: ServerResponse): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers));
  if (from.body) {
    for await (const chunk of from.body) {
      if (!to.write(chunk)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
      if (to.destroyed) return;
    }
  }
  to.end();
}
