import { once } from 'node:events';
import fs from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { makeTempDirectory } from '@jinn/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { connectNewHttp, INFO, listen } from '../fixture/listen.ts';

const MB = 1024 * 1024;

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

test('a body of more than 64 MB is refused before it is read, and a declared length is not believed', async () => {
  const { url } = await listen();
  const post = (headers: object, body: Iterable<Buffer>) => {
    const asked = request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } });
    asked.on('error', () => undefined);
    Readable.from(body).pipe(asked);
    return once(asked, 'response').then(([response]) => response.statusCode);
  };
  expect(await post({ 'content-length': 64 * MB + 1 }, [Buffer.from('{')])).toBe(413);
  const parts = function* () {
    for (let i = 0; i < 80; i++) yield Buffer.alloc(MB, ' ');
  };
  expect(await post({}, parts())).toBe(413);
});
