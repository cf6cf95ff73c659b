import { expect, test } from 'vitest';
import { ANSWER, gone, makeScene, OK, QUERY, SYMBOLS } from '../fixture/background-scene.ts';

test('a process that is stopped loses its place, and ends when it goes on', { timeout: 60_000 }, async () => {
  const { ask, background, run } = makeScene();
  await ask();
  const [first = 0] = background();
  process.kill(first, 'SIGSTOP');
  expect(await ask()).toMatchObject(OK);
  expect(background()).toHaveLength(2);
  process.kill(first, 'SIGCONT');
  await expect.poll(background).not.toContain(first);
  const [second = 0] = background();
  process.kill(second, 'SIGSTOP');
  expect(await run('', ['lsp', 'stop'])).toBe('ended 0 background processes\n');
  process.kill(second, 'SIGCONT');
  await gone(background);
});

test('a call that takes longer than a process may be silent is answered', { timeout: 60_000 }, async () => {
  const { call, background } = makeScene({ on: { [SYMBOLS]: [{ later: 9_000, action: { result: ANSWER } }] } });
  expect(await call('lsp_query', { ...QUERY.args, timeout: 40 })).toMatchObject(OK);
  expect(background()).toHaveLength(1);
});
