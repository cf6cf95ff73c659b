import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { makeTempDirectory, makeTree, toStatelessRequest } from '@jinn/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { buildFixture } from '../fixture/build.ts';
import { PROGRAM } from '../fixture/connect.ts';
import { connectNewHttp, connectOldHttp, listen } from '../fixture/listen.ts';

const fixture = await buildFixture();
const TOKEN = `jinn_${'Ab1'.repeat(15).slice(0, 43)}`;

const ERAS = [
  ['by handshake', connectOldHttp],
  ['stateless', connectNewHttp],
] as const;

interface Attribute {
  readonly key: string;
  readonly value: Record<string, unknown>;
}

/** Listens as a collector does, and keeps what comes. */
async function startCollector() {
  const bodies: { path: string; text: string }[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    bodies.push({ path: request.url ?? '', text });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const textOf = (path: string) => bodies.flatMap((body) => (body.path === path ? [body.text] : [])).join('\n');
  return { endpoint: `http://127.0.0.1:${(server.address() as { port: number }).port}`, bodies, textOf };
}

test.for(ERAS)('%s: spans and metrics go to a collector, by the conventions', async ([era, connect]) => {
  const collector = await startCollector();
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_SERVICE_NAME: 'tools',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
  };
  const { url, server, cwd } = await listen({ variables });
  const { client, connect: open } = await connect(url);
  await open();
  const _meta = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' }, _meta });
  await client.callTool({ name: 'read_file', arguments: { path: 'secret-name.txt' } });
  await client.callTool({ name: 'no_such_tool', arguments: {} }).catch(() => undefined);
  const { headers, body } = toStatelessRequest('tools/list', {}, { id: `${TOKEN} ${'i'.repeat(1_000)}` });
  await (await fetch(url, { method: 'POST', headers, body })).text();
  server.child.kill('SIGTERM');
  expect(await server.exit()).toBe(0);
  const batches = collector.textOf('/v1/traces').split('\n');
  const spans = batches.flatMap((batch) => JSON.parse(batch).resourceSpans);
  const attributesOf = ({ attributes }: { attributes: Attribute[] }) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
  expect(attributesOf(spans[0].resource)).toMatchObject({
    'service.name': 'tools',
    'service.version': expect.any(String),
  });
  const all = spans.flatMap(({ scopeSpans }) => scopeSpans[0].spans);
  const [first, second] = all.filter(({ name }: { name: string }) => name === 'tools/call read_file');
  expect(first).toMatchObject({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    parentSpanId: 'b7ad6b7169203331',
    kind: 2,
  });
  expect(attributesOf(first)).toEqual({
    'mcp.method.name': 'tools/call',
    'mcp.protocol.version': era === 'stateless' ? '2026-07-28' : expect.stringMatching(/^20/),
    'mcp.session.id': expect.stringMatching(/^[\da-f]{8}$/),
    'gen_ai.tool.name': 'read_file',
    'gen_ai.operation.name': 'execute_tool',
    'jsonrpc.request.id': expect.any(String),
    'network.transport': 'tcp',
  });
  expect([second.status.code, attributesOf(second)['error.type']]).toEqual([2, 'tool_error']);
  expect(all.map(({ name }: { name: string }) => name)).toContain('tools/call');
  expect(collector.textOf('/v1/metrics')).toContain('mcp.server.operation.duration');
  const sent = collector.bodies.map(({ text }) => text).join('\n');
  expect(sent).toContain('[a token of jinn-mcp] iii');
  for (const secret of ['secret-name', 'a.txt', 'no_such_tool', cwd, TOKEN, 'i'.repeat(101)])
    expect(sent).not.toContain(secret);
});

test('nothing is sent unless a collector is named, and nothing is loaded on standard input', async () => {
  const collector = await startCollector();
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_SDK_DISABLED: 'true' };
  const { url, server } = await listen({ variables });
  const { client, connect } = await connectNewHttp(url);
  await connect();
  await client.listTools();
  server.child.kill('SIGTERM');
  await server.exit();
  expect(collector.bodies).toEqual([]);
});

const ANN = 'the-token-of-ann';

test('metrics are for who may see what concerns all, whatever the name of the server', async () => {
  const place = makeTempDirectory();
  makeTree(place, { tokens: `ann:${ANN}\n` });
  const create = (name: string, scopes: string) => {
    const args = ['tokens', 'create', '--token-file', `${place}/tokens`, '--name', name, '--scopes', scopes];
    const env = { ...process.env, HOME: place };
    return spawnSync(process.execPath, [PROGRAM, ...args], { env, encoding: 'utf8' }).stdout.trim();
  };
  const [bob, prometheus, admin] = [create('bob', 'read'), create('prometheus', 'metrics'), create('eve', 'admin')];
  const { url } = await listen({ args: ['--token-file', `${place}/tokens`] });
  const get = async (token: string) => {
    const response = await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${token}` } });
    return {
      status: response.status,
      text: await response.text(),
      challenge: response.headers.get('www-authenticate'),
    };
  };
  expect((await get('nobody')).status).toBe(401);
  expect(await get(bob)).toMatchObject({
    status: 403,
    challenge: expect.stringMatching(/insufficient_scope.*scope="jinn:read jinn:metrics"/),
  });
  for (const token of [prometheus, admin]) expect((await get(token)).status).toBe(200);
  const { status, text } = await get(ANN);
  expect(status).toBe(200);
  expect(text).toContain('jinn_http_refusals_total{status="401"} 1');
  expect(text).toContain('process_resident_memory_bytes');
});

test('counts requests and sessions', async () => {
  const { url } = await listen();
  const { client, connect, end } = await connectOldHttp(url);
  await connect();
  await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } });
  await client.callTool({ name: 'read_file', arguments: { path: 'b.txt' } });
  await client.callTool({ name: `no_such_tool`, arguments: {} }).catch(() => undefined);
  const read = async () => (await fetch(new URL('/metrics', url))).text();
  const text = await read();
  const count = (labels: string) =>
    Number(new RegExp(`^mcp_server_operation_duration_seconds_count\\{${labels}\\} (\\d+)$`, 'm').exec(text)?.[1]);
  expect(count('mcp_method_name="tools/call",gen_ai_tool_name="read_file",error_type=""')).toBe(1);
  expect(count('mcp_method_name="tools/call",gen_ai_tool_name="read_file",error_type="tool_error"')).toBe(1);
  expect(count('mcp_method_name="tools/call",gen_ai_tool_name="",error_type="-32602"')).toBe(1);
  expect(text).toMatch(/^jinn_sessions 1$/m);
  expect(text).not.toContain('no_such_tool');
  await end();
  expect(await read()).toMatch(/^jinn_sessions 0$/m);
  expect((await fetch(new URL('/metrics', url), { headers: { host: 'evil.example' } })).status).toBe(200);
});

test.for(ERAS)('%s: a server that stops says so, and answers what it ends', async ([, connect]) => {
  const { url, server } = await listen({ program: fixture });
  const ready = async (method = 'GET') => fetch(new URL('/readyz', url), { method });
  expect([(await ready()).status, (await ready('HEAD')).status]).toEqual([200, 200]);
  const { client, connect: open } = await connect(url);
  await open();
  const { client: other, connect: openOther } = await connect(url);
  await openOther();
  const call = client.callTool({ name: 'wait', arguments: {} });
  await vi.waitUntil(() => server.log().includes('waiting\n'), { timeout: 10_000 });
  server.child.kill('SIGTERM');
  await expect.poll(async () => (await ready()).status).toBe(503);
  expect((await fetch(new URL('/healthz', url), { method: 'HEAD' })).status).toBe(200);
  await expect(other.listTools()).rejects.toThrow('the server stops');
  server.child.kill('SIGTERM');
  const answer = await call;
  expect(answer.isError).toBe(true);
  expect(JSON.stringify(answer.content)).toContain('canceled: the server stops, and has ended this call');
  expect(await server.exit()).toBe(0);
});

test('a start on standard input reads the code of no server for a team', () => {
  const place = makeTempDirectory();
  const trace = `const fs = require('fs'); const read = fs.readFileSync;
    fs.readFileSync = (...args) => (fs.writeSync(2, \`read \${args[0]}\\n\`), read(...args));`;
  makeTree(place, { 'trace.cjs': trace });
  const args = ['--require', `${place}/trace.cjs`, PROGRAM];
  const { stderr } = spawnSync(process.execPath, args, { input: '', encoding: 'utf8', cwd: place });
  const chunks = [...stderr.matchAll(/^read .*\/chunks\/(.*)$/gm)].map(([, name]) => name);
  expect(chunks.toSorted()).toEqual(['main.cjs']);
});
