import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { findPostgres, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test, vi } from 'vitest';
import { PROGRAM } from '../fixture/connect.ts';
import { serveTeam } from '../fixture/serve-team.ts';

const bin = findPostgres();
// Each waits several times for what is given up.
vi.setConfig({ testTimeout: 180_000 });
/** What the documentation says, and what a busy machine may add. */
const BOUND_MS = 7_000;
const SLACK_MS = 15_000;
const REMOVE = { command: 'rm -rf src' };
const PATCH = `*** Begin Patch
*** Update File: p.txt
@@
-one
+two
*** Add File: q.txt
+new
*** End Patch`;
const edit = (path: string) => ['edit_file', { path, old_text: 'one', new_text: 'two' }] as const;

test.skipIf(bin === undefined)('while the database hangs, what needs it is refused in time', async () => {
  const { postgres, relay, root, connect } = await serveTeam(bin as string);
  const ann = await connect();
  const files = { 'a.txt': 'one\n', 'm.txt': 'one\n', 'p.txt': 'one\n', 'u.txt': 'one\n', 'src/a.txt': 'one' };
  makeTree(root, files);
  await ann('memory', { action: 'save', key: 'k', value: 'v' });
  expect((await ann(...edit('u.txt'))).isError).toBe(false);
  const { requestState } = await ann('run_shell', REMOVE);
  const before = postgres.query('SELECT id, state FROM entries');
  const contents = () =>
    fs.readdirSync(root).map((name) => [name, name === 'src' || fs.readFileSync(`${root}/${name}`, 'utf8')]);
  const held = contents();
  relay.freeze();
  const approve = {
    requestState,
    inputResponses: { approval: { action: 'accept', content: { decision: 'Allow once' } } },
  };
  const refused: readonly (readonly [name: string, args: object, more?: object])[] = [
    ['write_file', { path: 'b.txt', content: 'x' }],
    edit('a.txt'),
    ['multi_edit', { edits: [{ path: 'm.txt', old_text: 'one', new_text: 'two' }] }],
    ['apply_patch', { patch: PATCH }],
    ['undo', { action: 'list' }],
    ['undo', { action: 'preview', last: 1 }],
    ['undo', { action: 'restore', last: 1 }],
    ['memory', { action: 'save', key: 'k', value: 'w' }],
    ['memory', { action: 'recall', key: 'k' }],
    ['run_shell', REMOVE, approve],
  ];
  const refuseAll = async () => {
    const answers = await Promise.all(
      refused.map(async ([name, args, more]) => ({ name, ...(await ann(name, args, more)) })),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ isError: true, meta: expect.stringContaining('"unavailable"') });
      // It is looked up what is allowed for good before the answer is noted.
      const bound = answer.name === 'run_shell' ? 2 * BOUND_MS : BOUND_MS;
      expect(answer.ms).toBeLessThan(bound + SLACK_MS);
    }
  };
  await refuseAll();
  // The connections are given up by now.
  await refuseAll();
  const asked = await ann('run_shell', REMOVE);
  expect(asked.requestState).toBeDefined();
  expect(asked.ms).toBeLessThan(BOUND_MS + SLACK_MS);
  expect(contents()).toEqual(held);
  relay.thaw();
  for (const [name, args] of refused.slice(0, 9)) {
    expect([name, await ann(name, args)]).toMatchObject([name, { isError: false }]);
  }
  const again = await ann('run_shell', REMOVE);
  expect((await ann('run_shell', REMOVE, { ...approve, requestState: again.requestState })).isError).toBe(false);
  expect(fs.existsSync(`${root}/src`)).toBe(false);
  // One for each file of the four changes, and for the two that the last one is taken back in.
  const rows = postgres.query('SELECT id, state FROM entries');
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['committed']));
  expect(rows).toHaveLength(before.length + 7);
});

test.skipIf(bin === undefined)('what needs no database is not held up by calls that wait for it', async () => {
  const { relay, root, url, connect } = await serveTeam(bin as string);
  const ann = await connect();
  const names = Array.from({ length: 20 }, (_, i) => `f${i}.txt`);
  makeTree(root, Object.fromEntries(names.map((name) => [name, 'one\n'])));
  await ann(...edit('f0.txt'));
  const ready = async () => (await fetch(new URL('/readyz', url))).text();
  await expect.poll(ready).toContain('database: answers\n');
  relay.freeze();
  const ended: string[] = [];
  const edits = Promise.all(names.map((name) => ann(...edit(name)).finally(() => ended.push('an edit'))));
  for (const path of names.slice(0, 10)) {
    expect((await ann('read_file', { path })).isError).toBe(false);
    ended.push('a read');
  }
  expect(ended).not.toContain('an edit');
  expect((await ann('run_shell', { command: 'echo on' })).text).toContain('on');
  expect(await (await connect())('list_dir', { path: '.' })).toMatchObject({ isError: false });
  expect(await ready()).toContain('database: does not answer\n');
  expect((await edits).map(({ isError }) => isError)).toEqual(names.map(() => true));
  relay.thaw();
  await expect.poll(ready).toContain('database: answers\n');
});

test.skipIf(bin === undefined)(
  'a change that the database cannot note as done is whole, and can be taken back',
  async () => {
    const { postgres, relay, root, connect } = await serveTeam(bin as string);
    const ann = await connect();
    const names = Array.from({ length: 5 }, (_, i) => `f${i}.txt`);
    makeTree(root, Object.fromEntries(names.map((name) => [name, 'one'])));
    const contents = () => new Set(names.map((name) => fs.readFileSync(`${root}/${name}`, 'utf8')));
    const states = () => postgres.query('SELECT state FROM entries').map(({ state }) => `${state}`.replace(/ .*/, ''));
    await ann('undo', { action: 'list' });
    await ann('memory', { action: 'save', key: 'k', value: 'v' });
    // What is under way is asked for, and the change is recorded. Meanwhile, servers may exchange what is used.
    relay.failAfter({ answers: 2 }, 'freeze');
    const edits = names.map((path) => ({ path, old_text: 'one', new_text: 'two' }));
    const changed = await ann('multi_edit', { edits });
    expect(changed.isError).toBe(false);
    expect(changed.ms).toBeLessThan(BOUND_MS + SLACK_MS);
    expect(contents()).toEqual(new Set(['two']));
    relay.thaw();
    expect((await ann('memory', { action: 'recall', key: 'k' })).isError).toBe(false);
    expect(states()).toEqual(names.map(() => 'prepared'));
    relay.failAfter({ answers: 1 }, 'freeze');
    const refused = await ann('undo', { action: 'list' });
    expect(refused.meta).toContain('"unavailable"');
    expect(refused.ms).toBeLessThan(BOUND_MS + SLACK_MS);
    relay.thaw();
    expect((await ann('undo', { action: 'list' })).isError).toBe(false);
    expect(states()).toEqual(names.map(() => 'committed'));
    expect((await ann('undo', { action: 'restore', last: 1 })).isError).toBe(false);
    expect(contents()).toEqual(new Set(['one']));
  },
);

test.skipIf(bin === undefined)('while the database hangs, tokens that are kept there are refused in time', async () => {
  const { relay, url, team, createToken } = await serveTeam(bin as string);
  const tokens: string[] = [];
  for (let i = 0; i < 6; i++) tokens.push(await createToken(`p${i}`));
  const ask = async (token = '') => {
    const start = performance.now();
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const { status } = await fetch(url, { method: 'POST', headers, body: '{}' });
    return { status, ms: performance.now() - start };
  };
  /** The server says that the body is no request. */
  const letIn = 400;
  expect((await ask(tokens[0])).status).toBe(letIn);
  relay.freeze();
  // Three times each: those who come with the same token wait for each other.
  const answers = await Promise.all([...tokens, ...tokens, ...tokens].map(ask));
  for (const { status, ms } of answers) {
    expect(status).toBe(503);
    expect(ms).toBeLessThan(BOUND_MS + SLACK_MS);
  }
  for (const command of ['tokens', 'grants']) {
    const start = performance.now();
    const env = { PATH: process.env['PATH'], HOME: makeTempDirectory() };
    const child = spawn(process.execPath, [PROGRAM, command, 'list', '--team', team], { env, stdio: 'ignore' });
    expect((await once(child, 'exit'))[0]).toBeGreaterThan(0);
    expect(performance.now() - start).toBeLessThan(BOUND_MS + SLACK_MS);
  }
  relay.thaw();
  expect((await Promise.all(tokens.map(ask))).map(({ status }) => status)).toEqual(tokens.map(() => letIn));
});

test.skipIf(bin === undefined)('a server whose database hangs ends in time', async () => {
  const { relay, root, server, connect } = await serveTeam(bin as string, { audit: true });
  const ann = await connect();
  makeTree(root, { 'a.txt': 'one\n' });
  await ann('read_file', { path: 'a.txt' });
  relay.freeze();
  const [editing, reading] = [ann(...edit('a.txt')), ann('read_file', { path: 'a.txt' })];
  await reading;
  const start = performance.now();
  server.child.kill('SIGTERM');
  // It is answered before it would be ended.
  expect((await editing).meta).toContain('"unavailable"');
  expect(await server.exit()).toBe(0);
  expect(performance.now() - start).toBeLessThan(15_000);
  expect(fs.readFileSync(`${root}/a.txt`, 'utf8')).toBe('one\n');
});

test.skipIf(bin === undefined)('the audit log has each event once after the database has hung', async () => {
  const { postgres, relay, root, connect } = await serveTeam(bin as string, { audit: true });
  const ann = await connect();
  makeTree(root, { 'a.txt': 'one\n' });
  await ann('read_file', { path: 'a.txt' });
  relay.freeze();
  for (let i = 0; i < 5; i++) await ann('read_file', { path: 'a.txt' });
  const writes = ['x.txt', 'y.txt'].map((path) => ann('write_file', { path, content: '' }));
  for (const refused of await Promise.all(writes)) expect(refused.meta).toContain('"unavailable"');
  expect(fs.readdirSync(root)).toEqual(['a.txt']);
  relay.thaw();
  expect((await ann('write_file', { path: 'x.txt', content: '' })).isError).toBe(false);
  const count = (event: string, tool: string) =>
    postgres.query(`SELECT id FROM audit WHERE event = '${event}' AND facts->>'tool' = '${tool}'`).length;
  await expect.poll(() => count('call', 'read_file'), { timeout: 30_000 }).toBe(6);
  await expect.poll(() => count('call', 'write_file'), { timeout: 30_000 }).toBe(3);
  // What was refused was never begun.
  expect(count('start', 'write_file')).toBe(1);
});
