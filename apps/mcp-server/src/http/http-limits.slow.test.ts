import { once } from 'node:events';
import fs from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { makeTempDirectory, toStatelessRequest } from '@jinn/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { connectNewHttp, connectOldHttp, INFO, listen } from '../fixture/listen.ts';

const MB = 1024 * 1024;

/** Opens connections that send nothing; returns a function that counts those that the server has closed. */
async function openSilent(url: URL, count: number, localAddress?: string): Promise<() => number> {
  const to = { port: Number(url.port), host: url.hostname, ...(localAddress && { localAddress }) };
  const sockets = Array.from({ length: count }, () => connectSocket(to));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) socket.on('error', () => undefined);
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return () => sockets.filter((socket) => socket.destroyed).length;
}

/**
 * Waits until the connections that are open are no longer spared as clients that have just connected. Returns when the server
 * had taken them all.
 */
async function outlastGrace(url: URL): Promise<number> {
  // The server takes connections in their order, and their age counts from then on.
  await (await fetch(new URL('/healthz', url))).text();
  const taken = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 600));
  return taken;
}

test('300 connections that stay silent keep no call out', async () => {
  const { url } = await listen();
  await openSilent(url, 300);
  const { client, connect } = await connectOldHttp(url);
  await connect();
  const { content } = await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } });
  expect(JSON.stringify(content)).toContain('one');
});

test('of more than 128 connections that stay silent, those are closed that have been silent longest', async () => {
  const { url } = await listen();
  const start = performance.now();
  const closed = await openSilent(url, 200);
  const isAtOnce = (await outlastGrace(url)) - start < 500;
  // On a slow machine the first may be old when the last come.
  if (isAtOnce) expect(closed()).toBe(0);
  const closedLater = await openSilent(url, 10);
  await expect.poll(() => [closed(), closedLater()]).toEqual([82, 0]);
});

test.skipIf(process.platform !== 'linux')('of those, the address with most loses first', async () => {
  const { url } = await listen();
  const closed = await openSilent(url, 20);
  const closedOfMany = await openSilent(url, 200, '127.0.0.2');
  await outlastGrace(url);
  await openSilent(url, 1);
  await expect.poll(() => [closed(), closedOfMany()]).toEqual([0, 93]);
});

function memoryOf(pid: number | undefined): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

test.skipIf(process.platform !== 'linux')(
  'large bodies at once do not add up: they wait for each other',
  { timeout: 60_000 },
  async () => {
    const { url, server } = await listen();
    const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { x: 'y'.repeat(50 * MB) } };
    const body = JSON.stringify(message);
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    // One that waits too long is refused, and its client may not come to read that.
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, () => fetch(url, { method: 'POST', headers, body })),
    );
    const taken = answers.filter((answer) => answer.status === 'fulfilled' && answer.value.status !== 503);
    // Two fit at once.
    expect(taken.length).toBeGreaterThan(2);
    expect(memoryOf(server.child.pid)).toBeLessThan(700 * MB);
    const after = await fetch(url, { method: 'POST', headers, body });
    expect(after.status).not.toBe(503);
  },
);

test('says that it runs, to whoever asks, without a token', async () => {
  const { url } = await listen({ variables: { JINN_MCP_TOKEN: 'a-token-of-24-characters' } });
  const answer = await fetch(new URL('/healthz', url));
  expect([answer.status, await answer.text()]).toEqual([200, 'ok\n']);
});

test('says what to do for a host name that it does not know, when it starts and when it is asked', async () => {
  const { url, server } = await listen({
    address: '0.0.0.0:0',
    variables: { JINN_MCP_TOKEN: 'a-token-of-24-characters' },
  });
  await expect.poll(() => server.log()).toContain('--allow-host');
  const answer = await fetch(url, { method: 'POST', body: '{}' });
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({
    error: { message: expect.stringContaining('start jinn-mcp with --allow-host 127.0.0.1') },
  });
});

test('a stateless client without a session is not told that a job started', async () => {
  const { url } = await listen();
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(url));
  const job = { name: 'run_shell', arguments: { command: 'sleep 100', background: true } };
  expect(await client.callTool(job)).toMatchObject({
    isError: true,
    content: [
      { text: expect.stringMatching(/^invalid_args: background needs a session that lasts.*\n.*Jinn-Session/) },
    ],
  });
  const { client: named, connect } = await connectNewHttp(url);
  await connect();
  expect((await named.callTool(job)).isError).toBeFalsy();
});

const KEY = 'a-key-of-several-servers';

const keyVariable = () => ({ variables: { JINN_MCP_APPROVAL_KEY: KEY } });

const keyFile = (key: string) => () => {
  const file = `${makeTempDirectory()}/key`;
  fs.writeFileSync(file, `${key}\n`);
  return { args: ['--approval-key-file', file] };
};

test.each([
  ['the same key', keyVariable, keyVariable, true],
  ['the same key in a file', keyFile(KEY), keyVariable, true],
  ['another key', keyFile(KEY), keyFile(`${KEY}-2`), false],
  ['keys of their own', () => ({}), () => ({}), false],
])('an approval that one server asked for is finished by another with %s', async (_, first, second, isFinished) => {
  const [one, two] = [await listen(first()), await listen(second())];
  let requests = 0;
  let asked = 0;
  const client = new Client(INFO, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  onTestFinished(() => client.close());
  client.setRequestHandler('elicitation/create', () => {
    asked++;
    return { action: 'accept', content: { decision: 'Allow once' } };
  });
  // As a balancer would, every other request goes to the second server.
  const balance: typeof fetch = (_url, init) => fetch(requests++ % 2 === 0 ? one.url : two.url, init);
  await client.connect(new StreamableHTTPClientTransport(one.url, { fetch: balance }));
  const call = client.callTool({ name: 'run_shell', arguments: { command: 'rm -rf nothing-here' } });
  if (isFinished) expect((await call).isError).toBeFalsy();
  else await expect(call).rejects.toThrow();
  expect(asked === 1).toBe(isFinished);
});

test('where each of 512 people has one session, somebody else gets none, and nobody loses theirs', async () => {
  const place = makeTempDirectory();
  const people = Array.from({ length: 513 }, (_, i) => `person-${i}`);
  fs.writeFileSync(`${place}/tokens`, people.map((name) => `${name}:the-token-of-${name}\n`).join(''));
  const { url } = await listen({ args: ['--token-file', `${place}/tokens`] });
  const post = (person: string, body: object, more: object = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer the-token-of-${person}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...more,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO };
  const begin = (person: string) => post(person, { method: 'initialize', params });
  const sessions = [];
  for (const person of people.slice(0, 512)) sessions.push((await begin(person)).headers.get('mcp-session-id'));
  const refused = await begin('person-512');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': INFO,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const stateless = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
  const list = (more: object) =>
    post('person-512', { method: 'tools/list', params: { _meta: meta } }, { ...stateless, ...more });
  expect((await list({ 'jinn-session': 'a-session-of-somebody-else' })).status).toBe(503);
  expect((await list({})).status).toBe(200);
  const first = await post('person-0', { method: 'ping' }, { 'mcp-session-id': sessions[0] });
  expect(first.status).toBe(200);
  expect((await begin('person-0')).status).toBe(200);
});

test('who opens streams without end is refused, and keeps nobody out', async () => {
  const place = makeTempDirectory();
  fs.writeFileSync(`${place}/tokens`, 'ann:the-token-of-ann\nbob:the-token-of-bob\n');
  const { url } = await listen({ args: ['--token-file', `${place}/tokens`] });
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const send = (person: string, method: string, more: Readonly<Record<string, unknown>>) => {
    const { headers, body } = toStatelessRequest(method, more);
    const authorization = `Bearer the-token-of-${person}`;
    return fetch(url, { method: 'POST', headers: { ...headers, authorization }, body, signal: end.signal }).then(
      ({ status }) => status,
    );
  };
  const streams = [];
  for (let i = 0; i < 140; i++)
    streams.push(send('ann', 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
  const statuses = await Promise.all(streams);
  expect([200, 429].map((status) => statuses.filter((each) => each === status).length)).toEqual([128, 12]);
  expect([await send('ann', 'tools/list', {}), await send('bob', 'tools/list', {})]).toEqual([429, 200]);
});
