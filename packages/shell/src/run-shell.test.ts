import fs from 'node:fs';
import path from 'node:path';
import { type Answer, createSession, createSpill, type Question } from '@jinn/core';
import { type CallOptions, call, makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { runShell } from './run-shell.ts';

const run = (command: string, args: object = {}, options: CallOptions = {}) =>
  call(runShell, { command, ...args }, options);

/** How many processes have this text in their command line, after those that are dying have had time to. */
async function countProcesses(text: string): Promise<number> {
  const count = () =>
    fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(text)).length;
  for (let i = 0; i < 40 && count() > 0; i++) await sleep(50);
  return count();
}

function commandLine(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const onLinux = test.skipIf(process.platform !== 'linux');
let number = 40_000 + (process.pid % 10_000);
/** The seconds of a sleep that no other process sleeps. */
const unique = () => String(++number);

test('answers in the form of the page, with risk and classification in the envelope', async () => {
  const answer = await run('echo one; echo two >&2; exit 42');
  expect(answer).toMatchObject({ ok: true, risk: 'safe', classification: 'error' });
  expect(answer.result).toBe('[exit: 42]\none\ntwo\n[classification: error — command exited with non-zero status]');
  expect((await run('true')).result).toBe('[exit: 0]\n\n[classification: success — command completed successfully]');
});

test('gives standard output, error, exit status and duration apart', async () => {
  const { meta } = await run('echo out; echo err >&2; exit 3');
  expect(meta).toMatchObject({ stdout: 'out\n', stderr: 'err\n', exit_code: 3, sandbox: 'none' });
  expect(meta).toHaveProperty('duration_ms', expect.any(Number));
  expect(meta).not.toHaveProperty('signal');
  expect((await run('kill -9 $$', { force: true })).meta).toMatchObject({ exit_code: 137, signal: 'SIGKILL' });
});

onLinux('keeps what is written to both in the order in which it came', async () => {
  const { result, meta } = await run('for i in {1..250}; do echo out $i; echo err $i >&2; done');
  const numbers = Array.from({ length: 250 }, (_, i) => i + 1);
  expect(result).toContain(`]\n${numbers.map((i) => `out ${i}\nerr ${i}\n`).join('')}`);
  expect(meta).toMatchObject({ stderr: numbers.map((i) => `err ${i}\n`).join('') });
});

test('leaves both to be opened by name', async () => {
  const { meta } = await run('echo one > /dev/stdout; echo two > /dev/stderr; echo three | tee /dev/stderr');
  expect(meta).toMatchObject({ stdout: 'one\nthree\n', stderr: 'two\nthree\n' });
});

test('runs in bash, in the workspace or a directory of it', async () => {
  const root = makeTempDirectory();
  const files = { 'sub/a.txt': 'here\n' };
  expect((await run('[[ a == a ]] && echo "$PWD" {1..3}', {}, { root, files })).result).toContain(`${root} 1 2 3`);
  expect((await run('cat a.txt; pwd', { cwd: 'sub' }, { root })).result).toContain(`here\n${root}/sub\n`);
  for (const cwd of ['..', '/etc', '.git']) {
    expect(await run('true', { cwd }, { root })).toMatchObject({ ok: false, error_code: 'path_outside_sandbox' });
  }
  expect(await run('true', { cwd: 'sub/a.txt' }, { root })).toMatchObject({ error_code: 'not_a_directory' });
});

test('gives text to standard input, which is empty otherwise', async () => {
  expect((await run('cat; cat /dev/stdin', { stdin: 'öne\n' })).result).toContain('öne\n');
  expect((await run('cat; echo end')).result).toContain(']\nend\n');
  expect((await run('ls -l /proc/self/fd/0 2>/dev/null || true', { stdin: 'x' })).result).not.toContain('socket');
});

test.for([
  ['', 'command is required'],
  [' \n\t', 'command is required'],
  ['echo \0', 'NUL'],
  [`echo ${'x'.repeat(131_072)}`, 'longer than 128 KiB'],
])('refuses to run %j', async ([command, error]) => {
  const answer = await run(command as string, { force: true });
  expect(answer).toMatchObject({ ok: false, error_code: 'invalid_args', suggestion: expect.any(String) });
  expect(answer.error).toContain(error);
});

test('passes on the variables of the page and nothing else', async () => {
  const kept = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TERM', 'USER', 'LOGNAME', 'TMPDIR', 'TZ', 'SHELL'];
  const environment = Object.fromEntries(
    [...kept, 'API_KEY', 'BASH_ENV', 'LD_PRELOAD'].map((name) => [name, `/x/${name}`]),
  );
  const { meta } = await run('compgen -e', {}, { environment });
  const names = (meta as { stdout: string }).stdout.trim().split('\n');
  expect(names.toSorted()).toEqual(
    [...kept, 'PWD', 'SHLVL', 'OLDPWD', '_'].filter((n) => names.includes(n)).toSorted(),
  );
  expect(names).toEqual(expect.arrayContaining(kept));
});

test('says that it timed out, and tells that from a status of 124', async () => {
  const answer = await run('echo before; sleep 30', { timeout: 1 });
  expect(answer).toMatchObject({ ok: true, classification: 'timeout', meta: { exit_code: 124, timed_out: true } });
  expect(answer.result).toContain('[exit: 124]\nbefore\n\nCommand timed out after 1 seconds\n');
  expect(await run('exit 124')).toMatchObject({ classification: 'error', meta: { exit_code: 124 } });
  expect((await run('exit 124')).meta).not.toHaveProperty('timed_out');
});

test('clamps the timeout, and takes 0 for the default', async () => {
  expect(await run('echo ok', { timeout: 9_999 })).toMatchObject({ ok: true });
  expect(await run('echo ok', { timeout: 0 })).toMatchObject({ ok: true, classification: 'success' });
  expect(await run('echo ok', { timeout: -1 })).toMatchObject({ error_code: 'invalid_args' });
});

onLinux('ends all that a command started at its deadline, in sessions of their own too', async () => {
  const [a, b, c] = [unique(), unique(), unique()];
  const command = `sleep ${a} & setsid sleep ${b} & (setsid bash -c "setsid sleep ${c} & exit" &); sleep 30`;
  expect(await run(command, { timeout: 1 })).toMatchObject({ classification: 'timeout' });
  for (const seconds of [a, b, c]) expect(await countProcesses(`sleep ${seconds}`)).toBe(0);
});

onLinux('answers when bash ends, and ends what it left running', async () => {
  const [a, b] = [unique(), unique()];
  const started = Date.now();
  const answer = await run(`sleep ${a} & setsid sleep ${b} >/dev/null 2>&1 & echo done`, { timeout: 20 });
  expect(Date.now() - started).toBeLessThan(10_000);
  expect(answer).toMatchObject({ classification: 'success', meta: { left_running: true, stdout: 'done\n' } });
  expect(answer.result).toContain('was ended with it');
  for (const seconds of [a, b]) expect(await countProcesses(`sleep ${seconds}`)).toBe(0);
});

test('waits for what is written last by a process that the shell does not wait for', async () => {
  expect((await run('echo hi > >(cat)')).result).toContain('hi\n');
});

onLinux('ends everything when the request is canceled', async () => {
  const seconds = unique();
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 300);
  const answer = await run(`echo started; setsid sleep ${seconds} & sleep 30`, {}, { signal: abort.signal });
  expect(answer).toMatchObject({ ok: false, error_code: 'canceled', risk: 'safe', meta: { stdout: 'started\n' } });
  expect(await countProcesses(`sleep ${seconds}`)).toBe(0);
  expect(await run('true', {}, { signal: abort.signal })).toMatchObject({ error_code: 'canceled' });
});

test('survives a command that kills what watches over it', async () => {
  const seconds = unique();
  const answer = await run(`kill -9 $PPID; sleep ${seconds}`, { force: true });
  expect(answer).toMatchObject({ ok: true, classification: 'signal' });
  expect(await run('echo next')).toMatchObject({ meta: { stdout: 'next\n' } });
});

test('stops a command that writes without end', async () => {
  const answer = await run('head -c 70000000 /dev/zero; sleep 60', { timeout: 60 });
  expect(answer).toMatchObject({ ok: false, error_code: 'resource_limit', risk: 'safe' });
  expect(answer.error).toContain('64 MB');
  const { output_file } = answer.meta as { output_file: string };
  expect(answer.suggestion).toContain(output_file);
  expect(fs.statSync(output_file).size).toBeLessThanOrEqual(64 * 1024 * 1024);
});

test('keeps long output in a file that read_file opens, and shows its end', async () => {
  const state = makeTempDirectory();
  const answer = await run('seq 1 300000; exit 7', {}, { state });
  expect(answer).toMatchObject({ truncated: true, meta: { exit_code: 7 } });
  expect(answer.result).toMatch(
    /^\[exit: 7\]\n.*\n300000\n\n\[Showing 2000 of 300000 lines \(13\.\dKB of 1\.9MB\)\. Full output: .*\]\n/s,
  );
  const { output_file } = answer.meta as { output_file: string };
  expect(path.basename(output_file)).toMatch(/^jinn-shell-\w+\.log$/);
  const log = createSpill(`${state}/spill`).open(output_file);
  expect(log?.slice(0, 4).toString()).toBe('1\n2\n');
  log?.close();
});

test('refuses dangerous commands as the page says, unless they are forced', async () => {
  const root = makeTempDirectory();
  const files = { 'victim.txt': 'x' };
  expect(await run('rm -f victim.txt', {}, { root, files })).toMatchObject({
    ok: false,
    error: 'blocked by risk classifier: dangerous — removes files — irreversible',
    error_code: 'command_blocked',
    suggestion: 'pass force:true in args to override, or use a less-destructive command',
    risk: 'dangerous',
  });
  expect(fs.existsSync(`${root}/victim.txt`)).toBe(true);
  const inside = await run('ls && rm -f victim.txt', {}, { root });
  expect(inside.error).toContain('(in: rm -f victim.txt)');
  expect(await run('rm -f victim.txt', { force: true }, { root })).toMatchObject({ ok: true, risk: 'dangerous' });
  expect(fs.existsSync(`${root}/victim.txt`)).toBe(false);
});

test('judges without executing', async () => {
  const root = makeTempDirectory();
  const answer = await run('rm -rf x; touch made', { dry_run: true, force: true }, { root });
  expect(answer).toMatchObject({ ok: true, risk: 'dangerous', classification: 'success' });
  expect(answer.result).toBe('[dry-run] would execute: rm -rf x; touch made');
  expect(answer.meta).toMatchObject({ risk_part: 'rm -rf x' });
  expect(fs.readdirSync(root)).toEqual([]);
});

test('asks a person where there is one', async () => {
  const root = makeTempDirectory();
  const state = makeTempDirectory();
  const asked: string[] = [];
  const answering = (answer: Answer | undefined) => ({
    root,
    state,
    files: { 'a.txt': '' },
    ask: async ({ message }: Question) => {
      asked.push(message);
      return answer;
    },
  });
  const refused = { ok: false, error_code: 'command_blocked', risk: 'dangerous' };
  expect(await run('rm a.txt', {}, answering('deny'))).toMatchObject({
    ...refused,
    error: expect.stringContaining('declined by the user'),
  });
  expect(await run('rm a.txt', {}, answering(undefined))).toMatchObject({
    ...refused,
    error: expect.stringContaining('did not answer'),
  });
  expect(fs.existsSync(`${root}/a.txt`)).toBe(true);
  expect(await run('rm a.txt', {}, answering('once'))).toMatchObject({ ok: true, risk: 'dangerous' });
  expect(fs.existsSync(`${root}/a.txt`)).toBe(false);
  await run('true', {}, answering('deny'));
  expect(asked).toHaveLength(3);
  expect(asked[0]).toContain('rm a.txt');
});

test('runs a command again that a person allowed for good, and no other', async () => {
  const at = { root: makeTempDirectory(), state: makeTempDirectory(), files: { 'a.txt': '' } };
  expect(await run('rm a.txt', {}, { ...at, ask: async () => 'always' })).toMatchObject({ ok: true });
  expect(await run('rm a.txt', {}, at)).toMatchObject({ ok: true });
  expect(await run('rm -f a.txt', {}, at)).toMatchObject({ error_code: 'command_blocked' });
});

test('tells a host that wants to know how far it is', async () => {
  const told: unknown[][] = [];
  await run('echo working; sleep 1.5', {}, { progress: (...report) => told.push(report) });
  expect(told[0]).toEqual(['working', 1, undefined]);
});

test('runs several commands at once, each with its own output', async () => {
  const session = createSession();
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => run(`sleep 0.1; echo ${i}`, {}, { session })));
  expect(answers.map(({ meta }) => (meta as { stdout: string }).stdout)).toEqual(
    Array.from({ length: 8 }, (_, i) => `${i}\n`),
  );
});
