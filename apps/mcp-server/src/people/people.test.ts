import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { hashOf, parseTokens } from '@jinn/team/people/bearer-tokens';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { PROGRAM } from '../fixture/connect.ts';
import { ERAS, type Era } from '../fixture/eras.ts';
import { INFO, listen } from '../fixture/listen.ts';

const TOKENS = { alice: 'the-token-of-alice', bob: 'the-token-of-bob-x' };
type Person = keyof typeof TOKENS;

async function serve(...args: string[]) {
  const [place, home] = [makeTempDirectory(), makeTempDirectory()];
  makeTree(place, { tokens: `# people\nalice:${TOKENS.alice}\n\nbob:${TOKENS.bob}\n` });
  const variables = { HOME: home, JINN_CONFIG_DIR: `${home}/config` };
  const { url, cwd, server } = await listen({
    args: ['--sandbox', 'off', '--token-file', `${place}/tokens`, ...args],
    variables,
  });
  return { url, cwd, home, log: server.log };
}

let sessions = 0;

/** Connects a person's host, which gives this response to each form. */
async function connect(url: URL, era: Era, person: Person, response: object = { action: 'decline' }) {
  const headers = { Authorization: `Bearer ${TOKENS[person]}`, 'Jinn-Session': `session-of-people-${++sessions}` };
  const forms: { requestedSchema: { properties: object } }[] = [];
  const respond = async ({ params }: { params: object }) => {
    forms.push(params as (typeof forms)[number]);
    return response as never;
  };
  const capabilities = { elicitation: { form: {} } };
  if (era === 'stateless') {
    const client = new Client(INFO, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } });
    onTestFinished(() => client.close());
    client.setRequestHandler('elicitation/create', respond);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return { ...toCaller(client), forms, headers };
  }
  const client = new OldClient(INFO, { capabilities });
  onTestFinished(() => client.close());
  client.setRequestHandler(ElicitRequestSchema, respond);
  const transport = new OldTransport(url, { requestInit: { headers: { Authorization: headers.Authorization } } });
  await client.connect(transport as never);
  return {
    ...toCaller(client as never),
    forms,
    headers: { Authorization: headers.Authorization, 'Mcp-Session-Id': `${transport.sessionId}` },
  };
}

function toCaller(client: Pick<Client, 'callTool'>) {
  return {
    call: async (name: string, args: Record<string, unknown>) => {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const text = (content as { text: string }[]).map((block) => block.text).join('\n');
      return isError ? `refused: ${text}` : text;
    },
  };
}

const save = { action: 'save', key: 'note', value: 'of alice alone' };

test.for(ERAS)('%s: the memory of a person is closed to others', async (era) => {
  const { url } = await serve();
  const [alice, bob] = [await connect(url, era, 'alice'), await connect(url, era, 'bob')];
  await alice.call('memory', save);
  for (const args of [
    { action: 'recall', key: 'note' },
    { action: 'list', scope: 'all', include_values: true },
    { action: 'list', query: 'alone' },
    { action: 'export' },
    { action: 'scopes' },
    { action: 'forget', key: 'note' },
  ]) {
    expect(await bob.call('memory', args)).not.toMatch(/of alice alone|"note"|"count":1/);
  }
  expect(await alice.call('memory', { action: 'recall', key: 'note' })).toBe('of alice alone');
});

test.for(ERAS)('%s: what jinn keeps of the answers of a person is closed to others', async (era) => {
  const { url } = await serve();
  const [alice, bob] = [await connect(url, era, 'alice'), await connect(url, era, 'bob')];
  const answer = await alice.call('run_shell', { command: 'seq 1 9000; echo secret of alice' });
  const file = /"path":"([^"]+)"/.exec(answer)?.[1] ?? '';
  const directory = file.slice(0, file.lastIndexOf('/'));
  expect(await alice.call('search_files', { path: file, pattern: 'secret' })).toContain('of alice');
  expect(await alice.call('list_dir', { path: directory })).toContain('.log');
  expect(await bob.call('read_file', { path: file })).toMatch(/^refused: path_outside_sandbox/);
  expect(await bob.call('list_dir', { path: directory })).toMatch(/^refused: path_outside_sandbox/);
  expect(await bob.call('search_files', { path: file, pattern: 'secret' })).toMatch(/^refused: path_outside_sandbox/);
});

test.for(ERAS)('%s: taking back what somebody else did warns, and says who did it and when', async (era) => {
  const { url, cwd } = await serve();
  const [alice, bob] = [await connect(url, era, 'alice'), await connect(url, era, 'bob')];
  await alice.call('write_file', { path: 'a.txt', content: 'hers' });
  const list = await bob.call('undo', { action: 'list' });
  expect(list).toContain(' by alice: ');
  expect(await alice.call('undo', { action: 'list' })).not.toContain(' by ');
  const [id] = list.split(' ');
  expect(await bob.call('undo', { action: 'clear' })).toContain('cleared');
  expect(await bob.call('undo', { action: 'restore', id })).toMatch(
    /a\.txt: alice made this change, not you \(\d{4}-.*Z\)/,
  );
  expect(fs.readFileSync(`${cwd}/a.txt`, 'utf8')).toBe('one\n');
});

const ALWAYS = { action: 'accept', content: { decision: 'Always allow…' } };
const REMOVE = { command: 'rm -rf src' };

test.for(ERAS)('%s: what a person allows for good counts for nobody else', async (era) => {
  const { url, cwd, home } = await serve();
  const remove = async (host: Awaited<ReturnType<typeof connect>>) => {
    makeTree(cwd, { 'src/a.txt': 'one' });
    return host.call('run_shell', REMOVE);
  };
  const alice = await connect(url, era, 'alice', ALWAYS);
  expect(await remove(alice)).toContain('[exit: 0]');
  expect(alice.forms[0]?.requestedSchema.properties).toMatchObject({
    decision: { enum: ['Deny', 'Allow once', 'Always allow…', 'Always allow, for everybody…'] },
  });
  const later = await connect(url, era, 'alice');
  expect([await remove(later), later.forms]).toEqual([expect.stringContaining('[exit: 0]'), []]);
  const bob = await connect(url, era, 'bob');
  expect([await remove(bob), bob.forms.length]).toEqual([expect.stringMatching(/^refused: /), 1]);
  expect(fs.existsSync(`${cwd}/src`)).toBe(true);
  const grants = (...args: string[]) => {
    const env = { PATH: process.env['PATH'], HOME: home, JINN_CONFIG_DIR: `${home}/config` };
    return spawnSync(process.execPath, [PROGRAM, 'grants', ...args], { cwd, env, encoding: 'utf8' }).stdout;
  };
  expect([grants(), grants('--person', 'bob')]).toEqual(Array(2).fill('there are no saved approvals here\n'));
  expect(grants('--person', 'alice')).toContain('"rm -rf src"');
  expect(grants('revoke', '--all', '--person', 'alice')).toMatch(/^revoked 1 approval\n/);
  const afterwards = await connect(url, era, 'alice');
  expect([await remove(afterwards), afterwards.forms.length]).toEqual([expect.stringMatching(/^refused: /), 1]);
});

test.for(ERAS)('%s: nobody uses the session of somebody else', async (era) => {
  const { url } = await serve();
  const alice = await connect(url, era, 'alice');
  const started = await alice.call('run_shell', { command: 'sleep 30', background: true });
  expect(started).toContain('job');
  const headers = { ...alice.headers, Authorization: `Bearer ${TOKENS.bob}` };
  const ended = await fetch(url, { method: 'DELETE', headers });
  expect(ended.status).toBe(404);
  const listing = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  expect(listing.status).toBe(era === 'by handshake' ? 404 : 400);
  expect(await alice.call('run_shell', { action: 'list' })).toContain('sleep 30');
});

test('says at start who counts as one person', async () => {
  const start = async (variables: object) => (await listen({ variables })).server.log();
  expect((await serve()).log()).toContain('grants, memory and changes are kept apart for alice, bob\n');
  expect(await start({ JINN_MCP_TOKEN: TOKENS.alice })).toContain('all who have it count as one user');
  expect(await start({})).toContain('there is no token: all who reach the port count as one person\n');
});

test('a person may have several tokens, so that one can be replaced', () => {
  expect(parseTokens('a:1234567890123456\na:6543210987654321\n').map(({ person }) => person)).toEqual(['a', 'a']);
  expect(parseTokens('1234567890123456\n')).toMatchObject([{ person: '', hash: hashOf('1234567890123456') }]);
});

test.each([
  ['a sha256:00 scopes=read expires=never', 'line 1 is no token'],
  [`a sha256:${'0'.repeat(64)} scopes=root expires=never`, 'line 1 is no token'],
  [`a sha256:${'0'.repeat(64)} scopes=read expires=soon`, 'line 1 is no token'],
  ['short', 'line 1 is no token'],
  ['a:short', 'line 1 is no token'],
  ['a:1234567890123456\n1234567890123457', 'line 2 is no token'],
  ['a b:1234567890123456', 'line 1 is no token'],
  ['a/b:1234567890123456', 'line 1 is no token'],
  ['a:1234567890123456\n#\nb:1234567890123456', 'line 3 has the token of another line'],
])('refuses the tokens %j, and repeats none', (text, message) => {
  expect(() => parseTokens(text)).toThrow(message);
  expect(() => parseTokens(text)).not.toThrow(/\d{16}|short/);
});
