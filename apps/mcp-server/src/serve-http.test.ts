import { once } from 'node:events';
import fs from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { Client as NewClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { buildFixture } from './fixture/build.ts';
import { PROGRAM } from './fixture/connect.ts';
import { converse } from './fixture/converse.ts';

const fixture = await buildFixture();
const TOKEN = 'open-sesame-open-sesame';
const INFO = { name: 'test', version: '1.0.0' };

interface Given {
  readonly program?: string;
  readonly args?: readonly string[];
  readonly variables?: object;
  readonly address?: string;
}

/** A server on a free port, and its URL. */
async function listen({ program = PROGRAM, args = [], variables = {}, address = '127.0.0.1:0' }: Given = {}) {
  const cwd = makeTempDirectory();
  makeTree(cwd, { 'a.txt': 'one\n' });
  const server = converse({ cwd, program, args: ['--http', address, ...args] }, variables);
  const [, url] = await vi.waitUntil(() => /listens on (http:\S+)\n/.exec(server.log()), { timeout: 10_000 });
  return { cwd, server, url: new URL((url as string).replace('0.0.0.0', '127.0.0.1')) };
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

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
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  });
  const answered = once(request, 'response');
  request.end(method === 'POST' ? JSON.stringify(body) : undefined);
  const [response] = await answered;
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode as number, headers: response.headers, text };
}

test.each([
  [
    'the client of the 1.x line',
    async (url: URL) => {
      const client = new OldClient(INFO);
      // biome-ignore lint/suspicious/noExplicitAny: its types do not fit its own interface under exactOptionalPropertyTypes
      await client.connect(new OldTransport(url) as any);
      return client;
    },
  ],
  [
    'the client of the 2.x line',
    async (url: URL) => {
      const client = new NewClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
      await client.connect(new StreamableHTTPClientTransport(url));
      return client;
    },
  ],
])('%s lists and calls over HTTP', async (_, open) => {
  const { url } = await listen();
  const client = await open(url);
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('read_file');
  const result = await client.callTool({ name: 'read_file', arguments: { path: 'a.txt', line_numbers: false } });
  expect(result.content).toEqual([{ type: 'text', text: 'one\n' }]);
});

test('a person is asked over HTTP too, in the revision that has a form for it', async () => {
  const { url } = await listen({ program: fixture });
  const client = new NewClient(INFO, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  onTestFinished(() => client.close());
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
  await client.connect(new StreamableHTTPClientTransport(url));
  const result = await client.callTool({ name: 'ask', arguments: { text: 'sure?' } });
  expect(result.content).toEqual([{ type: 'text', text: 'approved' }]);
});

test('refuses strange hosts and origins before anything else, and lets pages of this machine ask', async () => {
  const { url } = await listen({ variables: { JINN_MCP_TOKEN: TOKEN } });
  expect((await ask(url, { headers: { host: 'evil.example' } })).status).toBe(403);
  expect((await ask(url, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
  const headers = { origin: 'http://localhost:6274', authorization: `Bearer ${TOKEN}` };
  const answer = await ask(url, { headers });
  expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': 'http://localhost:6274' } });
  const preflight = await ask(url, { method: 'OPTIONS', headers: { origin: 'http://localhost:6274' } });
  expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-methods': 'POST' } });
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
  [['--http', '0.0.0.0:0'], { JINN_MCP_TOKEN: 'short' }, 'has 16 or more'],
  [['--http', '--token-file', `${PROGRAM}/nope`], {}, '--token-file: ENOTDIR'],
  [['--http', 'a b'], {}, 'it is not HOST:PORT'],
  [['--http', '192.0.2.1:0'], { JINN_MCP_TOKEN: TOKEN }, '--http: listen E'],
])('does not start with %j', async (args, variables, message) => {
  const server = converse({ cwd: makeTempDirectory(), args }, variables);
  expect(await server.exit()).toBe(2);
  expect(server.log()).toContain(message);
});

test('has no other path, method or size', async () => {
  const { url } = await listen();
  expect((await ask(url, { path: '/' })).status).toBe(404);
  expect((await ask(url, { method: 'GET' })).status).toBe(405);
  expect((await ask(url, { method: 'DELETE' })).status).toBe(405);
  expect((await ask(url, { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
  expect((await ask(url, { headers: { 'content-length': String(65 * 1024 * 1024) } })).status).toBe(413);
  expect((await ask(url, { headers: { 'x-large': 'x'.repeat(20_000) } })).status).toBe(431);
  expect((await ask(url)).status).toBe(200);
});

test('a request that dawdles is given up, and the server goes on', async () => {
  const { url } = await listen();
  const socket = connectTcp(Number(url.port), '127.0.0.1');
  socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\n');
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'close');
  expect((await ask(url)).status).toBe(200);
});

test('what runs when the server is told to stop is answered, and nothing new is taken', async () => {
  const { url, server } = await listen({ program: fixture });
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'count', arguments: {} } };
  const answer = ask(url, { body: call });
  await new Promise((resolve) => setTimeout(resolve, 150));
  server.child.kill('SIGTERM');
  expect((await answer).text).toContain('counted');
  expect(await server.exit()).toBe(0);
  await expect(ask(url)).rejects.toThrow('ECONNREFUSED');
});

test('a client that goes away ends its call', async () => {
  const { url, server } = await listen({ program: fixture });
  const client = new NewClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(url));
  const controller = new AbortController();
  const call = client.callTool({ name: 'wait', arguments: {} }, { signal: controller.signal });
  call.catch(() => undefined);
  await vi.waitUntil(() => server.log().includes('waiting'), { timeout: 10_000 });
  controller.abort();
  await vi.waitUntil(() => server.log().includes('stopped waiting'), { timeout: 10_000 });
});
