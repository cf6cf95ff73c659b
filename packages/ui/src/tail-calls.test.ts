import { spawnSync } from 'node:child_process';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { writeCall } from './journal/write-journal.ts';
import { openDirectory } from './server/live-mark.ts';
import { tailCalls } from './tail-calls.ts';

test('a call whose process is killed is printed, without a time', async () => {
  const directory = `${makeTempDirectory()}/journal`;
  openDirectory(directory);
  let printed = '';
  const stop = tailCalls(directory, { width: 100, color: false }, (text) => {
    printed += text;
  });
  onTestFinished(stop);
  const { pid } = spawnSync('true');
  const place = { session: 's', pid, time: 0, door: 'jinn', workspace: '/w', tool: 'run_shell', what: 'sleep 9' };
  writeCall(directory, { v: 1, k: 'start', id: 'a', ...place }, { args: { command: 'sleep 9' } });
  await expect.poll(() => printed).toMatch(/^\S+ died run_shell sleep 9 jinn · \/w\n+$/);
});
