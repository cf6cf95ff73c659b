import { expect, onTestFinished, test, vi } from 'vitest';
import { HttpSessions } from './http-sessions.ts';

function make({ max = 10, maxEach = Infinity, idleMs = 60_000 } = {}) {
  const ended: string[] = [];
  const sessions = new HttpSessions({ max, idleMs, onBegin: () => () => undefined });
  onTestFinished(() => sessions.close());
  const seatOf = (owner: string) => ({ owner, most: maxEach });
  const add = (key: string, owner = 'ann') =>
    sessions.add(key, { close: async () => void ended.push(key) }, seatOf(owner));
  const hold = (key: string) => {
    const controller = new AbortController();
    sessions.hold(key, controller.signal);
    return () => controller.abort();
  };
  return { ended, sessions, seatOf, add, hold };
}

test('ends the least recently used one when there are too many', () => {
  const { ended, sessions, add, hold } = make({ max: 2 });
  add('a');
  add('b');
  hold('a')();
  add('c');
  expect(ended).toEqual(['b']);
  expect(['a', 'b', 'c'].map((key) => sessions.get(key) !== undefined)).toEqual([true, false, true]);
});

test('ends none that a request uses, as long as there is another', () => {
  const { ended, add, hold } = make({ max: 2 });
  add('a');
  const release = hold('a');
  add('b');
  add('c');
  expect(ended).toEqual(['b']);
  release();
  add('d');
  expect(ended).toEqual(['b', 'a']);
});

test('ends what no request has used for a while', async () => {
  const { ended, add, hold } = make({ idleMs: 100 });
  add('a');
  add('b');
  const release = hold('a');
  await vi.waitUntil(() => ended.includes('b'), { timeout: 10_000 });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(ended).toEqual(['b']);
  release();
  await vi.waitUntil(() => ended.includes('a'), { timeout: 10_000 });
});

test('whoever has most makes room, and nobody for somebody with more', () => {
  const { ended, add } = make({ max: 4 });
  add('bob 1', 'bob');
  add('ann 1');
  add('ann 2');
  add('ann 3');
  add('ann 4');
  expect(ended).toEqual(['ann 1']);
  add('bob 2', 'bob');
  expect(ended).toEqual(['ann 1', 'ann 2']);
  add('bob 3', 'bob');
  expect(ended).toEqual(['ann 1', 'ann 2', 'bob 1']);
});

test('somebody without a session gets none where each has one alone', () => {
  const { ended, sessions, seatOf, add, hold } = make({ max: 2 });
  add('ann 1');
  expect(sessions.hasRoom(seatOf('carl'))).toBe(true);
  add('bob 1', 'bob');
  expect([sessions.hasRoom(seatOf('carl')), sessions.hasRoom(seatOf('bob'))]).toEqual([false, true]);
  hold('bob 1');
  add('bob 2', 'bob');
  expect(ended).toEqual(['bob 1']);
});

test('each has so many', () => {
  const { ended, add } = make({ maxEach: 2 });
  for (const key of ['ann 1', 'ann 2', 'ann 3']) add(key);
  add('bob 1', 'bob');
  expect(ended).toEqual(['ann 1']);
});
