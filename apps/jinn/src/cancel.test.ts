import fs from 'node:fs';
import { expect, test, vi } from 'vitest';
import { makePlace, openSession } from './fixture/open-session.ts';

/** A command that says that it has begun, and goes on until it is told to end. */
const wait = (name: string) => ({
  tool: 'run_shell',
  args: { command: `touch ${name}; until [ -e go ]; do sleep 0.05; done`, timeout: 60 },
  request_id: name,
});
const write = (name: string) => ({ tool: 'write_file', args: { path: name, content: 'x' }, request_id: name });
const CANCELED = { ok: false, error_code: 'canceled' };
const begun = (session: { has(file: string): boolean }, ...names: string[]) =>
  vi.waitFor(() => expect(names.filter((name) => !session.has(name))).toEqual([]), { timeout: 20_000 });

test('a call that runs is canceled, and the session goes on', async () => {
  const session = openSession();
  session.send(wait('a'));
  await begun(session, 'a');
  session.send({ cancel: 'a' });
  expect(await session.receive()).toMatchObject({ ...CANCELED, request_id: 'a' });
  session.send(write('b'));
  expect(await session.receive()).toMatchObject({ ok: true, request_id: 'b' });
});

test('a call that waits is canceled before it runs', async () => {
  const session = openSession();
  session.send(wait('a'), write('b'), write('c'), { cancel: 'b' });
  await begun(session, 'a');
  session.send({ cancel: 'a' });
  expect(await session.receive()).toMatchObject({ ...CANCELED, request_id: 'a' });
  expect(await session.receive()).toEqual({
    ...CANCELED,
    error: expect.stringContaining('before it ran'),
    request_id: 'b',
  });
  expect(await session.receive()).toMatchObject({ ok: true, request_id: 'c' });
  expect([session.has('b'), session.has('c')]).toEqual([false, true]);
});

test('any number of parallel calls can be canceled, of which 16 run at once', async () => {
  const session = openSession();
  const names = Array.from({ length: 40 }, (_, i) => `p${i}`);
  session.send(...names.map((name) => ({ ...wait(name), parallel: true })));
  await begun(session, ...names.slice(0, 16));
  // One more would have begun by then.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(fs.readdirSync(session.cwd)).toHaveLength(16);
  session.send(...[...names].reverse().map((cancel) => ({ cancel })));
  const answers = [];
  for (const _ of names) answers.push(await session.receive());
  expect(answers.map(({ request_id }) => request_id).sort()).toEqual([...names].sort());
  expect(answers.filter(({ error_code }) => error_code !== 'canceled')).toEqual([]);
  expect(fs.readdirSync(session.cwd)).toHaveLength(16);
});

test('a number is matched as it was written', async () => {
  const session = openSession();
  const id = '12345678901234567891';
  const { request_id: _, ...request } = wait('a');
  session.sendText(`${JSON.stringify(request).slice(0, -1)},"request_id":${id}}\n`);
  await begun(session, 'a');
  session.sendText('{"cancel":12345678901234567890}\n{"cancel":"12345678901234567891"}\n');
  session.send({ ...write('b'), parallel: true });
  expect(await session.receive()).toMatchObject({ ok: true, request_id: 'b' });
  session.sendText(`{"cancel":${id}}\n`);
  expect(await session.receive()).toMatchObject(CANCELED);
});

test('a cancel that comes too late has no effect and no answer', async () => {
  const session = openSession();
  session.send(write('a'));
  expect(await session.receive()).toMatchObject({ ok: true, request_id: 'a' });
  session.send({ cancel: 'a' }, { ...write('b'), request_id: 'a' });
  expect(await session.receive()).toMatchObject({ ok: true, request_id: 'a' });
  expect(session.has('b')).toBe(true);
});

test.each([{}, true, ['a']])('refuses to cancel %j', async (cancel) => {
  const session = openSession();
  session.send({ cancel });
  expect(await session.receive()).toMatchObject({
    error_code: 'invalid_request',
    error: expect.stringContaining('"cancel" must be a string or a number'),
  });
});

test('a call whose question is open is canceled, and the late decision is refused', async () => {
  const session = openSession(['--approvals=stdio'], makePlace({ 'gone/a': '' }));
  session.send({ tool: 'run_shell', args: { command: 'rm -rf gone' }, request_id: 1 });
  const { approval } = await session.receive();
  session.send({ cancel: 1 });
  expect(await session.receive()).toMatchObject({ ...CANCELED, request_id: 1 });
  session.send({ approval: approval.id, answer: 'once' });
  expect(await session.receive()).toMatchObject({ ok: false, approval: approval.id });
  expect(session.has('gone/a')).toBe(true);
});
