import { openControlGroups } from '@jinn/team/limits/control-groups';
import { makeTempDirectory, makeTree, toStatelessRequest } from '@jinn/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { INFO, listen } from '../fixture/listen.ts';

async function serve(limits: object) {
  const place = makeTempDirectory();
  makeTree(place, { tokens: 'ann:the-token-of-ann\nbob:the-token-of-bob\n', 'team.json': JSON.stringify({ limits }) });
  const args = ['--sandbox', 'off', '--token-file', `${place}/tokens`, '--team', `${place}/team.json`];
  return listen({ args });
}

let sessions = 0;

async function connect(url: URL, person: 'ann' | 'bob') {
  const headers = { Authorization: `Bearer the-token-of-${person}`, 'Jinn-Session': `session-of-limits-${++sessions}` };
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return async (name: string, args: object) => {
    const { content, isError } = await client.callTool({ name, arguments: args as never });
    return `${isError ? 'error: ' : ''}${JSON.stringify(content)}`;
  };
}

/** Sends a request by hand; returns the status, and the text of the answer. */
async function send(url: URL, person: 'ann' | 'bob', method: string, params: Record<string, unknown>) {
  const { headers, body } = toStatelessRequest(method, params);
  const named = typeof params['uri'] === 'string' && { 'mcp-name': params['uri'] };
  const sent = { ...headers, ...named, authorization: `Bearer the-token-of-${person}` };
  const answer = await fetch(url, { method: 'POST', headers: sent, body });
  return { status: answer.status, text: await answer.text() };
}

const SLEEP = { command: 'sleep 20', background: true };

test('a person has so many jobs in all sessions, and others have theirs', async () => {
  const { url } = await serve({ jobs: 1 });
  const [one, other, bob] = [await connect(url, 'ann'), await connect(url, 'ann'), await connect(url, 'bob')];
  expect(await one('run_shell', SLEEP)).toContain('started job-1');
  expect(await other('run_shell', SLEEP)).toMatch(/error: .*resource_limit: 1 background jobs at once/);
  expect(await bob('run_shell', SLEEP)).toContain('started job-1');
  expect(await one('run_shell', { job: 'job-1', action: 'kill' })).toContain('SIGTERM');
  expect(await other('run_shell', { command: 'true', background: true })).toContain('started job-1');
  // It has ended by itself.
  await expect.poll(() => one('run_shell', SLEEP)).toContain('started');
});

test('a command that cannot start leaves no job behind', async () => {
  const { url } = await serve({ jobs: 1 });
  const call = await connect(url, 'ann');
  expect(await call('run_shell', { ...SLEEP, cwd: 'nowhere' })).toContain('error');
  expect(await call('run_shell', SLEEP)).toContain('started');
});

test('a person has so many commands at once and calls a minute, and is told when to continue', async () => {
  const { url } = await serve({ commands: 1, calls_per_minute: 20 });
  const [ann, bob] = [await connect(url, 'ann'), await connect(url, 'bob')];
  const commands = await Promise.all([1, 2].map(() => ann('run_shell', { command: 'sleep 2' })));
  expect(commands.filter((text) => /resource_limit: 1 commands at once are allowed/.test(text)).length).toBe(1);
  const reads = [];
  for (let i = 0; i < 40; i++) reads.push(await ann('read_file', { path: 'a.txt' }));
  expect(reads.some((text) => /20 calls a minute .*wait \d+ seconds and send it again/.test(text))).toBe(true);
  expect(await bob('read_file', { path: 'a.txt' })).not.toContain('error');
});

test('what one person reads counts for no other', async () => {
  const { url, cwd } = await serve({ output_mb_per_minute: 1 });
  makeTree(cwd, { 'long.txt': `${'x'.repeat(70)}\n`.repeat(4_000) });
  const [ann, bob] = [await connect(url, 'ann'), await connect(url, 'bob')];
  const read = async () => {
    for (let i = 0; i < 60; i++) {
      const text = await ann('read_file', { path: 'long.txt' });
      if (text.startsWith('error')) return text;
    }
    return 'no limit';
  };
  expect(await read()).toContain('1 MB of answers a minute are allowed');
  expect(await bob('read_file', { path: 'long.txt' })).not.toContain('error: ');
});

test('who opens many sessions ends their own, and nothing of others', async () => {
  const { url } = await serve({ sessions: 2 });
  const bob = await connect(url, 'bob');
  expect(await bob('run_shell', SLEEP)).toContain('started job-1');
  const first = await connect(url, 'ann');
  expect(await first('run_shell', SLEEP)).toContain('started job-1');
  for (let i = 0; i < 4; i++) await (await connect(url, 'ann'))('read_file', { path: 'a.txt' });
  expect(await bob('run_shell', { action: 'list' })).toContain('sleep 20');
  expect(await first('run_shell', { action: 'list' })).toContain('no background jobs');
});

const groups = openControlGroups({ memory_mb: 100, cpus: 1, processes: 50 }, { moves: false });

test('says at the start what of the limits this system cannot hold', async ({ skip }) => {
  if (!('why' in groups)) skip('this system has control groups');
  const { server } = await serve({ memory_mb: 100, cpus: 0.5, processes: 50 });
  expect(server.log()).toContain('memory, cpus and processes of commands have no limits here: ');
});

test('commands have so much memory and so many processes, where the system has control groups', async ({ skip }) => {
  if ('why' in groups) skip(groups.why);
  const { url } = await serve({ memory_mb: 100, cpus: 0.5, processes: 50 });
  const ann = await connect(url, 'ann');
  const hungry = "perl -e '$x = q(x) x 300_000_000; print length $x'";
  expect(await ann('run_shell', { command: hungry })).toContain('137');
  expect(await ann('run_shell', { command: 'for i in $(seq 90); do sleep 5 & done; wait' })).toContain('fork');
  const own = "$(awk '$3 == \"cgroup2\" { print $2; exit }' /proc/mounts)$(sed -n 's/^0:://p' /proc/self/cgroup)";
  const busy = `timeout 1 sh -c 'while :; do :; done'; grep throttled_usec ${own}/cpu.stat`;
  expect(await ann('run_shell', { command: busy })).toMatch(/throttled_usec [1-9]/);
  // All commands of a person count together, and those of nobody else.
  const forty = 'for i in $(seq 40); do sleep 20 & done; wait';
  expect(await ann('run_shell', { command: forty, background: true })).toContain('started job-1');
  const [other, bob] = [await connect(url, 'ann'), await connect(url, 'bob')];
  expect(await other('run_shell', { command: forty })).toContain('fork');
  expect(await bob('run_shell', { command: 'for i in $(seq 40); do sleep 1 & done; wait; echo fine' })).toContain(
    'fine',
  );
});

test.each([
  ['tools/list', {}],
  ['prompts/get', { name: 'explain_project' }],
  ['resources/read', { uri: 'jinn://results/none' }],
])('%s counts like a call, for whoever sends it', async (method, params) => {
  const { url } = await serve({ calls_per_minute: 5 });
  for (let i = 0; i < 5; i++) expect((await send(url, 'ann', method, params)).text).not.toContain('resource_limit');
  const refused = await send(url, 'ann', method, params);
  expect(refused.text).toMatch(/resource_limit: 5 calls a minute are allowed.*wait \d+ seconds/);
  // A balancer would ask the next server.
  expect(refused.status).not.toBe(503);
  expect((await send(url, 'bob', method, params)).text).not.toContain('resource_limit');
});

test('what lists and resources answer counts as output', async () => {
  const { url } = await serve({ output_mb_per_minute: 1 });
  const list = async () => {
    for (let i = 0; i < 500; i++) {
      const { text } = await send(url, 'ann', 'tools/list', {});
      if (text.includes('resource_limit')) return text;
    }
    return 'no limit';
  };
  expect(await list()).toContain('1 MB of answers a minute are allowed');
  expect((await send(url, 'bob', 'tools/list', {})).text).not.toContain('resource_limit');
});
