import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

/** Begins calls; `begun` has those that run. */
function open() {
  const turns = new Turns();
  const begun: string[] = [];
  const begin = (owner: string, name: string, signal = new AbortController().signal) => {
    const turn = turns.of(owner, signal);
    const began = turn.begin().then(() => begun.push(name));
    return { end: () => began.then(turn.end) };
  };
  const settle = () => new Promise((resolve) => setTimeout(resolve, 20));
  return { begun, begin, settle };
}

test('eight calls of a person run at once, others of theirs wait in their order, and nobody else waits', async () => {
  const { begun, begin, settle } = open();
  const calls = Array.from({ length: 10 }, (_, i) => begin('ann', `ann ${i}`));
  const bob = begin('bob', 'bob');
  await settle();
  expect(begun).toHaveLength(9);
  expect(begun).toContain('bob');
  await bob.end();
  await settle();
  expect(begun).toHaveLength(9);
  await calls[3]?.end();
  await calls[3]?.end();
  await settle();
  expect(begun.slice(9)).toEqual(['ann 8']);
  for (const call of calls.slice(0, 9)) await call.end();
  await settle();
  expect(begun.slice(10)).toEqual(['ann 9']);
  await calls[9]?.end();
  const again = Array.from({ length: 9 }, (_, i) => begin('ann', `again ${i}`));
  await settle();
  expect(begun.slice(11)).toHaveLength(8);
  expect(again).toHaveLength(9);
});

test('a call that is canceled does not wait, and takes no turn', async () => {
  const { begun, begin, settle } = open();
  const calls = Array.from({ length: 8 }, (_, i) => begin('ann', `ann ${i}`));
  const controller = new AbortController();
  const canceled = begin('ann', 'canceled', controller.signal);
  const waits = begin('ann', 'waits');
  controller.abort();
  await settle();
  expect(begun.slice(8)).toEqual(['canceled']);
  await canceled.end();
  await begin('ann', 'canceled before', controller.signal).end();
  expect(begun).not.toContain('waits');
  await calls[0]?.end();
  await waits.end();
  expect(begun).toContain('waits');
});

test('others get their turn between the calls of a person, and a call that is canceled then does not keep its turn', async () => {
  const { begun, begin, settle } = open();
  const calls = Array.from({ length: 8 }, (_, i) => begin('ann', `ann ${i}`));
  const controller = new AbortController();
  const next = begin('ann', 'next', controller.signal);
  const last = begin('ann', 'last');
  await settle();
  await calls[0]?.end();
  controller.abort();
  await begin('bob', 'bob').end();
  expect(begun.slice(8)).toEqual(['bob']);
  await settle();
  expect(begun.slice(8)).toEqual(['bob', 'next']);
  await next.end();
  await last.end();
  expect(begun).toContain('last');
});

test('a call that waits for a person leaves its turn to another, and must wait for it again', async () => {
  const turns = new Turns();
  const signal = new AbortController().signal;
  const all = Array.from({ length: 9 }, () => turns.of('ann', signal));
  const begun: number[] = [];
  const begin = all.map((turn, i) => turn.begin().then(() => begun.push(i)));
  await Promise.all(begin.slice(0, 8));
  let answer = (_: string) => {};
  const asked = new Promise<string>((resolve) => {
    answer = resolve;
  });
  let answered = '';
  void all[0]
    ?.without(() => asked)
    .then((text) => {
      answered = text;
    });
  await begin[8];
  answer('yes');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([begun.length, answered]).toEqual([9, '']);
  all[1]?.end();
  await expect.poll(() => answered).toBe('yes');
  for (const turn of all) turn.end();
  const again = Array.from({ length: 9 }, () => turns.of('ann', signal));
  let count = 0;
  for (const turn of again) void turn.begin().then(() => count++);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(count).toBe(8);
});
