import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { connectNew, connectOld } from './fixture/connect-here.ts';
import { connectOldHttp, listen } from './fixture/listen.ts';

function makeRoots() {
  const base = fs.realpathSync(makeTempDirectory());
  makeTree(base, {
    'one/a.txt': 'first\n',
    'one/sub/a.txt': 'below\n',
    'two/a.txt': 'second\n',
    'three/a.txt': 'third\n',
    'one/.git/config': '',
  });
  return base;
}

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

// biome-ignore lint/suspicious/noExplicitAny: the clients of both lines
const reader = (client: any) => async (path: string, root?: unknown) => {
  const args = { path, line_numbers: false, ...(root !== undefined && { root }) };
  const { isError, content } = (await client.callTool({ name: 'read_file', arguments: args })) as Answer;
  const text = content[0]?.text ?? '';
  return isError ? text : (text.split('\n')[0] ?? '');
};

test.for([
  ['by handshake', connectOld],
  ['stateless', connectNew],
] as const)('%s: a call may choose one of several roots, and no other directory', async ([, connectTo]) => {
  const base = makeRoots();
  const { client, connect } = await connectTo({ cwd: base, args: ['--root', 'one', '--root', 'two'] });
  await connect();
  const read = reader(client);
  expect([await read('a.txt'), await read('a.txt', 'two'), await read('a.txt', `${base}/two`)]).toEqual([
    'first',
    'second',
    'second',
  ]);
  for (const root of ['three', `${base}/three`, base, `${base}/one/.git`, `${base}/one/sub`, '..', '/']) {
    expect(await read('a.txt', root)).toMatch(
      /^path_outside_sandbox: .* is not a root of this server\nthe roots are one, two$/,
    );
  }
  expect(await read('a.txt', 7)).toMatch(/^invalid_args: root must be a string/);
  const { tools } = await client.listTools();
  for (const { inputSchema } of tools) expect(inputSchema.properties).toHaveProperty('root');
  expect(client.getInstructions()).toContain(`${base}/two`);
});

test('a file of one root is not stale because a file of another one has its path', async () => {
  const base = makeRoots();
  const { client, connect } = await connectOld({ cwd: base, args: ['--root', 'one', '--root', 'two'] });
  await connect();
  const read = reader(client);
  await read('a.txt');
  await read('a.txt', 'two');
  for (const root of [undefined, 'two']) {
    const { isError } = await client.callTool({ name: 'write_file', arguments: { path: 'a.txt', content: 'x', root } });
    expect(isError).toBeFalsy();
  }
  expect(fs.readFileSync(`${base}/two/a.txt`, 'utf8')).toBe('x');
});

test('a name that two roots have chooses neither', async () => {
  const base = fs.realpathSync(makeTempDirectory());
  makeTree(base, { 'x/app/a.txt': 'first\n', 'y/app/a.txt': 'second\n' });
  const { client, connect } = await connectOld({ cwd: base, args: ['--root', 'x/app', '--root', 'y/app'] });
  await connect();
  const read = reader(client);
  expect(await read('a.txt', 'app')).toBe(
    'path_outside_sandbox: blocked: app is not a root of this server\nthe roots are x/app, y/app',
  );
  expect([await read('a.txt', 'x/app'), await read('a.txt', 'y/app')]).toEqual(['first', 'second']);
  for (const root of ['', 'pp', '/app', './x/app', 'x/app/'])
    expect(await read('a.txt', root)).toMatch(/^path_outside/);
  expect(await read('a.txt', `${base}/y/app`)).toBe('second');
});

test('more than 64 roots are not opened in one process', async () => {
  const base = fs.realpathSync(makeTempDirectory());
  const names = Array.from({ length: 66 }, (_, i) => `root-${i}`);
  makeTree(base, Object.fromEntries(names.map((name) => [`${name}/a.txt`, `${name}\n`])));
  const { client, connect } = await connectOld({ cwd: base, args: names.flatMap((name) => ['--root', name]) });
  await connect();
  const read = reader(client);
  const texts: string[] = [];
  for (const name of names) texts.push(await read('a.txt', name));
  expect(texts.slice(0, 64)).toEqual(names.slice(0, 64));
  for (const text of texts.slice(64)) expect(text).toMatch(/^resource_limit: more than 64 roots are open/);
  expect(await read('a.txt', 'root-63')).toBe('root-63');
});

test('a git worktree is a root if the operator allows worktrees', async () => {
  const base = makeRoots();
  fs.rmSync(`${base}/one/.git`, { recursive: true });
  const git = (...args: string[]) => execFileSync('git', ['-C', `${base}/one`, ...args], { stdio: 'pipe' });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'one');
  git('worktree', 'add', '-q', `${base}/beside`);
  fs.writeFileSync(`${base}/beside/a.txt`, 'of the worktree\n');
  const readFrom = async (...args: string[]) => {
    const { client, connect } = await connectOld({ cwd: base, args: ['--root', 'one', ...args] });
    await connect();
    return reader(client);
  };
  const read = await readFrom('--worktrees');
  expect([await read('a.txt', `${base}/beside`), await read('a.txt', 'beside'), await read('a.txt')]).toEqual([
    'of the worktree',
    'of the worktree',
    'first',
  ]);
  expect(await read('a.txt', `${base}/two`)).toMatch(/^path_outside_sandbox/);
  expect(await (await readFrom())('a.txt', `${base}/beside`)).toMatch(/^path_outside_sandbox/);
});

/** Connects over stdio with a client that has these directories open. */
async function openWith(cwd: string, args: readonly string[], directories: string[]) {
  const { client, connect } = await connectOld({ cwd, args }, { roots: { listChanged: true } });
  const { ListRootsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const opened = { directories };
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: opened.directories.map((name) => ({ uri: name.startsWith('https:') ? name : pathToFileURL(name).href })),
  }));
  await connect();
  return { opened, client, read: reader(client) };
}

test('the directory that the client has open takes the place of the root that it lies in, and follows it', async () => {
  const base = makeRoots();
  const { opened, client, read } = await openWith(base, ['--root', 'one'], [`${base}/one/sub`]);
  expect(await read('a.txt')).toBe('below');
  opened.directories = [`${base}/one`];
  expect(await read('a.txt')).toBe('below');
  await client.sendRootsListChanged();
  expect(await read('a.txt')).toBe('first');
});

test.each([
  ['a directory above', ['.']],
  ['another directory', ['three']],
  ['a secret directory', ['one/.git']],
  ['several below it', ['one/sub', 'one/other']],
  ['an address on the web', ['https://example.org/one/sub']],
  ['nothing', []],
])('the client cannot make the root wider, nor open what is secret: %s', async (_, opened) => {
  const base = makeRoots();
  fs.mkdirSync(`${base}/one/other`);
  const { read } = await openWith(
    base,
    ['--root', 'one'],
    opened.map((name) => (name.startsWith('https:') ? name : `${base}/${name}`)),
  );
  expect(await read('a.txt')).toBe('first');
});

test('of several roots, those that the client has open come first', async () => {
  const base = makeRoots();
  const { read } = await openWith(base, ['--root', 'one', '--root', 'two'], [`${base}/two`]);
  expect([await read('a.txt'), await read('a.txt', 'one')]).toEqual(['second', 'first']);
});

test('the first 200 roots of a client count', async () => {
  const base = makeRoots();
  const others = Array.from({ length: 200 }, (_, i) => `${base}/nowhere${i}`);
  const readIn = async (open: string[]) =>
    (await openWith(base, ['--root', 'one', '--root', 'two'], open)).read('a.txt');
  expect([await readIn([...others.slice(1), `${base}/two`]), await readIn([...others, `${base}/two`])]).toEqual([
    'second',
    'first',
  ]);
});

test('a client over HTTP is asked for its directories too', async () => {
  const { url, cwd } = await listen();
  makeTree(cwd, { 'sub/a.txt': 'below\n' });
  const { client, connect } = await connectOldHttp(url, { capabilities: { roots: {} } });
  const { ListRootsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(`${cwd}/sub`).href }] }));
  await connect();
  expect(await reader(client)('a.txt')).toBe('below');
});

test('the log has an error that happens outside of the tool', async () => {
  const base = makeRoots();
  const { client, connect, failures } = await connectNew({ cwd: base, args: ['--root', 'one', '--root', 'two'] });
  await connect();
  fs.rmSync(`${base}/two`, { recursive: true });
  expect(await reader(client)('a.txt', 'two')).toContain('the tool failed inside (the log of jinn has the details)');
  expect(failures).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
});
