import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import type { Socket } from 'node:net';
import { makeTree, readHeads, standInPage } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { JINN, makePlace, openSession, type Place } from './fixture/open-session.ts';

const REMOVE = { tool: 'run_shell', args: { command: 'rm -rf build' }, request_id: 1 };

function cacheOf({ env }: Place): string {
  return env['XDG_CACHE_HOME'] ?? '';
}

function linesOf(place: Place) {
  return readHeads(cacheOf(place));
}

function callOnce(request: object, { cwd, env }: Place) {
  const { stdout } = spawnSync(process.execPath, [JINN], {
    cwd,
    env,
    input: JSON.stringify(request),
    encoding: 'utf8',
  });
  return JSON.parse(stdout);
}

async function servePage(place: Place, react: Parameters<typeof standInPage>[1]): Promise<void> {
  const page = await standInPage(cacheOf(place), react);
  onTestFinished(page.close);
}

test('a call is written down only if config.json or the page asks for that', () => {
  const place = makePlace({ 'a.txt': 'one' });
  const read = { tool: 'read_file', args: { path: 'a.txt' } };
  const plain = callOnce(read, place);
  expect(fs.existsSync(`${cacheOf(place)}/jinn/journal`)).toBe(false);
  makeTree(`${place.env['JINN_CONFIG_DIR']}/jinn`, { 'config.json': '{"journal":"always"}' });
  expect(callOnce(read, place)).toEqual(plain);
  expect(linesOf(place)).toMatchObject([
    { k: 'start', door: 'jinn', tool: 'read_file', what: 'a.txt' },
    { k: 'end', ok: true, workspace: fs.realpathSync(place.cwd) },
  ]);
});

test.each([
  ['once', true],
  ['deny', false],
])('a call of a host that cannot ask waits for the page, which answers %s', async (decision, isRemoved) => {
  const place = makePlace({ 'build/a': 'x' });
  const asked: Record<string, unknown>[] = [];
  await servePage(place, (question, say) => {
    asked.push(question);
    say({ k: 'seen' }, { k: 'answer', sha: question['sha'], answer: decision });
  });
  const session = openSession(['--dangerous=ask', '--sandbox=off'], place);
  session.send(REMOVE);
  const answer = await session.receive();
  expect(answer.ok).toBe(isRemoved);
  expect(session.has('build')).toBe(!isRemoved);
  expect(asked).toMatchObject([
    {
      k: 'ask',
      door: 'jinn',
      tool: 'run_shell',
      args: REMOVE.args,
      message: expect.stringContaining('rm -rf build'),
      permission: { type: 'dangerous_command', key: 'rm -rf build' },
    },
  ]);
  expect(linesOf(place).at(-1)).toMatchObject({ settled: isRemoved ? 'once' : 'denied', ok: isRemoved });
});

test('the answer always is remembered', async () => {
  const place = makePlace({ 'build/a': 'x' });
  let count = 0;
  await servePage(place, ({ sha }, say) => {
    count++;
    say({ k: 'seen' }, { k: 'answer', sha, answer: 'always' });
  });
  const session = openSession(['--dangerous=ask', '--sandbox=off'], place);
  session.send(REMOVE, REMOVE);
  expect([(await session.receive()).ok, (await session.receive()).ok, count]).toEqual([true, true, 1]);
});

test.each<[string, (sha: unknown, say: (message: object) => void, socket: Socket) => void]>([
  ['nobody has the page open', (_, say) => say({ k: 'nobody' })],
  ['the page ends', (_, __, socket) => socket.destroy()],
  [
    'the page ends while the call waits',
    (_, say, socket) => {
      say({ k: 'seen' });
      setTimeout(() => socket.destroy(), 100);
    },
  ],
  ['the page says nothing', () => undefined],
  ['only an answer to another question comes', (_, say) => say({ k: 'answer', sha: '0', answer: 'once' })],
  ['only an answer comes that there is not', (sha, say) => say({ k: 'answer', sha, answer: 'yes' })],
])('the call is refused as one that no user can be asked about where %s', async (_, react) => {
  const place = makePlace({ 'build/a': 'x' });
  await servePage(place, ({ sha }, say, socket) => react(sha, say, socket));
  const session = openSession(['--dangerous=ask', '--sandbox=off'], place);
  session.send(REMOVE);
  expect(await session.receive()).toMatchObject({ ok: false, error_code: 'command_blocked' });
  expect(session.has('build')).toBe(true);
  expect(linesOf(place).at(-1)).toMatchObject({ settled: 'nobody' });
});

test('a question that is not answered in time is refused', async () => {
  const place = makePlace({ 'build/a': 'x' });
  makeTree(`${place.env['JINN_CONFIG_DIR']}/jinn`, { 'config.json': '{"approval_wait":1}' });
  await servePage(place, (_, say) => say({ k: 'seen' }));
  const session = openSession(['--dangerous=ask', '--sandbox=off'], place);
  session.send(REMOVE);
  expect(await session.receive()).toMatchObject({ ok: false });
  expect(linesOf(place).at(-1)).toMatchObject({ settled: 'unanswered' });
});

test('host and page are both asked; the first answer counts, and the other is told', async () => {
  const place = makePlace({ 'build/a': 'x', 'dist/a': 'x' });
  let isPageFirst = true;
  let [asked, closed] = [0, 0];
  await servePage(place, ({ sha }, say, socket) => {
    asked++;
    socket.on('close', () => closed++);
    say({ k: 'seen' }, ...(isPageFirst ? [{ k: 'answer', sha, answer: 'once' }] : []));
  });
  const session = openSession(['--approvals=stdio', '--dangerous=ask'], place);
  session.send(REMOVE);
  const { approval: late } = await session.receive();
  expect(await session.receive()).toMatchObject({ ok: true, request_id: 1 });
  session.send({ approval: late.id, answer: 'deny' });
  expect(await session.receive()).toMatchObject({
    ok: false,
    error: expect.stringContaining('no question with the id'),
  });
  isPageFirst = false;
  session.send({ tool: 'run_shell', args: { command: 'rm -rf dist' }, request_id: 2 });
  const { approval } = await session.receive();
  await expect.poll(() => asked).toBe(2);
  session.send({ approval: approval.id, answer: 'once' });
  expect(await session.receive()).toMatchObject({ ok: true, request_id: 2 });
  await expect.poll(() => closed).toBe(2);
});

test('a call that is canceled takes its question back', async () => {
  const place = makePlace({ 'build/a': 'x' });
  const session = openSession(['--dangerous=ask', '--sandbox=off'], place);
  let isClosed = false;
  await servePage(place, (_, say, socket) => {
    socket.on('close', () => {
      isClosed = true;
    });
    say({ k: 'seen' });
    session.send({ cancel: 1 });
  });
  session.send(REMOVE);
  expect(await session.receive()).toMatchObject({ ok: false, error_code: 'canceled' });
  await expect.poll(() => isClosed).toBe(true);
});
