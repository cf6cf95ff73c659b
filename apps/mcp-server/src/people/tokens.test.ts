import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { openTokenFile } from '@jinn/team/people/token-file';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { createLocks } from '@jinn/workspace';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test } from 'vitest';
import { PROGRAM } from '../fixture/connect.ts';
import { INFO, listen } from '../fixture/listen.ts';

/** Runs `jinn-mcp tokens`, in the state directory of a home of its own. */
function open() {
  const home = makeTempDirectory();
  const variables = { HOME: home, JINN_CONFIG_DIR: `${home}/config` };
  const file = `${home}/config/jinn/mcp-tokens`;
  const run = (...args: string[]) => {
    const env = { PATH: process.env['PATH'], ...variables };
    const { stdout, stderr, status } = spawnSync(process.execPath, [PROGRAM, 'tokens', ...args], {
      env,
      encoding: 'utf8',
    });
    return { stdout, stderr, status };
  };
  return { run, file, variables, create: (...args: string[]) => run('create', ...args).stdout.trim() };
}

async function connect(url: URL, token: string): Promise<Client> {
  const client = new Client(INFO);
  onTestFinished(() => client.close());
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }) as never);
  return client;
}

test('tokens are made and taken back while the server runs, and the file has hashes alone', async () => {
  const { create, run, file, variables } = open();
  const ann = create('--name', 'ann', '--scopes', 'read,write', '--expires', '90d');
  expect(ann).toMatch(/^jinn_[\w-]{43}$/);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(file, 'utf8')).not.toContain(ann.slice(5));
  const { url } = await listen({ variables });
  const client = await connect(url, ann);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect([names.includes('write_file'), names.includes('run_shell')]).toEqual([true, false]);
  await expect(client.callTool({ name: 'run_shell', arguments: { command: 'true' } })).rejects.toThrow('jinn:execute');
  const bob = create('--name', 'bob');
  const other = await connect(url, bob);
  expect((await other.callTool({ name: 'run_shell', arguments: { command: 'true' } })).isError).toBeUndefined();
  const [row] = JSON.parse(run('list', '--json').stdout);
  expect(row).toMatchObject({ name: 'ann', scopes: ['jinn:read', 'jinn:write'] });
  expect(run('list').stdout).toMatch(/^[\da-f]{12} {2}ann {2}jinn:read jinn:write {2}ends 20.*\n[\da-f]{12} {2}bob /);
  expect(run('revoke', row.id).stdout).toBe('revoked 1 token\n');
  await expect(client.listTools()).rejects.toThrow('not known here');
  expect((await other.listTools()).tools.length).toBeGreaterThan(0);
  expect(run('revoke', '--name', 'bob').stdout).toBe('revoked 1 token\n');
  await expect(other.listTools()).rejects.toThrow('not known here');
  expect(run('list').stdout).toContain('there are no tokens');
});

test('a line that is broken lets nobody in, and a file that is gone neither', async () => {
  const { create, run, file, variables } = open();
  const ann = create('--name', 'ann', '--expires', 'never');
  const bob = create('--name', 'bob', '--expires', 'never');
  const eve = create('--name', 'eve', '--expires', 'never');
  const { url, server } = await listen({ variables });
  const [client, ofBob, ofEve] = [await connect(url, ann), await connect(url, bob), await connect(url, eve)];
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('bob sha256:', 'bob sha265:'));
  await expect(ofBob.listTools()).rejects.toThrow('not known here');
  for (const other of [client, ofEve]) expect((await other.listTools()).tools.length).toBeGreaterThan(0);
  expect(server.log()).toContain('line 2 is no token');
  expect(run('list')).toMatchObject({
    stdout: expect.stringMatching(/^\S+ {2}ann .*\n\S+ {2}eve .*\n$/),
    stderr: expect.stringMatching(/^line 2 is no token: .*. No user can use it\n$/),
  });
  expect(run('revoke', '--name', 'eve').stdout).toBe('revoked 1 token\n');
  await expect(ofEve.listTools()).rejects.toThrow('not known here');
  expect(fs.readFileSync(file, 'utf8')).toMatch(/^ann sha256:.*\nbob sha265:.*\n$/);
  fs.rmSync(file);
  await expect(client.listTools()).rejects.toThrow('not known here');
});

test('tokens that a person wrote, and those that are made, stand in one file', async () => {
  const place = makeTempDirectory();
  makeTree(place, { tokens: '# people\nalice:the-token-of-alice\n' });
  fs.chmodSync(`${place}/tokens`, 0o644);
  const { create, run, variables } = open();
  const bob = create(
    '--token-file',
    `${place}/tokens`,
    '--name',
    'bob',
    '--scopes',
    'jinn:read',
    '--expires',
    '2999-01-01',
  );
  expect(fs.readFileSync(`${place}/tokens`, 'utf8')).toMatch(
    /^# people\nalice:the-token-of-alice\nbob sha256:[\da-f]{64} scopes=read expires=2999-01-01T00:00:00.000Z\n$/,
  );
  fs.chmodSync(`${place}/tokens`, 0o644);
  const { url, server } = await listen({ args: ['--token-file', `${place}/tokens`], variables });
  expect(server.log()).toContain('every user can read');
  for (const token of ['the-token-of-alice', bob]) await connect(url, token);
  expect(run('revoke', '--token-file', `${place}/tokens`, '--name', 'alice').stdout).toBe('revoked 1 token\n');
  expect(fs.readFileSync(`${place}/tokens`, 'utf8')).toMatch(/^# people\nbob sha256/);
});

test.each([
  [['create', '--name', 'a b'], '--name has 1 to 64'],
  [['create'], 'tokens create: name the user'],
  [['create', '--name', 'a', '--scopes', 'root'], 'there is no scope "root"'],
  [['create', '--name', 'a', '--expires', 'soon'], '"soon" is none'],
  [['create', '--name', 'a', '--expires', '2020-01-01'], '--expires: that is over'],
  [['revoke'], 'takes the id of a token, or --name'],
  [['revoke', 'x', '--name', 'a'], 'takes the id of a token, or --name'],
  [['revoke', '000000000000'], 'there is no such token'],
])('refuses %j', (args, message) => {
  const { run } = open();
  expect(run(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
});

test('a token without a name takes no others beside it, and a change that another one makes is waited for', async () => {
  const { run, variables } = open();
  const place = fs.realpathSync(makeTempDirectory());
  makeTree(place, { one: 'a-token-without-a-name\n', two: '' });
  const locks = createLocks(`${variables.JINN_CONFIG_DIR}/jinn/locks`);
  const request = { path: `${place}/two`, asked: 'two', clean: () => {} };
  const held = await locks.acquire([request], async () => undefined);
  expect(run('create', '--token-file', `${place}/one`, '--name', 'a').stderr).toContain('no other can join it');
  expect(run('create', '--token-file', `${place}/two`, '--name', 'a').stderr).toContain(
    'is being changed by another call',
  );
  expect(fs.readFileSync(`${place}/two`, 'utf8')).toBe('');
  held.get(request.path)?.release();
  expect(run('create', '--token-file', `${place}/two`, '--name', 'a').status).toBe(0);
  expect(fs.readdirSync(place).toSorted()).toEqual(['one', 'two']);
});

test('a token without a name is taken back, too', () => {
  const { run } = open();
  const place = makeTempDirectory();
  makeTree(place, { tokens: 'a-token-without-a-name\n' });
  const [id = ''] = run('list', '--token-file', `${place}/tokens`).stdout.split(' ');
  expect(run('revoke', id, '--token-file', `${place}/tokens`).stdout).toBe('revoked 1 token\n');
  expect(fs.readFileSync(`${place}/tokens`, 'utf8')).toBe('');
});

test('a file that the system refuses for a moment is read at the next request', () => {
  const place = makeTempDirectory();
  makeTree(place, { 'd/tokens': 'alice:the-token-of-alice\n' });
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  const source = openTokenFile(`${place}/d/tokens`, { onFailure, onChange: () => undefined });
  fs.renameSync(`${place}/d`, `${place}/e`);
  fs.writeFileSync(`${place}/d`, 'a file in the place of the directory');
  expect(source.current().map(({ person }) => person)).toEqual(['alice']);
  expect(failures).toHaveLength(1);
  fs.rmSync(`${place}/d`);
  fs.mkdirSync(`${place}/d`);
  fs.writeFileSync(`${place}/d/tokens`, 'bob:the-token-of-bob-x\n');
  expect(source.known().map(({ person }) => person)).toEqual(['alice']);
  expect(source.current().map(({ person }) => person)).toEqual(['bob']);
  expect(source.known().map(({ person }) => person)).toEqual(['bob']);
});

test('the settings of a team say where tokens are kept only if they have a database', () => {
  const { run } = open();
  const team = `${makeTempDirectory()}/team.json`;
  fs.writeFileSync(team, '{}');
  expect(run('list', '--team', team)).toMatchObject({
    status: 2,
    stderr: 'jinn-mcp: tokens: the file of --team has no database to keep tokens in\n',
  });
  expect(run('list', '--team', team, '--token-file', team)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('either --token-file or --team says where they are kept'),
  });
});
