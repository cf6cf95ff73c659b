import fs from 'node:fs';
import { expect, test, vi } from 'vitest';
import { buildFixture } from '../fixture/build.ts';
import { connectNewHttp, connectOldHttp, INFO, listen } from '../fixture/listen.ts';

const fixture = await buildFixture();

const ERAS = [
  ['by handshake', connectOldHttp],
  ['stateless', connectNewHttp],
] as const;

type Connect = (typeof ERAS)[number][1];
type Given = NonNullable<Parameters<typeof listen>[0]>;
type Client = Awaited<ReturnType<typeof connectNewHttp>>['client'];

/** Without a sandbox, a command knows its process by the same number as the test does. */
const BARE = { args: ['--sandbox', 'off'] };

const waitUntil = (check: () => boolean) => vi.waitUntil(check, { timeout: 10_000, interval: 20 });

async function open(connect: Connect, given: Given = {}, capabilities: object = {}) {
  const listening = await listen(given);
  return { ...listening, ...(await join(connect, listening.url, capabilities)) };
}

async function join(connect: Connect, url: URL, capabilities: object = {}) {
  const connection = await connect(url, { capabilities });
  await connection.connect();
  const client = connection.client as Client;
  const call = (name: string, given: Record<string, unknown> = {}) => client.callTool({ name, arguments: given });
  return { client, call, end: connection.end };
}

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text ?? '';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.for(ERAS)('%s: a client lists and calls over HTTP', async ([, connect]) => {
  const { client, call } = await open(connect);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('read_file');
  expect(textOf(await call('read_file', { path: 'a.txt', line_numbers: false }))).toBe('one\n');
});

test.for(ERAS)('%s: a file that has changed since the session read it is not written', async ([, connect]) => {
  const { call, cwd, url } = await open(connect);
  await call('read_file', { path: 'a.txt' });
  fs.writeFileSync(`${cwd}/a.txt`, 'one, by somebody else\n');
  const write = { path: 'a.txt', content: 'mine\n' };
  expect(textOf(await call('write_file', write))).toMatch(/^stale_file: /);
  const other = await join(connect, url);
  expect((await other.call('write_file', write)).isError).toBeFalsy();
});

test.for(ERAS)('%s: a background job lives as long as the session', async ([, connect]) => {
  const { call, end, url } = await open(connect, BARE);
  await call('run_shell', { command: 'echo $$; exec sleep 300', background: true });
  let pid = 0;
  await vi.waitUntil(
    async () => {
      pid = Number(/\n(\d+)\n/.exec(`${textOf(await call('run_shell', { job: 'job-1', action: 'output' }))}\n`)?.[1]);
      return pid > 0;
    },
    { timeout: 10_000, interval: 50 },
  );
  expect(isAlive(pid)).toBe(true);
  const other = await join(connect, url);
  expect(textOf(await other.call('run_shell', { action: 'list' }))).toBe('no background jobs');
  await end();
  await waitUntil(() => !isAlive(pid));
});

test.for(ERAS)('%s: a person is asked over HTTP too', async ([, connect]) => {
  const { client, call } = await open(connect, { program: fixture }, { elicitation: { form: {} } });
  const asked = vi.fn(async () => ({ action: 'accept' as const, content: { decision: 'Allow once' } }));
  if (connect === connectOldHttp) {
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    client.setRequestHandler(ElicitRequestSchema as never, asked as never);
  } else {
    client.setRequestHandler('elicitation/create', asked);
  }
  expect(textOf(await call('ask', { text: 'sure?' }))).toBe('approved');
  expect(asked).toHaveBeenCalledTimes(1);
});

test.for(ERAS)('%s: a call that is canceled, or that the client waits for no longer, stops', async ([, connect]) => {
  const { client, server } = await open(connect, { program: fixture });
  // The client of the 1.x line has the schema of the result before the options.
  const before = connect === connectOldHttp ? [undefined] : [];
  const callTool = client.callTool.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const wait = (options: object) =>
    void callTool({ name: 'wait', arguments: {} }, ...before, options).catch(() => undefined);
  const controller = new AbortController();
  wait({ signal: controller.signal });
  await waitUntil(() => server.log().includes('waiting\n'));
  controller.abort();
  await waitUntil(() => server.log().includes('stopped waiting'));
  wait({ timeout: 2_000 });
  await waitUntil(() => server.log().match(/stopped waiting/g)?.length === 2);
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
});

test.for(ERAS)('%s: a call stops when its client goes away', async ([, connect]) => {
  const { client, server, call } = await open(connect, { program: fixture });
  call('wait').catch(() => undefined);
  await waitUntil(() => server.log().includes('waiting\n'));
  await client.close();
  await waitUntil(() => server.log().includes('stopped waiting'));
});

test.for(ERAS)('%s: what runs when the server is told to stop is answered', async ([, connect]) => {
  const { url, server, call } = await open(connect, { program: fixture });
  const answer = call('count');
  await waitUntil(() => server.log().includes('counting\n'));
  server.child.kill('SIGTERM');
  expect(textOf(await answer)).toBe('counted');
  expect(await server.exit()).toBe(0);
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

test.for(ERAS)('%s: SIGTERM ends what takes longer than 8 seconds', async ([, connect]) => {
  const { server, call, cwd } = await open(connect, BARE);
  await call('run_shell', { command: 'sleep 300', background: true });
  call('run_shell', { command: 'echo $$ > pid; sleep 300', timeout: 300 }).catch(() => undefined);
  await waitUntil(() => fs.existsSync(`${cwd}/pid`) && fs.readFileSync(`${cwd}/pid`, 'utf8').endsWith('\n'));
  const start = Date.now();
  server.child.kill('SIGTERM');
  expect(await server.exit()).toBe(0);
  const seconds = (Date.now() - start) / 1000;
  expect(seconds).toBeGreaterThan(7);
  expect(seconds).toBeLessThan(20);
  await waitUntil(() => !isAlive(Number(fs.readFileSync(`${cwd}/pid`, 'utf8'))));
});

test.for(ERAS)('%s: a second signal ends it at once', async ([, connect]) => {
  const { server, call, cwd, url } = await open(connect, BARE);
  call('run_shell', { command: 'echo $$ > pid; sleep 300', timeout: 300 }).catch(() => undefined);
  await waitUntil(() => fs.existsSync(`${cwd}/pid`) && fs.readFileSync(`${cwd}/pid`, 'utf8').endsWith('\n'));
  server.child.kill('SIGTERM');
  await expect.poll(async () => (await fetch(new URL('/readyz', url))).status).toBe(503);
  const start = Date.now();
  server.child.kill('SIGTERM');
  expect(await server.exit()).toBe(0);
  expect(Date.now() - start).toBeLessThan(7_000);
  await waitUntil(() => !isAlive(Number(fs.readFileSync(`${cwd}/pid`, 'utf8'))));
});

/** Asks by hand, with a text or a message. */
function post(url: URL, body: object | string, more: object = {}) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...more };
  const text = typeof body === 'string' ? body : JSON.stringify({ jsonrpc: '2.0', ...body });
  return fetch(url, { method: 'POST', headers, body: text });
}

async function beginSession(url: URL) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO };
  const answer = await post(url, { id: 1, method: 'initialize', params });
  return { 'mcp-session-id': answer.headers.get('mcp-session-id') as string };
}

test('the stream of a call that is canceled ends, without an answer', async () => {
  const { url, server } = await listen({ program: fixture });
  const session = await beginSession(url);
  const answer = await post(url, { id: 2, method: 'tools/call', params: { name: 'wait', arguments: {} } }, session);
  await waitUntil(() => server.log().includes('waiting\n'));
  await post(url, { method: 'notifications/cancelled', params: { requestId: 2 } }, session);
  expect(await answer.text()).not.toContain('data: {');
});

test('a session that is not there, was ended, or has no good name is refused', async () => {
  const { url } = await listen();
  const ping = { id: 2, method: 'ping' };
  const nameless = await post(url, ping);
  expect([nameless.status, await nameless.text()]).toEqual([400, expect.stringContaining('initialize gives it')]);
  expect((await post(url, ping, { 'mcp-session-id': 'nope' })).status).toBe(404);
  expect(await (await post(url, '{')).json()).toMatchObject({ error: { code: -32_700 } });
  expect(await (await post(url, ping, { 'jinn-session': 'short' })).text()).toContain('16 to 128');
  expect(await (await post(url, ping, { 'jinn-session': 'x'.repeat(129) })).text()).toContain('16 to 128');
  const session = await beginSession(url);
  expect((await post(url, ping, session)).status).toBe(200);
  expect((await fetch(url, { method: 'DELETE', headers: session })).status).toBe(200);
  expect((await post(url, ping, session)).status).toBe(404);
  expect((await fetch(url, { method: 'DELETE', headers: { 'jinn-session': 'x'.repeat(40) } })).status).toBe(404);
});
