import { createSession } from '@jinn/core';
import { type CallOptions, call, makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { runShell } from './run-shell.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function scene() {
  const session = createSession();
  const options: CallOptions = { session, root: makeTempDirectory(), state: makeTempDirectory() };
  onTestFinished(() => session.close());
  const ask = (args: object) => call(runShell, args, options);
  const start = async (command: string, args = {}) => {
    const answer = await ask({ command, background: true, ...args });
    return (answer.meta as { job: string }).job;
  };
  const until = async (job: string, text: string) => {
    for (let i = 0; i < 100; i++) {
      const answer = await ask({ job, action: 'output' });
      if (answer.result?.includes(text)) return answer;
      await sleep(30);
    }
    throw new Error(`never wrote ${text}`);
  };
  return { session, ask, start, until };
}

test('answers at once with a job, whose output is read until it ends', async () => {
  const { ask, start, until } = scene();
  const job = await start('echo first; printf prompt; read -t 30 x < <(sleep 1); echo; echo second; exit 3');
  const running = await until(job, 'prompt');
  expect(running).toMatchObject({ ok: true, risk: 'safe', meta: { running: true } });
  expect(running.result).toMatch(/^\[job-1 has been running for \d+ seconds\]\nfirst\nprompt$/);
  const ended = await until(job, '[exit: 3]');
  expect(ended).toMatchObject({ classification: 'error', meta: { exit_code: 3 } });
  expect(await ask({ job, action: 'output' })).toEqual(ended);
});

test('ends a job with all that it started, and lists what there is', async () => {
  const { ask, start, until } = scene();
  expect((await ask({ action: 'list' })).result).toBe('no background jobs');
  const [one, two] = [await start('setsid sleep 300 & echo up; sleep 300'), await start('sleep  301 ')];
  await until(one, 'up');
  expect((await ask({ action: 'list' })).result).toMatch(
    /^job-1\trunning for \d+ s\tsetsid sleep 300 & echo up; sleep 300\njob-2\trunning for \d+ s\tsleep 301$/,
  );
  expect(await ask({ job: one, action: 'kill' })).toMatchObject({ ok: true, classification: 'signal' });
  expect((await ask({ action: 'list' })).meta).toMatchObject({
    jobs: [
      { job: one, state: 'ended by kill' },
      { job: two, state: expect.stringContaining('running') },
    ],
  });
});

test('ends all jobs with the session', async () => {
  const { session, start, until } = scene();
  const { result } = await until(await start('echo "pid $$"; sleep 300'), 'pid');
  const pid = Number(/pid (\d+)/.exec(result ?? '')?.[1]);
  expect(() => process.kill(pid, 0)).not.toThrow();
  await session.close();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('gives a job a deadline only when it is asked for', async () => {
  const { start, until } = scene();
  const answer = await until(await start('sleep 300', { timeout: 1 }), 'timed out after 1 seconds');
  expect(answer).toMatchObject({ classification: 'timeout' });
});

test('stops a job that writes without end, and says so whenever it is asked', async () => {
  const { ask, start } = scene();
  const job = await start('head -c 70000000 /dev/zero; sleep 60');
  for (let i = 0; i < 300 && (await ask({ job, action: 'output' })).ok; i++) await sleep(30);
  const answer = await ask({ job, action: 'output' });
  expect(answer).toMatchObject({ ok: false, error_code: 'resource_limit' });
  expect(await ask({ job, action: 'output' })).toEqual(answer);
});

test('refuses what is no job, and too many of them', async () => {
  const { ask, start } = scene();
  expect(await ask({ job: 'job-9', action: 'kill' })).toMatchObject({ ok: false, error_code: 'not_found' });
  expect(await ask({ action: 'output' })).toMatchObject({ ok: false, error_code: 'not_found' });
  for (let i = 0; i < 16; i++) await start('sleep 300');
  expect(await ask({ command: 'sleep 300', background: true })).toMatchObject({ error_code: 'resource_limit' });
  expect(await ask({ job: 'job-x', action: 'output' })).toMatchObject({
    suggestion: expect.stringContaining('job-16'),
  });
});

test('judges a job like any command', async () => {
  const { ask } = scene();
  expect(await ask({ command: 'rm -rf x', background: true })).toMatchObject({ ok: false, risk: 'dangerous' });
});
