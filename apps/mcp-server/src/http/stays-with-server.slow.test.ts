import os from 'node:os';
import { findPort, findPostgres, makeTempDirectory, makeTree, startPostgres, toStatelessRequest } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { listen } from '../fixture/listen.ts';

const postgres = findPostgres();
const HEADERS = { authorization: 'Bearer the-token-of-ann', 'jinn-session': 'the-session-of-ann' };
const KEY = { JINN_MCP_APPROVAL_KEY: 'a-key-of-several-servers' };

/** Starts two servers of one workspace, each with a home of its own. */
async function serveTwo({ team, variables }: { team: object; variables: object }) {
  const [place, root] = [makeTempDirectory(), makeTempDirectory()];
  makeTree(place, { tokens: 'ann:the-token-of-ann\n', 'team.json': JSON.stringify(team) });
  const files = ['--token-file', `${place}/tokens`, '--team', `${place}/team.json`];
  const start = async () => {
    const port = await findPort();
    const args = ['--sandbox', 'off', '--root', root, ...files];
    const { url } = await listen({ args, variables, address: `127.0.0.1:${port}` });
    return { url, name: `${os.hostname()}:${port}` };
  };
  return Promise.all([start(), start()]);
}

async function ask(url: URL, method: string, params: object) {
  const { headers, body } = toStatelessRequest(method, params as { name?: string });
  const response = await fetch(url, { method: 'POST', headers: { ...headers, ...HEADERS }, body });
  return response.text();
}

const run = (url: URL, args: object) => ask(url, 'tools/call', { name: 'run_shell', arguments: args });
const readKept = (url: URL, file: string, uri = `jinn://results/${file}`) =>
  ask(url, 'resources/read', { uri, name: uri });

test.skipIf(postgres === undefined).for(['an approval key', 'a database'])(
  'with %s, a server says of a job and of a kept answer that another server has it',
  async (shared) => {
    const database = shared === 'a database' && { url: startPostgres(postgres as string).url, workspace: 'shop' };
    const [here, there] = await serveTwo(
      database ? { team: { database }, variables: {} } : { team: {}, variables: KEY },
    );
    const job = `job-1@${here.name}`;
    expect(await run(here.url, { command: 'echo up; sleep 60', background: true })).toContain(`started ${job}]`);
    for (const action of ['output', 'kill']) {
      const elsewhere = `not_found: ${job} is on the server ${here.name}, and this is ${there.name}`;
      expect(await run(there.url, { job, action })).toContain(elsewhere);
    }
    expect(await run(there.url, { action: 'list' })).toContain(`no background jobs on this server, ${there.name}`);
    await expect.poll(() => run(here.url, { job, action: 'output' })).toContain('up');
    expect(await run(here.url, { job, action: 'kill' })).toContain('SIGTERM');

    const long = await run(here.url, { command: 'seq 1 90000' });
    const [, name = ''] = /outputs\/[^/]+\/([\w.-]+\.log)/.exec(long) ?? [];
    expect(await readKept(here.url, name)).toContain('1\\n2\\n3');
    expect(await readKept(there.url, name)).toMatch(/Resource not found: .* on the server that gave it/);
  },
);

test('one server alone names no server in its jobs', async () => {
  const [{ url }] = (await serveTwo({ team: {}, variables: {} })) as [{ url: URL }, unknown];
  expect(await run(url, { command: 'sleep 60', background: true })).toContain('started job-1]');
  expect(await run(url, { job: 'job-2@x:1' })).toContain('no such job: job-2@x:1');
});
