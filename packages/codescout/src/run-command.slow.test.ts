import { expect, test } from 'vitest';
import { scene } from './fixture/command-scene.ts';

test('says that the stream before a filter is not whole after a timeout', async () => {
  const { data } = await scene().run('seq 1 3000; sleep 60 | cat; seq 1 9 | tail -1', { timeout_secs: 3 });
  expect(data.timed_out).toBe(true);
  const kept = await scene().run('(seq 1 3000; sleep 60) | grep x', { timeout_secs: 3 });
  expect(kept.data).toMatchObject({ unfiltered_lines: 3_000, unfiltered_partial: true });
});
