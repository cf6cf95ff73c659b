import { once } from 'node:events';
import fs from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { PROGRAM } from '../fixture/connect.ts';
import { converse } from '../fixture/converse.ts';
import { INFO, listen } from '../fixture/listen.ts';

const TOKEN = 'open-sesame-open-sesame';

const STATELESS = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request that needs no session. */
const ping = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: STATELESS } };

interface Asked {
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly body?: unknown;
  readonly path?: string;
}

/** Asks by hand, with whatever headers. */
async function ask(url: URL, { headers = {}, method = 'POST', body = ping, path = url.pathname }: Asked = {}) {
  const request = httpRequest(url, {
    method,
    path,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(body === ping && { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }),
      ...headers,
    },
  });
  const answered = once(request, 'response');
  request.end(method === 'POST' ? JSON.stringify(body) : undefined);
  const [response] = await answered;
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode as number, headers: response.headers, text };
}

test('refuses strange hosts and origins before anything else, and lets pages of this machine ask', async () => {
  const { url } = await listen({ variables: { JINN_MCP_TOKEN: TOKEN } });
  expect((await ask(url, { headers: { host: 'evil.example' } })).status).toBe(403);
  expect((await ask(url, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
  const headers = { origin: 'http://localhost:6274', authorization: `Bearer ${TOKEN}` };
  const answer = await ask(url, { headers });
  expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': 'http://localhost:6274' } });
  const preflight = await ask(url, { method: 'OPTIONS', headers: { origin: 'http://localhost:6274' } });
  expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-methods': 'GET, POST, DELETE' } });
  // By it, a client asks for what it has missed.
  expect(preflight.headers['access-control-allow-headers']).toContain('last-event-id');
});

test.each<[accept: string | undefined, status: number]>([
  ['*/*', 200],
  ['text/html, */*;q=0.8', 200],
  [undefined, 200],
  ['text/html', 406],
])('answers a handshake by a client that accepts %s with %i', async (accept, status) => {
  const { url } = await listen({});
  const headers = { 'content-type': 'application/json', ...(accept && { accept }) };
  const request = httpRequest(url, { method: 'POST', headers });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO };
  request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
  const [response] = await once(request, 'response');
  response.destroy();
  expect(response.statusCode).toBe(status);
});

test('says that it runs to who asks with HEAD', async () => {
  const { url } = await listen({ variables: { JINN_MCP_TOKEN: TOKEN } });
  expect(await ask(url, { method: 'HEAD', path: '/healthz' })).toMatchObject({ status: 200, text: '' });
});

test('asks for the token before it reads', async () => {
  const { url } = await listen({ variables: { JINN_MCP_TOKEN: TOKEN } });
  expect(await ask(url)).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
  expect((await ask(url, { headers: { authorization: 'Bearer nope' }, body: 'x'.repeat(1e6) })).status).toBe(401);
  expect((await ask(url, { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
});

test('takes the token from a file, and needs one beyond this machine', async () => {
  const file = `${makeTempDirectory()}/token`;
  fs.writeFileSync(file, `${TOKEN}\n`);
  const { url } = await listen({ address: '0.0.0.0:0', args: ['--token-file', file, '--allow-host', '127.0.0.1'] });
  expect((await ask(url)).status).toBe(401);
  expect((await ask(url, { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
});

test.each([
  [['--http', '0.0.0.0:0'], {}, 'a bearer token is needed'],
  [
    ['--http', '0.0.0.0:0'],
    { JINN_MCP_TOKEN: 'short' },
    'JINN_MCP_TOKEN: line 1 is no token: it is one token of 16 or more',
  ],
  [['--http', '--token-file', `${PROGRAM}/nope`], {}, 'nope or its directory is not there'],
  [['--http', '--approval-key-file', `${PROGRAM}/nope`], {}, 'nope or its directory is not there'],
  [['--http'], { JINN_MCP_APPROVAL_KEY: 'short' }, 'JINN_MCP_APPROVAL_KEY: the key must have 16 or more'],
  [['--http', 'a b'], {}, '--http takes HOST:PORT'],
  [['--http', '192.0.2.1:0'], { JINN_MCP_TOKEN: TOKEN }, '--http: listen E'],
])('does not start with %j', async (args, variables, message) => {
  const server = converse({ cwd: makeTempDirectory(), args }, variables);
  expect(await server.exit()).toBe(2);
  await expect.poll(() => server.log()).toContain(message);
});

test('has no other path, method or size', async () => {
  const { url } = await listen();
  expect((await ask(url, { path: '/' })).status).toBe(404);
  expect((await ask(url, { method: 'PUT' })).status).toBe(405);
  expect((await ask(url, { body: 'a text' })).status).toBe(400);
  const plain = await ask(url, { headers: { 'content-type': 'text/plain' } });
  expect([plain.status, plain.text]).toEqual([415, expect.stringContaining('the body must be JSON')]);
  expect((await ask(url, { headers: { 'content-length': String(65 * 1024 * 1024) } })).status).toBe(413);
  expect((await ask(url, { headers: { 'x-large': 'x'.repeat(20_000) } })).status).toBe(431);
  expect((await ask(url)).status).toBe(200);
});

test('refuses a body that is no JSON', async () => {
  const { url } = await listen();
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_700, message: expect.stringContaining('invalid JSON: the text ends inside an object') },
  });
});

test('a request that dawdles is given up, and the server goes on', { tags: 'slow' }, async () => {
  const { url } = await listen();
  const socket = connectTcp(Number(url.port), '127.0.0.1');
  socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\n');
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'close');
  expect((await ask(url)).status).toBe(200);
});
