import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

/** Begins calls of one person that wait for something; returns how many have begun, and what ends one. */
function beginMany(count: number) {
  const turns = new Turns();
  const signal = new AbortController().signal;
  const all = Array.from({ length: count }, () => turns.of('ann', signal));
  let begun = 0;
  for (const turn of all) void turn.begin().then(() => begun++);
  return { turns, signal, all, begun: () => begun };
}

test('calls that wait for something give their turns to others, but not to any number', async () => {
  const { turns, signal, all, begun } = beginMany(40);
  await expect.poll(begun).toBe(32);
  await sleep(2_500);
  expect(begun()).toBe(32);
  // Once it has ended, one more may be late.
  all[0]?.end();
  await expect.poll(begun).toBe(33);
  for (const turn of all) turn.end();
  await expect.poll(begun).toBe(40);
  for (const turn of all) turn.end();
  const again = Array.from({ length: 9 }, () => turns.of('ann', signal));
  let count = 0;
  for (const turn of again) void turn.begin().then(() => count++);
  await sleep(50);
  expect(count).toBe(8);
});

test('calls that keep the thread busy keep their turns', async () => {
  const { all, begun } = beginMany(9);
  const end = performance.now() + 3_500;
  while (performance.now() < end) {
    const until = performance.now() + 50;
    while (performance.now() < until);
    await sleep(1);
  }
  expect(begun()).toBe(8);
  for (const turn of all) turn.end();
});
