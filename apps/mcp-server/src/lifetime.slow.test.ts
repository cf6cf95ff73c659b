import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { buildFixture } from './fixture/build.ts';
import { type Conversation, converse, shakeHands } from './fixture/converse.ts';

const program = await buildFixture();

async function start(variables: object = {}) {
  const conversation = converse({ cwd: makeTempDirectory(), program }, variables);
  await shakeHands(conversation);
  return conversation;
}

function call({ send }: Conversation, id: number, name: string, text = '') {
  send({ id, method: 'tools/call', params: { name, arguments: { text } } });
}

const textOf = ({ result }: Awaited<ReturnType<Conversation['receive']>>) =>
  (result?.['content'] as { text: string }[] | undefined)?.[0]?.text;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const waitUntil = (check: () => boolean) => vi.waitUntil(check, { timeout: 10_000, interval: 20 });

test('a crash in a tool is an error answer that tells nothing of it, and the server goes on', async () => {
  const server = await start();
  call(server, 1, 'crash', 'thing');
  const crashed = await server.receive();
  expect(crashed.result).toMatchObject({ isError: true, _meta: { jinn: { error_code: 'internal' } } });
  expect(JSON.stringify(crashed)).not.toContain('secret');
  call(server, 2, 'crash', 'later');
  expect(textOf(await server.receive())).toBe('fine so far');
  await waitUntil(() => server.log().includes('Error: later'));
  expect(server.log()).toContain('Error: secret thing');
  server.send({ id: 3, method: 'ping' });
  expect(await server.receive()).toMatchObject({ id: 3, result: {} });
});

test('what a tool prints never reaches standard output', async () => {
  const server = await start();
  call(server, 1, 'print', 'hello from a tool');
  expect(textOf(await server.receive())).toBe('printed');
  await waitUntil(() => server.log().includes('hello from a tool'));
});

test('a canceled call stops, and is not answered', async () => {
  const server = await start();
  call(server, 1, 'wait');
  await waitUntil(() => server.log().includes('waiting'));
  server.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
  await waitUntil(() => server.log().includes('stopped waiting'));
  server.send({ id: 2, method: 'ping' });
  expect((await server.receive()).id).toBe(2);
});

test('a call of the stateless revision can be canceled too', async () => {
  const server = converse({ cwd: makeTempDirectory(), program });
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  server.send({ id: 1, method: 'tools/call', params: { name: 'wait', arguments: {}, _meta } });
  await waitUntil(() => server.log().includes('waiting'));
  server.send({ method: 'notifications/cancelled', params: { requestId: 1, _meta } });
  await waitUntil(() => server.log().includes('stopped waiting'));
});

test('answers what was asked before the end of input, then ends', async () => {
  const server = converse({ cwd: makeTempDirectory(), program });
  for (const id of [1, 2, 3]) call(server, id, 'environment', 'PATH');
  server.child.stdin?.end();
  expect([(await server.receive()).id, (await server.receive()).id, (await server.receive()).id]).toEqual([1, 2, 3]);
  expect(await server.exit()).toBe(0);
});

test.each<[string, (server: Conversation) => unknown]>([
  ['the end of input', ({ child }) => child.stdin?.end()],
  ['SIGTERM', ({ child }) => child.kill('SIGTERM')],
  ['SIGINT', ({ child }) => child.kill('SIGINT')],
  ['SIGHUP', ({ child }) => child.kill('SIGHUP')],
  [
    'a host that reads no more',
    ({ child, send }) => {
      child.stdout?.destroy();
      send({ id: 3, method: 'ping' });
    },
  ],
])('%s ends the calls that run, the jobs of the session, and the process', async (_, end) => {
  const server = await start();
  call(server, 1, 'job');
  const job = Number(textOf(await server.receive()));
  call(server, 2, 'child');
  await waitUntil(() => childrenOf(server.child.pid).length === 2);
  const children = childrenOf(server.child.pid);
  expect(children).toContain(job);
  end(server);
  expect(await server.exit()).toBe(0);
  await waitUntil(() => !children.some(isAlive));
});

test('the death of its parent ends it, though its input stays open', async () => {
  const script = `exec 3<&0; "${process.execPath}" "${program}" <&3 & echo $!; wait`;
  const shell = spawn('bash', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  const pid = Number((await lines.next()).value);
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')));
  shell.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  expect(JSON.parse((await lines.next()).value)).toMatchObject({ id: 1 });
  shell.kill('SIGKILL');
  await once(shell, 'exit');
  await waitUntil(() => !isAlive(pid));
});

test('a line may have 64 MB; one that has more is refused, and the next is answered', { timeout: 60_000 }, async () => {
  const server = await start();
  call(server, 1, 'environment', 'x'.repeat(64 * 1024 * 1024 - 200));
  expect(textOf(await server.receive())).toBe('undefined');
  call(server, 2, 'environment', 'x'.repeat(64 * 1024 * 1024));
  expect(await server.receive()).toMatchObject({ id: null, error: { code: -32_600 } });
  server.send({ id: 3, method: 'ping' });
  expect((await server.receive()).id).toBe(3);
});

test('answers what is no message with an error, and goes on', async () => {
  const server = await start();
  const wrong: [string, number, unknown?][] = [
    ['{"jsonrpc":"2.0","id":1,', -32_700],
    ['[]', -32_600],
    ['42', -32_600],
    ['{"id":1,"method":"ping"}', -32_600, 1],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32_600, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32_600, 1],
    ['{"jsonrpc":"2.0","id":1}', -32_600, 1],
  ];
  for (const [line, code, id = null] of wrong) {
    server.send(line);
    expect([line, await server.receive()]).toMatchObject([line, { id, error: { code } }]);
  }
  server.send({ id: 3, method: 'ping' });
  expect((await server.receive()).id).toBe(3);
});

test('reads batches, blank lines and lines that end in CR LF', async () => {
  const server = await start();
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  server.send(`\n  \n${JSON.stringify([ping(1), ping(2)])}\r`);
  expect([(await server.receive()).id, (await server.receive()).id]).toEqual([1, 2]);
});

test('the token of HTTP is not in the environment of tools', async () => {
  const server = await start({ JINN_MCP_TOKEN: 'sesame', OTHER: 'there' });
  call(server, 1, 'environment', 'JINN_MCP_TOKEN');
  expect(textOf(await server.receive())).toBe('undefined');
  call(server, 2, 'environment', 'OTHER');
  expect(textOf(await server.receive())).toBe('there');
});

function childrenOf(pid: number | undefined): number[] {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = stdout
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number));
  return rows.filter(([, parent]) => parent === pid).map(([child]) => child as number);
}
