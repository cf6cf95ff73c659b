import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { connect } from 'node:net';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { ANSWER, gone, makeScene, OK, QUERY, SYMBOLS } from '../fixture/background-scene.ts';

test('a second request is answered by the server that the first one has started', async () => {
  const { ask, background, requests, run, servers } = makeScene();
  expect(await ask()).toMatchObject(OK);
  const [first] = background();
  expect(await ask()).toMatchObject(OK);
  expect(background()).toEqual([first]);
  expect([requests('"initialize"'), requests(SYMBOLS)]).toEqual([1, 2]);
  expect(await run('', ['lsp', 'stop'])).toBe('ended 1 background process\n');
  expect([background(), servers()]).toEqual([[], []]);
  expect(await run('', ['lsp', 'stop'])).toBe('ended 0 background processes\n');
});

const WHOLE_NAME = { start: { line: 0, character: 13 }, end: { line: 0, character: 16 } };
const PLACE = { uri: 'file:///a.ts', range: WHOLE_NAME };
const SYMBOL_TOOLS: readonly [string, object, method: string][] = [
  ['find_references', { name_path: 'one' }, 'textDocument/references'],
  ['goto_definition', { line: 1 }, 'textDocument/definition'],
  ['hover', { line: 1 }, 'textDocument/hover'],
  ['symbol_diagnostics', {}, 'textDocument/diagnostic'],
];

test.for(SYMBOL_TOOLS)('%s is answered there, too', async ([tool, args, method]) => {
  const { background, call, requests } = makeScene({
    on: {
      'textDocument/references': [{ result: [PLACE] }],
      'textDocument/definition': [{ result: PLACE }],
      'textDocument/hover': [{ result: { contents: 'one is a number' } }],
      'textDocument/diagnostic': [{ result: { kind: 'full', items: [] } }],
    },
  });
  const ask = () => call(tool, { path: 'a.ts', ...args }, ['--toolset', 'symbols']);
  const [first, second] = [await ask(), await ask()];
  expect([first, second]).toMatchObject([
    { ok: true, meta: { server: 'scripted' } },
    { ok: true, meta: { server: 'scripted' } },
  ]);
  expect([requests('"initialize"'), requests(method)]).toEqual([1, 2]);
  expect(background()).toHaveLength(1);
});

test('nothing is started for a file that no server may answer for', async () => {
  const { background, call, home } = makeScene({ isMissing: true });
  expect(await call('hover', { path: 'a.ts', line: 1 }, ['--toolset', 'symbols'])).toMatchObject({
    ok: true,
    meta: { textual: true },
  });
  expect(await call('lsp_query', { action: 'symbols', path: 'a.ts' })).toMatchObject({
    ok: true,
    meta: { by: 'text' },
  });
  expect(background()).toEqual([]);
  expect(fs.readdirSync(`${home}/jinn/servers`).filter((name) => name.endsWith('.sock'))).toEqual([]);
});

test('nothing is started for settings that are at fault, and the call says what is wrong', async () => {
  const { ask, background, home } = makeScene();
  makeTree(home, { 'jinn/config.json': '{"lsp":{},"lsp":{}}' });
  expect(await ask()).toMatchObject({ ok: false, error: expect.stringContaining('duplicate key "lsp"') });
  expect(background()).toEqual([]);
});

test('a file that was changed in between is shown as it is', async () => {
  const { ask, root, requests } = makeScene();
  await ask();
  makeTree(root, { 'a.x': 'one two\n' });
  expect(await ask()).toMatchObject(OK);
  expect(requests('one two')).toBeGreaterThan(0);
});

test('two callers at once share one process and one server', async () => {
  const { ask, background, requests } = makeScene();
  expect(await Promise.all([ask(), ask(), ask()])).toMatchObject([OK, OK, OK]);
  await expect.poll(background).toHaveLength(1);
  expect(requests('"initialize"')).toBe(1);
});

test('kill -9 of the process ends its servers, and the next caller starts another at the socket that is left', async () => {
  const { ask, background, servers, socket } = makeScene();
  await ask();
  const [first = 0] = background();
  process.kill(first, 'SIGKILL');
  await gone(servers);
  expect(fs.existsSync(socket())).toBe(true);
  expect(await Promise.all([ask(), ask()])).toMatchObject([OK, OK]);
  await expect.poll(background).toHaveLength(1);
  expect(background()).not.toEqual([first]);
});

test('a process that has ended is not waited for', async () => {
  const timeOf = async ({ ask }: ReturnType<typeof makeScene>) => {
    const startedAt = performance.now();
    expect(await ask()).toMatchObject(OK);
    return performance.now() - startedAt;
  };
  const usual = await timeOf(makeScene());
  const scene = makeScene();
  const rest = fs.readFileSync(scene.program, 'utf8');
  fs.writeFileSync(scene.program, `if (process.argv.includes('background')) process.exit(0);\n${rest}`);
  // A process that runs may take 10 seconds to listen.
  expect(await timeOf(scene)).toBeLessThan(5_000 + 3 * usual);
});

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
/** What happens to a process that gives a file one more name. */
const atLink = (fault: string) =>
  ['strace', '-f', '-o', '/dev/null', '-e', 'trace=?link,?linkat', '-e', `inject=?link,?linkat:${fault}`] as const;

test.runIf(canTrace)('where a socket cannot have two names, the process listens at the one', async () => {
  const { ask, background, requests, run, start } = makeScene();
  await ask(); // The word of the user is there by now.
  for (const [n, end] of [
    () => run('', ['lsp', 'stop']),
    () => process.kill(background()[0] ?? expect.fail('it has ended'), 'SIGKILL'),
  ].entries()) {
    await end();
    await gone(background);
    const caller = start([], undefined, atLink('error=EPERM'));
    caller.stdin.end(`${JSON.stringify(QUERY)}\n`);
    const [line] = await once(caller.stdout, 'data');
    expect(JSON.parse(line)).toMatchObject(OK);
    const [pid] = background();
    expect(await ask()).toMatchObject(OK);
    expect([pid, background()]).toEqual([expect.any(Number), [pid]]);
    expect(requests('"initialize"')).toBe(n + 2);
  }
});

test.runIf(canTrace)('what a process has left that ended before its socket had its name is removed', async () => {
  const { ask, files, run, start } = makeScene();
  await ask();
  await run('', ['lsp', 'stop']);
  const caller = start([], undefined, atLink('signal=SIGKILL'));
  caller.stdin.end(`${JSON.stringify(QUERY)}\n`);
  const [line] = await once(caller.stdout, 'data');
  expect(JSON.parse(line)).toMatchObject(OK);
  expect(files()).toHaveLength(2);
  expect(await run('', ['lsp', 'stop'])).toBe('ended 0 background processes\n');
  expect(files()).toEqual([expect.stringMatching(/token$/)]);
});

test('kill -9 of the process amid a call lets the caller start another', async () => {
  const slow = { [SYMBOLS]: [{ later: 2_500, action: { result: ANSWER } }] };
  const { ask, background, requests } = makeScene({ on: slow });
  const answer = ask();
  await expect.poll(() => requests(SYMBOLS)).toBe(1);
  process.kill(background()[0] ?? expect.fail('it has ended'), 'SIGKILL');
  expect(await answer).toMatchObject(OK);
  expect([requests('"initialize"'), requests(SYMBOLS)]).toEqual([2, 2]);
});

test('kill -9 of a caller cancels its call, and the server goes on', async () => {
  const { ask, background, requests, start } = makeScene({ on: { [SYMBOLS]: [[], [{ result: ANSWER }]] } });
  const caller = start();
  caller.stdin.end(`${JSON.stringify(QUERY)}\n`);
  await expect.poll(() => requests(SYMBOLS)).toBe(1);
  caller.kill('SIGKILL');
  await expect.poll(() => requests('$/cancelRequest')).toBe(1);
  expect(await ask()).toMatchObject(OK);
  expect(background()).toHaveLength(1);
  expect(requests('"initialize"')).toBe(1);
});

test('a caller that does not know the word of the user is told nothing', async () => {
  const { ask, files, requests, socket } = makeScene();
  await ask();
  const tell = async (greeting: string) => {
    const caller = connect(socket());
    caller.write(`${greeting}\n${JSON.stringify(QUERY)}\n`);
    setTimeout(() => caller.destroy(), 2_000).unref();
    return Buffer.concat(await caller.toArray().catch(() => [Buffer.from('it waits')])).toString();
  };
  const word = fs.readFileSync(files().find((name) => name.endsWith('/token')) ?? '', 'latin1');
  expect(word).toMatch(/^[0-9a-f]{64}$/);
  expect(await tell(`${'0'.repeat(64)} ask`)).toBe('');
  expect(await tell(' ask')).toBe('');
  expect(await tell('x'.repeat(300))).toBe('');
  expect(requests(SYMBOLS)).toBe(1);
});

test.runIf(process.getuid?.() === 0)('another user reaches neither the socket nor the word', async () => {
  const { ask, files } = makeScene();
  await ask();
  for (const file of files()) {
    const look = `try { require('fs').readFileSync(${JSON.stringify(file)}) } catch (error) { console.log(error.code) }
      require('net').connect(${JSON.stringify(file)}).on('error', ({ code }) => console.log(code))`;
    const said = execFileSync(process.execPath, ['-e', look], { uid: 65_534, gid: 65_534, cwd: '/', encoding: 'utf8' });
    expect(said).toBe('EACCES\nEACCES\n');
  }
});

test('a directory that others may enter is not used', async () => {
  const { ask, background, home, servers } = makeScene();
  makeTree(home, { 'jinn/servers/x': '' });
  fs.chmodSync(`${home}/jinn/servers`, 0o755);
  expect(await ask()).toMatchObject(OK);
  expect([background(), servers()]).toEqual([[], []]);
});

test.runIf(process.getuid?.() === 0)('a directory of another user is not used', async () => {
  const { ask, background, home } = makeScene();
  makeTree(home, { 'jinn/servers/x': '' });
  fs.chmodSync(`${home}/jinn/servers`, 0o700);
  fs.chownSync(`${home}/jinn/servers`, 65_534, 65_534);
  expect(await ask()).toMatchObject(OK);
  expect(background()).toEqual([]);
});

test('the setting turns it off', async () => {
  const { ask, background, servers } = makeScene({ lsp: { background: false } });
  expect(await ask()).toMatchObject(OK);
  expect([background(), servers()]).toEqual([[], []]);
});

test('it ends when its server was not used for the time of the settings', async () => {
  const { ask, background, servers, files } = makeScene({ lsp: { idle_minutes: 0.05 } });
  await ask();
  expect(background()).toHaveLength(1);
  await gone(background);
  expect([servers(), files().filter((name) => name.endsWith('.sock'))]).toEqual([[], []]);
});

test('it ends with its workspace, and another one at the same path has its own', async () => {
  const { ask, background, root, servers } = makeScene();
  await ask();
  const [first] = background();
  fs.renameSync(root, `${root}-old`);
  makeTree(root, { 'a.x': 'one\n' });
  expect(await ask()).toMatchObject(OK);
  await expect.poll(background).toHaveLength(1);
  expect(background()).not.toEqual([first]);
  fs.rmSync(root, { recursive: true });
  await gone(background);
  expect(servers()).toEqual([]);
});

test.for(['program', 'settings'] as const)('it ends at a change of its %s', async (what) => {
  const { ask, background, configure, program } = makeScene();
  await ask();
  const [first] = background();
  if (what === 'program') fs.appendFileSync(program, '\n');
  else configure({ idle_minutes: 5 });
  expect(await ask()).toMatchObject(OK);
  await expect.poll(background).toHaveLength(1);
  expect(background()).not.toEqual([first]);
});

test('each workspace has its own', async () => {
  const { ask, background } = makeScene();
  const other = makeTempDirectory();
  makeTree(other, { 'a.x': 'one\n', 'b.x': '' });
  await ask();
  expect(await ask(other)).toMatchObject(OK);
  expect(background()).toHaveLength(2);
});

test('a session, several requests and a change run in their own process', async () => {
  const { background, run, start } = makeScene();
  const request = `${JSON.stringify(QUERY)}\n`;
  expect((await run(request + request)).trim().split('\n')).toHaveLength(2);
  const session = start();
  session.stdin.write(request);
  await once(session.stdout, 'data');
  session.stdin.end();
  for (const apply of [true, 'true'])
    await run(`${JSON.stringify({ ...QUERY, args: { ...QUERY.args, action: 'format', apply } })}\n`);
  await run(`${JSON.stringify({ tool: 'list_symbols', args: { path: 'a.ts' } })}\n`, ['--toolset', 'symbols']);
  expect(background()).toEqual([]);
});
