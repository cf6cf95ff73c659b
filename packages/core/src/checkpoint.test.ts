import { expect, test } from 'vitest';
import { createCheckpoint } from './checkpoint.ts';

async function runFor(ms: number, checkpoint: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; ) await checkpoint();
}

test('lets others run now and then', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await runFor(100, createCheckpoint(10_000, undefined));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(1);
});

test('ends what runs past its limit, with a next step', async () => {
  const error = await runFor(5_000, createCheckpoint(40, undefined)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'timeout', suggestion: expect.any(String) });
});
