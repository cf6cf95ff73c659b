import { expect, test } from 'vitest';
import { scene } from './fixture/command-scene.ts';

test('ends a pipeline at its timeout', async () => {
  const { data } = await scene().run('seq 1 3000; sleep 60 | cat; seq 1 9 | tail -1', { timeout_secs: 3 });
  expect(data.timed_out).toBe(true);
});
