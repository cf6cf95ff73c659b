import { expect, test } from 'vitest';
import { Deadline } from './deadline.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a server that has loaded has the whole limit, as far as the time for loading goes', async () => {
  const [deadline, short] = [new Deadline(20_000), new Deadline(20_000)];
  deadline.goOnWhile(() => true, 60_000);
  short.goOnWhile(() => true, 1_000);
  await pause(300);
  expect(deadline.left).toBeGreaterThan(19_900);
  expect(short.left).toBeLessThan(19_900);
});

test('an error says how long was waited, where that is more than the limit', async () => {
  const deadline = new Deadline(100);
  deadline.goOnWhile(() => true, 1_500);
  const never = new Promise<never>(() => {});
  await expect(deadline.race(never, () => 'it loads')).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringMatching(/^timed out after (?!0\.1s)[\d.]+s: it loads$/),
  });
  const plain = new Deadline(100);
  await expect(plain.race(never, () => 'it works')).rejects.toMatchObject({
    message: 'timed out after 0.1s: it works',
  });
});
