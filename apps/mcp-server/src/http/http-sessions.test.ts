import { expect, onTestFinished, test, vi } from 'vitest';
import { HttpSessions } from './http-sessions.ts';

function make({ max = 10, idleMs = 60_000 } = {}) {
  const ended: string[] = [];
  const sessions = new HttpSessions({ max, idleMs });
  onTestFinished(() => sessions.close());
  const add = (key: string) => sessions.add(key, { close: async () => void ended.push(key) });
  const hold = (key: string) => {
    const controller = new AbortController();
    sessions.hold(key, controller.signal);
    return () => controller.abort();
  };
  return { ended, sessions, add, hold };
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
