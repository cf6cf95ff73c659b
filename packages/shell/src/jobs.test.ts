import fs from 'node:fs';
import { createSession } from '@jinn/core';
import { type CallOptions, call, makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { runShell } from './run-shell.ts';

/** Waits for `go`. */
const UNTIL_TOLD = 'until [ -e go ]; do sleep 0.05; done';
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function scene(more: CallOptions = {}) {
  const session = createSession();
  const root = makeTempDirectory();
  const options: CallOptions = { ...more, session, root, state: makeTempDirectory() };
  onTestFinished(() => session.close());
  const ask = (args: object) => call(runShell, args, options);
  const start = async (command: string, args = {}) => {
    const answer = await ask({ command, background: true, ...args });
    return (answer.meta as { job: string }).job;
  };
  const until = async (job: string, text: string) => {
    for (let i = 0; i < 600; i++) {
      const answer = await ask({ job, action: 'output' });
      if (answer.result?.includes(text)) return answer;
      await sleep(30);
    }
    throw new Error(`never wrote ${text}`);
  };
  const go = () => fs.writeFileSync(`${root}/go`, '');
  return { session, ask, start, until, go };
}

test('answers at once with a job, whose output is read until it ends', async () => {
  const { ask, start, until, go } = scene();
  const job = await start(`echo first; printf prompt; ${UNTIL_TOLD}; echo; echo second; exit 3`);
  const running = await until(job, 'prompt');
  expect(running).toMatchObject({ ok: true, risk: 'safe', meta: { running: true } });
  expect(running.result).toMatch(
    /^\[job-1 has been running for \d+ seconds\. since: 12 shows what comes next\]\nfirst\nprompt$/,
  );
  go();
  const ended = await until(job, '[exit: 3]');
  expect(ended).toMatchObject({ classification: 'error', meta: { exit_code: 3 } });
  const again = await ask({ job, action: 'output' });
  expect(again.result).toBe(
    '[exit: 3]\n[reported already: lines 1 to 3; since: 0 shows the output again]\n[classification: error — command exited with non-zero status]',
  );
  expect(again).toEqual({ ...ended, result: again.result });
  expect(await ask({ job, action: 'output', since: 0 })).toEqual(ended);
});

test('an answer about a job that has ended repeats no output that was reported, and drops none', async () => {
  const { ask, start, until, go } = scene();
  const job = await start(`echo one; ${UNTIL_TOLD}; echo two`);
  const { meta } = await until(job, 'one');
  go();
  for (let i = 0; i < 600 && !(await ask({ action: 'list' })).result?.includes('ended with 0'); i++) await sleep(30);
  const { next } = meta as { next: number };
  expect((await ask({ job, since: next })).result).toMatch(/^\[exit: 0\]\ntwo\n/);
  for (const action of ['output', 'kill']) {
    expect((await ask({ job, action })).result).toMatch(/^\[exit: 0\]\n\[reported already: lines 1 to 2;/);
  }
  expect((await ask({ job, since: next })).result).toMatch(/^\[exit: 0\]\ntwo\n/);
  expect((await ask({ job, max_output: 100 })).result).toMatch(/^\[exit: 0\]\none\ntwo\n/);
  const late = await start('echo one; echo two');
  for (let i = 0; i < 600 && !(await ask({ action: 'list' })).result?.match(/job-2\tended/); i++) await sleep(30);
  // The first line was never reported.
  expect((await ask({ job: late, since: 4 })).result).toMatch(/^\[exit: 0\]\ntwo\n/);
  expect((await ask({ job: late })).result).toMatch(/^\[exit: 0\]\none\ntwo\n/);
  expect((await ask({ job: late })).result).toContain('[reported already: lines 1 to 2;');
  const silent = await start('exit 2');
  await until(silent, '[exit: 2]');
  expect((await ask({ job: silent })).result).toMatch(/^\[exit: 2\]\n\[classification/);
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
      { job: one, state: 'ended by SIGTERM' },
      { job: two, state: expect.stringContaining('running') },
    ],
  });
});

test('a job tells its server where there are several, and no other server takes it for one of its own', async () => {
  const [here, there] = [scene({ server: 'a:7337' }), scene({ server: 'b:7337' })];
  const job = await here.start('echo up; sleep 300');
  expect(job).toBe('job-1@a:7337');
  await here.until(job, 'up');
  for (const args of [{ job }, { job, action: 'kill' }, { job, wait_for: 'up' }]) {
    expect(await there.ask(args)).toMatchObject({
      ok: false,
      error_code: 'not_found',
      error: 'job-1@a:7337 is on the server a:7337, and this is b:7337: jobs stay on their server',
      suggestion: expect.stringContaining('send it again, which may reach a:7337'),
    });
  }
  expect((await there.ask({ action: 'list' })).result).toBe('no background jobs on this server, b:7337');
  expect(await there.start('sleep 300')).toBe('job-1@b:7337');
  expect(await there.ask({ job: 'job-9@b:7337' })).toMatchObject({ error: 'no such job: job-9@b:7337' });
  expect(await scene().ask({ job })).toMatchObject({ error: 'no such job: job-1@a:7337' });
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

test('stops a job that writes without end, and says so whenever it is asked', { tags: 'slow' }, async () => {
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

test('asks a job to end, and ends it when it does not', async () => {
  const { ask, start, until } = scene();
  const polite = await start("trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.1; done");
  const stubborn = await start("trap '' TERM; echo up; while :; do sleep 0.1; done");
  await until(polite, 'up');
  await until(stubborn, 'up');
  const ended = await ask({ job: polite, action: 'kill' });
  expect(ended.result).toMatch(/^\[exit: 3\]\nup\n(Terminated\n)?bye\n\n\[SIGTERM ended it\]\n/);
  const killed = await ask({ job: stubborn, action: 'kill' });
  expect(killed.result).toContain('[SIGTERM did not end it within 2 seconds; SIGKILL did]');
  expect(killed.meta).toMatchObject({ exit_code: 137 });
  expect((await ask({ action: 'list' })).result).toMatch(/ended by SIGTERM.*\n.*ended by SIGKILL/);
});

test('a job that has hardly begun is asked to end, too', async () => {
  const { ask } = scene();
  for (let i = 1; i <= 20; i++) {
    await ask({ command: 'sleep 100', background: true });
    expect((await ask({ job: `job-${i}`, action: 'kill' })).result).toContain('[SIGTERM ended it]');
  }
});

test('a job in the sandbox is asked to end too', async ({ skip }) => {
  const { session } = scene();
  const options = { session, sandbox: { mode: 'auto' } } as const;
  const answer = await call(
    runShell,
    { command: "trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.1; done", background: true, wait_for: 'up' },
    options,
  );
  const { job, sandbox } = answer.meta as { job: string; sandbox: string };
  skip(sandbox !== 'bubblewrap');
  const early = await call(runShell, { command: 'sleep 100', background: true }, options);
  const { job: begun } = early.meta as { job: string };
  expect((await call(runShell, { job: begun, action: 'kill' }, options)).result).toContain('[SIGTERM ended it]');
  const { result } = await call(runShell, { job, action: 'kill' }, options);
  expect(result).toMatch(/^\[exit: 3\]\nup\n(Terminated\n)?bye\n\n\[SIGTERM ended it\]\n/);
});

test('shows what a job wrote from a byte on, also when it has ended and its output is long', async () => {
  const { ask, start, until, go } = scene();
  const job = await start(`seq 1 400000; echo half; ${UNTIL_TOLD}; echo rest`);
  const { meta } = await until(job, 'half');
  const { next } = meta as { next: number };
  go();
  await until(job, '[exit: 0]');
  expect((await ask({ job, action: 'output', since: next })).result).toMatch(/^\[exit: 0\]\nrest\n\[class/);
  const middle = await ask({ job, action: 'output', since: 6 });
  expect(middle.result).toMatch(
    /\n4\n\[\S+ lines like `5`\]\n\S+\n[\s\S]*\n400000\nhalf\nrest\n\n\[Showing \d+ of 399999 lines/,
  );
  expect((await ask({ job, action: 'output', max_output: 60 })).result).toContain('\n1\n');
});

test('waits for a pattern in the output, and for a port', async () => {
  const { ask, start } = scene();
  const script = `
    const server = require('node:net').createServer().listen(0, '127.0.0.1', () => {
      console.log('\\x1b[32mport\\x1b[0m ' + server.address().port);
    });`;
  const args = { command: 'cat > server.js; node server.js', stdin: script, background: true };
  const seen = await ask({ ...args, wait_for: '^port \\d+' });
  const port = Number(/port (\d+)/.exec(seen.result ?? '')?.[1]);
  for (const wait_for of [port, `:${port}`]) {
    expect(await ask({ job: 'job-1', action: 'output', wait_for })).toMatchObject({
      ok: true,
      meta: { running: true },
    });
  }
  const late = await ask({ job: 'job-1', action: 'output', wait_for: 'never', timeout: 1 });
  expect(late).toMatchObject({ ok: true, meta: { warnings: ['wait_for: it was not there within 1 seconds'] } });
  const job = await start('sleep 0.2; exit 4');
  expect((await ask({ job, action: 'output', wait_for: 'never' })).result).toContain('[exit: 4]');
});

test('refuses to wait for what it cannot', async () => {
  const { ask } = scene();
  const background = true;
  expect(await ask({ command: 'true', background, wait_for: '(' })).toMatchObject({ error_code: 'invalid_regex' });
  expect(await ask({ command: 'true', background, wait_for: 70_000 })).toMatchObject({ error_code: 'invalid_args' });
  expect(await ask({ command: 'true', wait_for: 'x' })).toMatchObject({ error: 'wait_for needs a background job' });
  expect(await ask({ command: 'true', since: 3 })).toMatchObject({ error: 'since needs a background job' });
  expect(await ask({ job: 'job-1', action: 'kill', since: 3 })).toMatchObject({
    error: 'since does not go with action',
  });
  expect((await ask({ action: 'list' })).result).toBe('no background jobs');
});

test('no view of a job ends or begins within a character', async () => {
  const { ask, start, until, go } = scene();
  const job = await start(
    String.raw`printf 'a≤\xe2'; printf 'b\xc3' >&2; ${UNTIL_TOLD}; printf '\x89\xa4\n'; printf '\xb6\n' >&2`,
  );
  const first = await until(job, '≤b');
  expect(first.result).toMatch(/since: 5 shows what comes next\]\na≤b$/);
  go();
  const text = (answer: { result?: string | undefined }) => /\]\n([\s\S]*)\n\[class/.exec(answer.result ?? '')?.[1];
  await until(job, '[exit: 0]');
  const rest = text(await ask({ job, action: 'output', since: 5 }));
  expect([...(rest ?? '')].toSorted().join('')).toBe('\nö≤');
  for (const since of [2, 3]) expect(text(await ask({ job, action: 'output', since }))).toMatch(/^≤b/);
  expect(text(await ask({ job, action: 'output', since: 4 }))).toMatch(/^b/);
});

test('what a command writes of a character that never ends is kept', async () => {
  const { result } = await call(runShell, { command: String.raw`printf 'a\xe2\x89'` });
  expect(result).toContain(']\na\ufffd\n');
});
