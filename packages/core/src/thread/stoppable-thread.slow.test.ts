import { expect, onTestFinished, test } from 'vitest';
import { StoppableThread } from './stoppable-thread.ts';

const ECHO = `const { parentPort } = require('node:worker_threads'); parentPort.on('message', (task) => parentPort.postMessage(task))`;
const GREEDY = `
  const { parentPort } = require('node:worker_threads');
  const held = [];
  parentPort.on('message', () => { for (;;) held.push(new Array(10_000).fill(held.length)); });`;
/** Native code that cannot be stopped: its memory runs out after the deadline. */
const LATE = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', () => '0'.repeat(2_000_000).replace(/0/g, '12'));`;

function start(script: string, options: { limitMs?: number; maxMemoryMb?: number; signal?: AbortSignal } = {}) {
  const thread = new StoppableThread<string, string>(script, {
    data: undefined,
    limitMs: options.limitMs ?? 10_000,
    maxMemoryMb: options.maxMemoryMb ?? 64,
    signal: options.signal,
    tooLarge: { message: 'too large', suggestion: 'take less' },
  });
  onTestFinished(() => thread.close());
  return thread;
}

test('answers one task after the other', async () => {
  const thread = start(ECHO);
  expect(await thread.ask('a')).toBe('a');
  expect(await thread.ask('b')).toBe('b');
});

/** Works for as many milliseconds of processor time as it is told. */
const BUSY = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (ms) => {
    const begin = process.cpuUsage();
    const used = ({ user, system }) => (user + system) / 1000;
    while (used(process.cpuUsage(begin)) < ms);
    parentPort.postMessage(ms);
  });`;

test('all tasks share the limit, and the time between them does not count', async () => {
  const thread = start(BUSY, { limitMs: 3_000 });
  expect(await thread.ask('100')).toBe('100');
  await new Promise((resolve) => setTimeout(resolve, 3_500));
  expect(await thread.ask('2000')).toBe('2000');
  await expect(thread.ask('2000')).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('3 sec'),
  });
});

test('a thread that runs out of memory is an error, and the next one works', async () => {
  const thread = start(GREEDY);
  await expect(thread.ask('x')).rejects.toMatchObject({ code: 'resource_limit', message: 'too large' });
  await expect(thread.ask('x')).rejects.toMatchObject({ code: 'resource_limit' });
  expect(await start(ECHO).ask('a')).toBe('a');
});

test('a thread that runs out of memory after its deadline harms nobody', async () => {
  const thread = start(LATE, { limitMs: 150, maxMemoryMb: 16 });
  await expect(thread.ask('x')).rejects.toMatchObject({ code: 'timeout' });
  await thread.close();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await start(ECHO).ask('a')).toBe('a');
});

test('a thread that ends by itself is an error', async () => {
  await expect(start('process.exit(3)').ask('x')).rejects.toThrow('the thread ended with code 3');
});

test('ends when the call is canceled', async () => {
  const controller = new AbortController();
  const asked = start(GREEDY.replace('held.push', 'String'), { signal: controller.signal }).ask('x');
  controller.abort();
  await expect(asked).rejects.toMatchObject({ code: 'canceled' });
});
