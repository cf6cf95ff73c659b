import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { findPostgres, makeTempDirectory, makeTree, startPostgres } from '@jinn/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { PROGRAM } from '../fixture/connect.ts';
import { INFO, listen } from '../fixture/listen.ts';

const bin = findPostgres();
const REMOVE = { name: 'run_shell', arguments: { command: 'rm -rf src' } };
const TOKENS = 'ann:the-token-of-ann\nbob:the-token-of-bob\n';

/** Connects a person's host, which gives answers by hand, and may ask the person or not. */
async function connect(url: URL, person: string, capabilities: object = { elicitation: { form: {} } }) {
  const headers = { Authorization: `Bearer the-token-of-${person}` };
  const client = new Client(INFO, {
    capabilities,
    inputRequired: { autoFulfill: false },
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  const call = async (more: object = {}) => {
    const result = await client.callTool({ ...REMOVE, ...more }, { allowInputRequired: true });
    const { requestState, isError, content } = result as { requestState?: string; isError?: boolean; content?: object };
    return { requestState, isError, text: JSON.stringify(content) };
  };
  return {
    call,
    answer: (requestState: unknown, content: object) =>
      call({ requestState, inputResponses: { approval: { action: 'accept', content } } }),
  };
}

/** Starts two servers of one workspace, each with a home of its own, and a database that both share. */
async function serveTwo() {
  const postgres = startPostgres(bin as string);
  const [place, root] = [makeTempDirectory(), makeTempDirectory()];
  const team = `${place}/team.json`;
  makeTree(place, {
    tokens: TOKENS,
    'team.json': JSON.stringify({ database: { url: postgres.url, workspace: 'shop' } }),
  });
  makeTree(root, { 'src/a.txt': 'one' });
  const args = ['--sandbox', 'off', '--root', root, '--token-file', `${place}/tokens`, '--team', team];
  const variables = { JINN_MCP_APPROVAL_KEY: 'a-key-of-several-servers' };
  const start = () => listen({ args, variables });
  const [{ url: one, server }, { url: other }] = [await start(), await start()];
  const grants = (...more: string[]) => {
    const env = { PATH: process.env['PATH'], HOME: makeTempDirectory() };
    const given = [PROGRAM, 'grants', ...more, '--root', root, '--team', team];
    return spawnSync(process.execPath, given, { env, encoding: 'utf8' }).stdout;
  };
  return { one, other, root, grants, postgres, log: server.log };
}

test.skipIf(bin === undefined)(
  'an answer counts once on whichever server, and for good on all, for its person',
  async () => {
    const { one, other, root, grants } = await serveTwo();
    const [here, there] = [await connect(one, 'ann'), await connect(other, 'ann')];
    const { requestState } = await here.call();
    expect((await there.answer(requestState, { decision: 'Allow once' })).isError).toBeFalsy();
    expect(fs.existsSync(`${root}/src`)).toBe(false);
    makeTree(root, { 'src/a.txt': 'one' });
    expect((await here.answer(requestState, { decision: 'Allow once' })).text).toContain('was used before');
    const again = await there.call();
    expect((await here.answer(again.requestState, { decision: 'Always allow…' })).isError).toBeFalsy();
    makeTree(root, { 'src/a.txt': 'one' });
    expect((await there.call()).isError).toBeFalsy();
    expect(fs.existsSync(`${root}/src`)).toBe(false);
    expect((await (await connect(one, 'bob', {})).call()).text).toContain('this call needs user approval');
    expect(grants('--person', 'ann')).toContain('rm -rf src');
    expect(grants('--person', 'bob')).toBe('there are no saved approvals here\n');
    expect(grants('revoke', '--all', '--person', 'ann')).toMatch(/^revoked 1 approval\n/);
    expect((await there.call()).requestState).toBeDefined();
  },
);

test.skipIf(bin === undefined)(
  'while the database is away an answer does not count, and other calls go on',
  async () => {
    const { one, root, postgres, log } = await serveTwo();
    const ann = await connect(one, 'ann');
    const { requestState } = await ann.call();
    postgres.stop();
    const refused = await ann.answer(requestState, { decision: 'Allow once' });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('database does not answer') });
    expect(fs.existsSync(`${root}/src`)).toBe(true);
    const read = await ann.call({ name: 'read_file', arguments: { path: 'src/a.txt' } });
    expect(read.text).toContain('one');
    postgres.start();
    const again = await ann.call();
    expect((await ann.answer(again.requestState, { decision: 'Allow once' })).isError).toBeFalsy();
    expect(fs.existsSync(`${root}/src`)).toBe(false);
    // A connection that was lost while nobody used it is no failure.
    expect(log()).not.toMatch(/\n +at /);
  },
);
