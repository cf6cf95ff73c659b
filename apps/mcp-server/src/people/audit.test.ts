import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { pathsIn, showArgs, showText } from '@jinn/team/audit/audit';
import { openLogFile } from '@jinn/team/audit/operator-log';
import { makeTempDirectory, makeTree, toStatelessRequest } from '@jinn/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../fixture/listen.ts';

const TOKENS = { alice: 'the-token-of-alice', bob: 'the-token-of-bob-x' };
const SECRET = `ghp_${'Ab1'.repeat(12)}`;
const RUN = { action: 'accept', content: { decision: 'Allow once' } };
const DECLINE = { action: 'decline' };

async function serve(...args: string[]) {
  const place = makeTempDirectory();
  makeTree(place, { tokens: `alice:${TOKENS.alice}\nbob:${TOKENS.bob}\n` });
  const file = `${place}/audit.log`;
  const flags = ['--sandbox', 'off', '--token-file', `${place}/tokens`, '--log-file', file, ...args];
  const { url, cwd, server } = await listen({ args: flags });
  const connect = async (person: keyof typeof TOKENS, response: object, name = 'test') => {
    const capabilities = { elicitation: { form: {} } };
    const versionNegotiation = { mode: { pin: '2026-07-28' } } as const;
    const client = new Client({ name, version: '1' }, { capabilities, versionNegotiation });
    onTestFinished(() => client.close());
    client.setRequestHandler('elicitation/create', async () => response as never);
    const headers = { Authorization: `Bearer ${TOKENS[person]}`, 'Jinn-Session': `a-secret-session-of-${person}` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return (tool: string, given: Record<string, unknown>) => client.callTool({ name: tool, arguments: given });
  };
  const text = () => fs.readFileSync(file, 'utf8');
  const lines = () =>
    text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const calls = () => lines().filter(({ event }) => event === 'call');
  return { url, cwd, server, file, tokens: `${place}/tokens`, connect, text, lines, calls };
}

test('has a line for each call, question, answer and refusal, and says whose it is', async () => {
  const { url, cwd, file, connect, text, lines } = await serve();
  makeTree(cwd, { 'src/a.txt': 'one' });
  const [alice, bob] = [await connect('alice', RUN), await connect('bob', DECLINE)];
  await alice('run_shell', { command: 'ls' });
  await alice('run_shell', { command: 'rm -rf src' });
  await bob('run_shell', { command: 'rm -rf .' });
  await bob('multi_read', { files: [{ path: 'a.txt' }, { path: 'none.txt' }] });
  await bob('no_such_tool', {}).catch(() => undefined);
  for (const headers of [{}, { authorization: 'Bearer a-wrong-token-of-somebody' }, { origin: 'http://evil.example' }])
    await fetch(url, { method: 'POST', headers, body: '{}' });
  await expect.poll(() => lines().filter(({ event }) => event === 'refusal').length).toBe(4);
  const of = (person: string) => ({
    person,
    address: '127.0.0.1',
    client: 'test',
    session: expect.stringMatching(/^[\da-f]{8}$/),
  });
  const sha = expect.stringMatching(/^[\da-f]{64}$/);
  const shell = { tool: 'run_shell', effect: 'execute' };
  const all = lines();
  const listed = all.find(({ event }) => event === 'call');
  expect(listed).toMatchObject({
    ...of('alice'),
    ...shell,
    command_sha256: sha,
    risk: 'safe',
    ok: true,
    bytes: expect.any(Number),
    ms: expect.any(Number),
  });
  expect(listed).not.toHaveProperty('approved');
  const removed = all.filter(
    ({ person, command_sha256 }) => person === 'alice' && command_sha256 !== listed?.['command_sha256'],
  );
  const run = { ...of('alice'), ...shell, command_sha256: sha };
  const question = { permission: 'dangerous_command', key_sha256: sha };
  const shown = removed.filter(({ tool }) => tool !== undefined);
  expect(shown).toMatchObject([
    { event: 'start', ...run },
    { event: 'question', ...of('alice'), ...shell, ...question },
    { event: 'call', ok: false, code: 'approval_required', bytes: 0 },
    { event: 'start', ...run },
    { event: 'answer', ...of('alice'), ...shell, ...question, answer: 'once' },
    { event: 'call', ...of('alice'), ...shell, command_sha256: sha, risk: 'dangerous', approved: 'once', ok: true },
  ]);
  expect(all.filter(({ person, tool }) => person === 'bob' && tool === 'run_shell')).toMatchObject([
    { event: 'start' },
    { event: 'question' },
    { event: 'call', ok: false },
    { event: 'start' },
    { event: 'answer', answer: 'denied' },
    { event: 'call', ok: false, code: 'command_blocked', risk: 'dangerous' },
  ]);
  expect(all).toContainEqual(
    expect.objectContaining({ tool: 'multi_read', effect: 'read', paths: ['a.txt', 'none.txt'] }),
  );
  expect(all).toContainEqual(
    expect.objectContaining({ event: 'refusal', ...of('bob'), tool: 'no_such_tool', reason: 'unknown tool' }),
  );
  const refused = all.filter(({ event, status }) => event === 'refusal' && status !== undefined);
  expect(refused).toMatchObject([401, 401, 403].map((status) => ({ status, method: 'POST', address: '127.0.0.1' })));
  expect(all.filter(({ event, person }) => event === 'session' && person === 'bob')).toMatchObject([
    { change: 'begin', session: of('bob').session },
  ]);
  expect(new Set(all.map(({ workspace }) => workspace))).toEqual(new Set([fs.realpathSync(cwd)]));
  expect(text()).not.toMatch(/the-token|a-wrong-token|a-secret-session|rm -rf/);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

test('a second stream of notices of a session is no refusal', async () => {
  const { url, text, lines } = await serve();
  const ask = (method: string, more: object, body?: object) =>
    fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${TOKENS.alice}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...more,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'old', version: '1' } };
  const begun = await ask('POST', {}, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') };
  const [first, second] = [await ask('GET', session), await ask('GET', session)];
  expect([first.status, second.status, (await ask('GET', { 'mcp-session-id': 'x' })).status]).toEqual([200, 409, 404]);
  await expect.poll(() => lines().filter(({ event }) => event === 'refusal')).toMatchObject([{ status: 404 }]);
  expect(text()).not.toContain('409');
  await first.body?.cancel();
});

test('--log-args full has the arguments without secrets, none not even the paths', async () => {
  const full = await serve('--log-args', 'full');
  const alice = await full.connect('alice', RUN, `evil\u001b[2J\u202e\n{"event":"call"}`);
  await alice('run_shell', { command: `echo ${SECRET} \u001b]52;\u0007`, stdin: 'x'.repeat(100_000) });
  await alice('write_file', { path: 'b.txt', content: 'PASSWORD=hunter2-abcdefgh' });
  const [ran, written] = full.calls();
  expect(ran).toMatchObject({ args: { command: 'echo [a GitHub token] \u001b]52;\u0007' } });
  expect(written).toMatchObject({ paths: ['b.txt'], args: { path: 'b.txt', content: '[a secret that is assigned]' } });
  for (const hidden of ['hunter2', 'ghp_', '\u001b', '\u202e']) expect(full.text()).not.toContain(hidden);
  for (const line of full.text().split('\n')) expect(line.length).toBeLessThan(32 * 1024);
  const none = await serve('--log-args', 'none');
  await (await none.connect('bob', RUN))('read_file', { path: 'a.txt' });
  expect(none.text()).not.toMatch(/a\.txt|one/);
});

test('what the operator allows is told from what a person approves', async () => {
  const { cwd, connect, calls } = await serve('--dangerous', 'allow');
  makeTree(cwd, { 'src/a.txt': 'one' });
  await (await connect('alice', DECLINE))('run_shell', { command: 'rm -rf src' });
  expect(calls()).toMatchObject([{ risk: 'dangerous', approved: 'operator', ok: true }]);
});

test('a grant is told as what lets a call run', async () => {
  const { cwd, connect, lines } = await serve();
  makeTree(cwd, { 'src/a.txt': 'one' });
  const alice = await connect('alice', { action: 'accept', content: { decision: 'Always allow…' } });
  await alice('run_shell', { command: 'rm -rf src' });
  await alice('run_shell', { command: 'rm -rf src' });
  expect(lines().filter(({ ok }) => ok)).toMatchObject([{ approved: 'always' }, { approved: 'grant' }]);
});

test('a line is written at once, is bounded, and no foreign text ends it', () => {
  const file = `${makeTempDirectory()}/log`;
  const log = openLogFile(file, String);
  log.audit('/w').event('call', { args: { a: '\u0007'.repeat(20_000) }, paths: ['\n'], tool: 'x' });
  log.line('y'.repeat(100_000));
  log.failure(new Error('z\n'.repeat(100_000)));
  const written = fs.readFileSync(file, 'utf8').split('\n');
  expect([written.length, written.pop()]).toEqual([4, '']);
  for (const text of written) expect([text.endsWith('}'), text.length < 33_000]).toEqual([true, true]);
  expect(JSON.parse(written[0] ?? '')).toMatchObject({ event: 'call', tool: 'x', cut: true });
});

test('paths and arguments are bounded', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(20)}{"path":"x"}${'}'.repeat(20)}`);
  expect([pathsIn(deep), JSON.stringify(showArgs(deep))]).toEqual([[], expect.stringContaining('…')]);
  expect(pathsIn({ paths: Array.from({ length: 100 }, (_, i) => `${i}`) })).toHaveLength(20);
  expect(pathsIn({ path: 1, text: 'no', cwd: 'yes' })).toEqual(['yes']);
  expect(showArgs({ password: 'x', list: [SECRET] })).toEqual({ password: '[a secret]', list: ['[a GitHub token]'] });
  // A secret that the bound cuts would no longer look like one.
  expect(showText(`${'x '.repeat(1_985)}${SECRET}`.padEnd(5_000, ' '))).not.toContain('ghp_');
  expect(showText(`${SECRET} `.repeat(200))).not.toContain('ghp_');
});

test.skipIf(!fs.existsSync('/dev/full'))(
  'a call that changes something is refused while no line can be written, and the first one, too',
  async () => {
    const place = makeTempDirectory();
    makeTree(place, { tokens: `alice:${TOKENS.alice}\n` });
    const args = ['--sandbox', 'off', '--token-file', `${place}/tokens`, '--log-file', '/dev/full'];
    const { url, cwd } = await listen({ args });
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    onTestFinished(() => client.close());
    const requestInit = { headers: { Authorization: `Bearer ${TOKENS.alice}` } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    makeTree(cwd, { 'a.txt': 'one' });
    const read = () => client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } });
    const refused = await client.callTool({ name: 'write_file', arguments: { path: 'b.txt', content: '' } });
    expect(refused).toMatchObject({ isError: true, _meta: { jinn: { error_code: 'unavailable' } } });
    expect((await read()).isError).toBeFalsy();
    expect(fs.readdirSync(cwd)).toEqual(['a.txt']);
  },
);

test('a call that kills the server is in the log', async () => {
  const { server, connect, lines } = await serve('--dangerous', 'allow');
  const alice = await connect('alice', RUN);
  alice('run_shell', { command: `kill -9 ${server.child.pid}` }).catch(() => undefined);
  await server.exit();
  expect(lines().at(-1)).toMatchObject({ event: 'start', person: 'alice', tool: 'run_shell' });
});

test('each refusal of a stranger is in the log, and nothing that people did is lost', { timeout: 60_000 }, async () => {
  const { url, file, connect, lines, calls } = await serve();
  const alice = await connect('alice', RUN);
  await alice('read_file', { path: 'a.txt' });
  fs.appendFileSync(file, `${JSON.stringify({ padding: 'x'.repeat(11 * 1024 * 1024) })}\n`);
  await Promise.all(Array.from({ length: 40 }, () => fetch(url, { method: 'POST', body: '{}' })));
  await alice('read_file', { path: 'a.txt' });
  expect(calls()).toMatchObject([{ person: 'alice' }, { person: 'alice' }]);
  const refusals = () => lines().filter(({ event, status }) => event === 'refusal' && status === 401).length;
  await expect.poll(refusals).toBe(40);
  expect(fs.existsSync(`${file}.1`)).toBe(false);
});

const canLimit = spawnSync('prlimit', ['--version']).status === 0;

test.skipIf(!canLimit)('a call whose line is written in part is refused, and the next line begins anew', async () => {
  const { cwd, server, file, connect } = await serve();
  const alice = await connect('alice', RUN);
  const most = 8 * 1024 * 1024;
  const limit = (soft: number | 'unlimited') =>
    spawnSync('prlimit', ['--pid', `${server.child.pid}`, `--fsize=${soft}:unlimited`]).status;
  expect(limit(most)).toBe(0);
  fs.truncateSync(file, most - 20);
  const refused = await alice('write_file', { path: 'b.txt', content: '' });
  expect(refused).toMatchObject({ isError: true, _meta: { jinn: { error_code: 'unavailable' } } });
  expect([fs.readdirSync(cwd), fs.statSync(file).size]).toEqual([['a.txt'], most]);
  expect(limit('unlimited')).toBe(0);
  expect((await alice('write_file', { path: 'c.txt', content: '' })).isError).toBeFalsy();
  const lines = fs.readFileSync(file).subarray(most).toString().split('\n').filter(Boolean);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ event: 'start' }, { event: 'call', ok: true }]);
});

/** Starts a server for one person, without a name. */
async function serveNameless() {
  const file = `${makeTempDirectory()}/calls`;
  const args = ['--sandbox', 'off', '--log-file', file];
  const { url, server } = await listen({ args, variables: { JINN_MCP_TOKEN: TOKENS.alice } });
  return { url, server, file };
}

test('what is refused to a user without a name is written whole', async () => {
  const { url, file } = await serveNameless();
  const headers = { authorization: `Bearer ${TOKENS.alice}` };
  for (let i = 0; i < 3; i++) await fetch(new URL('/nowhere', url), { headers });
  const lines = () => fs.readFileSync(file, 'utf8').trimEnd().split('\n');
  // The line follows the answer.
  const written = expect.poll(() => lines().map((line) => JSON.parse(line)));
  await written.toMatchObject(Array(3).fill({ event: 'refusal', status: 404 }));
});

test('without names SIGHUP ends a server', async () => {
  const { url, server } = await serveNameless();
  server.child.kill('SIGHUP');
  await server.exit();
  await expect(fetch(url)).rejects.toThrow();
});

test('after the operator has moved the log away, SIGHUP begins a new one', async () => {
  const { server, file, connect, text, calls } = await serve();
  const alice = await connect('alice', RUN);
  await alice('read_file', { path: 'a.txt' });
  fs.renameSync(file, `${file}.old`);
  server.child.kill('SIGHUP');
  await expect.poll(() => fs.existsSync(file)).toBe(true);
  await alice('read_file', { path: 'a.txt' });
  expect(calls()).toHaveLength(1);
  expect(fs.readFileSync(`${file}.old`, 'utf8')).toContain('read_file');
  expect([text().includes('"event":"session"'), fs.statSync(file).mode & 0o777]).toEqual([false, 0o600]);
});

test('tokens that come and go are in the log, without what opens anything', async () => {
  const { url, tokens, text, lines } = await serve();
  fs.writeFileSync(tokens, `alice:${TOKENS.alice}\neve:the-token-of-eve\n`);
  await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${TOKENS.alice}` }, body: '{}' });
  const id = expect.stringMatching(/^[\da-f]{12}$/);
  expect(lines().filter(({ event }) => event === 'token')).toMatchObject([
    { person: 'bob', token: id, change: 'removed' },
    { person: 'eve', token: id, change: 'added' },
  ]);
  expect(text()).not.toContain('the-token');
});

test('what a person reads of a long answer is in the log, like a call that reads', async () => {
  const { url, lines } = await serve();
  const { headers, body } = toStatelessRequest('resources/read', { uri: 'jinn://results/none' });
  const more = { authorization: `Bearer ${TOKENS.bob}`, 'mcp-name': 'jinn://results/none' };
  await fetch(url, { method: 'POST', headers: { ...headers, ...more }, body });
  expect(lines()).toMatchObject([{ event: 'call', person: 'bob', tool: 'resources/read', effect: 'read', ok: false }]);
});
