import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { connectOld as connectProgram, PROGRAM } from './fixture/connect.ts';
import { connectOld } from './fixture/connect-here.ts';
import { parseOptions } from './options.ts';

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
    input: '',
    timeout: 30_000,
  });
  return { status, stdout, stderr };
}

const serve = (...args: string[]) => open(connectOld, args);

async function open(connectTo: typeof connectProgram | typeof connectOld, args: readonly string[]) {
  const cwd = makeTempDirectory();
  makeTree(cwd, { 'a.txt': 'one\n', 'deep/b.txt': 'two\n' });
  const { client, connect } = await connectTo({ cwd, args });
  await connect();
  const call = (name: string, given: Record<string, unknown>) => client.callTool({ name, arguments: given });
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  return { cwd, client, call, names };
}

test('--version and --help print, and end well', () => {
  for (const flag of ['--version', '-v']) {
    expect(run(flag)).toEqual({ status: 0, stdout: `${packageJson.version}\n`, stderr: '' });
  }
  const { status, stdout } = run('--help');
  for (const word of ['-h', 'help']) expect(run(word)).toEqual({ status, stdout, stderr: '' });
  expect(status).toBe(0);
  for (const words of [
    ['help', 'install'],
    ['install', '-h'],
    ['install', 'codex', '--help'],
  ])
    expect(run(...words).stdout).toMatch(/^usage: jinn-mcp install HOST/);
  for (const flag of ['root', 'toolset', 'tools', 'exclude-tools', 'read-only', 'sandbox', 'http', 'log-file']) {
    expect(stdout).toContain(`--${flag} `);
  }
});

test('warns of a token that every user can read', () => {
  const file = `${makeTempDirectory()}/token`;
  fs.writeFileSync(file, 'short', { mode: 0o640 });
  expect(run('--http', '0', '--token-file', file).stderr).toMatch(/^jinn-mcp: --token-file: line 1 is no token/);
  fs.chmodSync(file, 0o644);
  expect(run('--http', '0', '--token-file', file).stderr).toContain(
    `every user can read ${file}: close it with chmod 600`,
  );
});

test.each([
  [['--nope'], "Unknown option '--nope'"],
  [['--tools', 'raed_file'], 'unknown tool: raed_file; did you mean read_file?'],
  [['--toolset', 'nope'], 'unknown toolset: nope; the toolsets are: jinn'],
  [['--exclude-tools', 'read_file,zzzzzzzz'], 'unknown tool: zzzzzzzz; the tools are: '],
  [['--root', `${PROGRAM}/nope`], 'nope is not a directory'],
  [['--log-file', '/nowhere/x'], '--log-file: /nowhere/x or its directory is not there'],
  [['--log-file', '/'], '--log-file: / is a directory'],
  [['--http', '0', '--token-file', '/'], '--token-file: / is a directory'],
  [['--http', '0', '--token-file', '/nowhere/x'], '--token-file: /nowhere/x or its directory is not there'],
  [['completion', 'csh'], 'completion takes bash, zsh, fish, not "csh"'],
])('refuses %j with status 2 and a line', (args, message) => {
  const { status, stdout, stderr } = run(...args);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^jinn-mcp: /);
  expect(stderr).toContain(message);
});

test.each([
  [['--rot', '.'], "Unknown option '--rot'; did you mean --root?"],
  [['instal', 'codex'], "Unknown command 'instal'; did you mean install?"],
  [['help', 'instal'], "Unknown command 'instal'; did you mean install?"],
  [['install'], 'install: name a host'],
  [['install', 'codex', '--prnt'], "Unknown option '--prnt'; did you mean --print?"],
  [['uninstall', 'codex', 'zed'], 'uninstall: "zed" is one word too many'],
  [['--max-result', '60x'], '--max-result takes a whole number of KB, 2 or more, not "60x"'],
  [['--http', 'a:b:c'], '--http takes HOST:PORT, not "a:b:c"'],
  [['--log-args', 'some'], '--log-args takes '],
  [['extra'], "Unknown command 'extra'"],
  [['--sandbox', 'sometimes'], '--sandbox takes off, auto, require, not "sometimes"'],
  [['--dangerous', 'force'], '--dangerous takes ask, allow, deny, not "force"'],
  [['--http', '0', '--allow-origin', '*'], '--allow-origin: * is no origin, such as https://example.com'],
  [['--http', '0', '--allow-origin', 'example.com'], '--allow-origin: example.com is no origin'],
  [['--http', '0', '--allow-origin', 'https://Example.com'], '--allow-origin: https://Example.com is no origin'],
  [['--http', '0', '--allow-origin', 'https://example.com/path'], 'is no origin'],
  [['--http', '0', '--allow-host', '*'], '--allow-host: * is not a host'],
  [['--http', '0', '--allow-host', 'example.com:80'], '--allow-host: example.com:80 is not a host'],
  [['--max-result', '0'], '--max-result takes a whole number of KB, 2 or more'],
  [['--token-file', 'x'], 'are for --http'],
])('takes no command line %j', (args, message) => {
  expect(() => parseOptions(args, '1')).toThrow(message);
});

test.each([
  [['--tools', 'read_file,,list_dir'], 'a name is empty'],
  [['--toolset', 'jinn', '--toolset', 'codescout'], 'the toolsets jinn and codescout both have a tool named '],
  [['--root', PROGRAM], 'is not a directory'],
])('does not serve with %j', async (args, message) => {
  await expect(serve(...args)).rejects.toThrow(message);
});

test('--root is where paths begin and end', async () => {
  const { call } = await serve('--root', 'deep');
  expect(await call('read_file', { path: 'b.txt', line_numbers: false })).toMatchObject({
    content: [{ text: expect.stringMatching(/^two\n$/) }],
  });
  expect(await call('read_file', { path: '../a.txt' })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^path_outside_sandbox: /) }],
  });
});

test('--read-only lists nothing that writes or executes, calls none of it, and tells of none', async () => {
  const { call, client, names, cwd } = await serve('--read-only');
  expect(await names()).toEqual(expect.arrayContaining(['read_file', 'list_dir', 'list_tools']));
  const { tools } = await client.listTools();
  expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
  await expect(call('write_file', { path: 'new.txt', content: 'x' })).rejects.toThrow('Unknown tool: write_file');
  expect(fs.existsSync(`${cwd}/new.txt`)).toBe(false);
  const { content } = await call('list_tools', {});
  expect(JSON.stringify(content)).not.toMatch(/write_file|edit_file|execute/);
});

test('--visualize adds what a person may be shown, apart from what the model reads', async () => {
  const edit = { path: 'a.txt', content: 'two\n' };
  const visualization = { type: 'diff', path: 'a.txt', additions: 1, deletions: 1 };
  const shows = await serve('--visualize');
  const shown = await shows.call('write_file', edit);
  expect(shown).toMatchObject({
    content: [{ text: expect.stringContaining('wrote 4 bytes to a.txt') }],
    _meta: { jinn: { visualization } },
  });
  const hides = await serve();
  expect(JSON.stringify(await hides.call('write_file', edit))).not.toContain('visualization');
});

test('--tools and --exclude-tools choose among the tools, in the order that these have', async () => {
  expect(await (await serve('--tools', 'list_dir,read_file,edit_file')).names()).toEqual([
    'read_file',
    'edit_file',
    'list_dir',
  ]);
  const { names, call } = await serve('--tools', 'list_dir,read_file', '--exclude-tools', 'read_file');
  expect(await names()).toEqual(['list_dir']);
  await expect(call('read_file', { path: 'a.txt' })).rejects.toThrow('Unknown tool');
});

test('a flag that is repeated adds to its list, and a name that is repeated counts once', async () => {
  const { names } = await serve(
    '--toolset',
    'jinn,jinn',
    '--toolset',
    'jinn',
    '--tools',
    'list_dir',
    '--tools',
    'undo',
  );
  expect(await names()).toEqual(['list_dir', 'undo']);
  const excluded = await serve('--exclude-tools', 'run_shell', '--exclude-tools', 'read_file', '--toolset', 'jinn');
  expect(await excluded.names()).not.toEqual(expect.arrayContaining(['run_shell']));
  expect(await excluded.names()).not.toEqual(expect.arrayContaining(['read_file']));
  const only = await serve('--toolset', 'jinni,jinni');
  expect(only.client.getServerVersion()?.name).toBe('jinni');
});

test('a log that is large gives place to a new one', async () => {
  const file = `${makeTempDirectory()}/mcp.log`;
  fs.writeFileSync(file, 'x'.repeat(11 * 1024 * 1024));
  const { call, client } = await open(connectProgram, ['--log-file', file]);
  await call('read_file', { path: 'a.txt' });
  await client.close();
  expect([fs.statSync(`${file}.1`).size, JSON.parse(fs.readFileSync(file, 'utf8')).tool]).toEqual([
    11 * 1024 * 1024,
    'read_file',
  ]);
});

test('--log-file gets a line for each call, and with --log-args none no argument; nobody else may read it', async () => {
  const file = `${makeTempDirectory()}/mcp.log`;
  fs.writeFileSync(file, '', { mode: 0o644 });
  const { call, client } = await open(connectProgram, ['--log-file', file, '--log-args', 'none']);
  await call('read_file', { path: 'a.txt' });
  await call('stat_file', { path: 'very-secret-name' });
  await client.close();
  const lines = fs
    .readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { event: 'call', tool: 'read_file', ok: true, ms: expect.any(Number), time: expect.stringMatching(/Z$/) },
    { event: 'call', tool: 'stat_file', ok: false, code: 'file_not_found' },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/a\.txt|secret|one/);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

test.each([
  'https://example.com',
  'http://localhost:5173',
  'vscode-webview://0a1b',
  'chrome-extension://abcdef',
  'null',
])('takes the origin %s', (origin) => {
  expect(parseOptions(['--http', '0', '--allow-origin', origin], '1')).toMatchObject({
    options: { allowOrigin: [origin] },
  });
});
