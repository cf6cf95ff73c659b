import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type Answer, createSession, type Question } from '@jinn/core';
import { findSandbox } from '@jinn/process/sandbox';
import { type CallOptions, call, makeTempDirectory } from '@jinn/testkit';
import { createSpill } from '@jinn/workspace';
import { expect, onTestFinished, test, vi } from 'vitest';
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
  const success = '[classification: success — command completed successfully]';
  expect((await run('true')).result).toBe(`[exit: 0]\n${success}`);
  expect((await run('echo one')).result).toBe(`[exit: 0]\none\n${success}`);
});

test('shows a model the classification only if it says more than the status', async () => {
  const toModel = { maxResult: 20_000 };
  expect((await run('echo one', {}, toModel)).result).toBe('[exit: 0]\none\n');
  expect((await run('exit 42', {}, toModel)).result).toBe('[exit: 42]\n');
  expect((await run('grep x /dev/null', {}, toModel)).result).toBe(
    '[exit: 1]\n[classification: expected_nonzero — no matches found]',
  );
});

test('gives exit status and duration apart, and standard output and error if it is asked to', async () => {
  const { meta } = await run('echo out; echo err >&2; exit 3');
  expect(meta).toMatchObject({ exit_code: 3, sandbox: 'none: off' });
  expect(JSON.stringify(meta)).not.toMatch(/out|err/);
  const apart = await run('printf "out\\r\\n"; printf "\\e[1merr" >&2', { streams: true });
  expect(apart.meta).toMatchObject({ stdout: 'out\r\n', stderr: '\x1b[1merr' });
  expect(apart.result).toContain(']\nout\nerr\n');
  expect(meta).toHaveProperty('duration_ms', expect.any(Number));
  expect(meta).not.toHaveProperty('signal');
  expect((await run('kill -9 $$', { force: true })).meta).toMatchObject({ exit_code: 137, signal: 'SIGKILL' });
});

onLinux('keeps what is written to both in the order in which it came', async () => {
  const { result, meta } = await run('for i in {1..250}; do echo out $i; echo err $i >&2; done', { streams: true });
  const numbers = Array.from({ length: 250 }, (_, i) => i + 1);
  expect(result).toContain(`]\n${numbers.map((i) => `out ${i}\nerr ${i}\n`).join('')}`);
  expect(meta).toMatchObject({ stderr: numbers.map((i) => `err ${i}\n`).join('') });
});

test('leaves both to be opened by name', async () => {
  const { meta } = await run('echo one > /dev/stdout; echo two > /dev/stderr; echo three | tee /dev/stderr', {
    streams: true,
  });
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
    [...kept, 'API_KEY', 'BASH_ENV', 'LD_PRELOAD', 'GIT_PAGER'].map((name) => [name, `/x/${name}`]),
  );
  const { meta } = await run('compgen -e', { streams: true }, { environment });
  const names = (meta as { stdout: string }).stdout.trim().split('\n');
  expect(names.toSorted()).toEqual(
    [...kept, 'PWD', 'SHLVL', 'OLDPWD', '_', 'GIT_EDITOR', 'EDITOR', 'VISUAL']
      .filter((n) => names.includes(n))
      .toSorted(),
  );
  expect(names).toEqual(expect.arrayContaining(kept));
});

test('says that it timed out, and tells that from a status of 124', async () => {
  const answer = await run('echo before; sleep 30', { timeout: 2 });
  expect(answer).toMatchObject({ ok: true, classification: 'timeout', meta: { exit_code: 124, timed_out: true } });
  expect(answer.result).toContain('[exit: 124]\nbefore\n\nCommand timed out after 2 seconds\n');
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
  const answer = await run(`sleep ${a} & setsid sleep ${b} >/dev/null 2>&1 & echo done`, { timeout: 20 });
  expect(answer).toMatchObject({ classification: 'success', meta: { left_running: true } });
  expect(answer.result).toContain('was ended with it');
  for (const seconds of [a, b]) expect(await countProcesses(`sleep ${seconds}`)).toBe(0);
});

test('waits for what is written last by a process that the shell does not wait for', async () => {
  expect((await run('echo hi > >(cat)')).result).toContain('hi\n');
});

onLinux('ends a command that stops what watches over it', async () => {
  const [a, b] = [unique(), unique()];
  const once = await run(`setsid sleep ${a} & kill -STOP $PPID; sleep 30`, { timeout: 1, force: true });
  expect(once).toMatchObject({ ok: true, classification: 'timeout', meta: { exit_code: 124 } });
  const loop = `setsid perl -e 'kill STOP => $ARGV[0] while 1' $PPID &`;
  const again = `setsid sleep ${b} & ${loop} ${loop} ${loop} sleep 300`;
  expect(await run(again, { timeout: 1, force: true })).toMatchObject({ classification: 'timeout' });
  for (const seconds of [a, b]) expect(await countProcesses(`sleep ${seconds}`)).toBe(0);
});

onLinux('resumes what watches over a command, so that the answer comes when it ends', { tags: 'slow' }, async () => {
  const answer = await run('kill -STOP $PPID; echo done', { timeout: 20, force: true });
  expect(answer).toMatchObject({ classification: 'success', result: expect.stringContaining('done') });
});

onLinux('ends everything when the request is canceled', async () => {
  const seconds = unique();
  const abort = new AbortController();
  const root = makeTempDirectory();
  const command = `echo started; setsid sleep ${seconds} & touch begun; sleep 30`;
  const answered = run(command, {}, { signal: abort.signal, root });
  await expect.poll(() => fs.existsSync(`${root}/begun`)).toBe(true);
  abort.abort();
  const answer = await answered;
  expect(answer).toMatchObject({ ok: false, error_code: 'canceled', risk: 'caution', meta: { output: 'started' } });
  expect(await countProcesses(`sleep ${seconds}`)).toBe(0);
  expect(await run('true', {}, { signal: abort.signal })).toMatchObject({ error_code: 'canceled' });
});

test('survives a command that kills what watches over it', async () => {
  const seconds = unique();
  const answer = await run(`kill -9 $PPID; sleep ${seconds}`, { force: true });
  expect(answer).toMatchObject({ ok: true, classification: 'signal' });
  expect((await run('echo next')).result).toContain('next\n');
});

test('stops a command that writes without end', async () => {
  const answer = await run('head -c 70000000 /dev/zero; sleep 60', { timeout: 60 });
  expect(answer).toMatchObject({ ok: false, error_code: 'resource_limit', risk: 'safe' });
  expect(answer.error).toContain('64 MB');
  const { output_file, output } = answer.meta as { output_file: string; output: string };
  expect(output).toContain(`Full output: search_files {"path":"${output_file}"`);
  expect(answer.suggestion).toContain(output_file);
  expect(fs.statSync(output_file).size).toBeLessThanOrEqual(64 * 1024 * 1024);
});

test('keeps long output in a file that read_file opens, and shows its end', async () => {
  const [state, root] = [makeTempDirectory(), makeTempDirectory()];
  const answer = await run('seq 1 300000; exit 7', {}, { state, root });
  expect(answer).toMatchObject({ truncated: true, meta: { exit_code: 7 } });
  expect(answer.result).toMatch(
    /^\[exit: 7\]\n1\n\[299,799 lines like `2`\]\n299801\n.*\n300000\n\n\[Showing 201 of 300000 lines \(1\.4KB of 1\.9MB\)\. Full output: search_files \{.*\}\]\n/s,
  );
  const { output_file } = answer.meta as { output_file: string };
  expect(path.basename(output_file)).toMatch(/^jinn-shell-\w+\.log$/);
  const log = createSpill(`${state}/spill`, root).open(output_file);
  expect(log?.slice(0, 4).toString()).toBe('1\n2\n');
  log?.close();
});

test('shows the last state of progress, without colors and escape codes', async () => {
  const command = String.raw`for i in {1..1000}; do printf '\r\e[2K\e[32m%d%%\e[0m' $i; done; printf '\ndone\r\n'`;
  const { result, meta } = await run(command);
  expect(result).toContain(']\n1000%\ndone\n');
  expect(meta).toMatchObject({ overwritten: true });
  expect((await run(command, { color: true })).result).toContain(']\n\x1b[32m1000%\x1b[0m\ndone\n');
  expect((await run('printf "a\\r\\nb\\r\\n"')).meta).not.toHaveProperty('overwritten');
});

test('keeps the output as it came in the log file', async () => {
  const { meta } = await run(String.raw`for i in {1..9000}; do printf '\e[1m%d\r\n' $i; done`);
  const { output_file } = meta as { output_file: string };
  expect(fs.readFileSync(output_file, 'utf8')).toContain('\x1b[1m8999\r\n\x1b[1m9000\r\n');
});

test('tells a class by the command behind wrappers and by all of a pipeline', async () => {
  const at = { root: makeTempDirectory(), files: { f: 'text\n' } };
  expect(await run('timeout 3 grep nope f', {}, at)).toMatchObject({ classification: 'expected_nonzero' });
  expect(await run('cat f | grep nope', {}, at)).toMatchObject({ classification: 'expected_nonzero' });
  expect(await run('cat nofile | grep nope', {}, at)).toMatchObject({ classification: 'error' });
  expect(await run('git init --nope; exit 129', {}, at)).toMatchObject({ classification: 'signal' });
  expect(await run('git init --nope', {}, at)).toMatchObject({ classification: 'error', meta: { exit_code: 129 } });
});

/** Makes this process write no file larger than so many bytes, as if the disk were full, while something runs. */
async function withSmallDisk<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  const limit = (size: number | 'unlimited') =>
    execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${size}:`]);
  limit(bytes);
  try {
    return await work();
  } finally {
    limit('unlimited');
  }
}

const canLimit = test.skipIf(spawnSync('prlimit', ['--version']).status !== 0);

canLimit('names no log that the disk did not take whole', async () => {
  const state = makeTempDirectory();
  const at = { state, environment: { ...process.env } };
  const answer = await withSmallDisk(200_000, () => run('seq 1 300000', {}, at));
  expect(answer).toMatchObject({ ok: true, truncated: true });
  expect(answer.result).toMatch(
    /\[Showing 201 of 300000 lines \(1\.4KB of 1\.9MB\)\. The full output could not be kept\]/,
  );
  expect(answer.meta).not.toHaveProperty('output_file');
  expect(fs.readdirSync(`${state}/spill`, { recursive: true }).join()).not.toContain('.log');
});

canLimit('says that text for standard input cannot be stored, and leaves nothing of it', async () => {
  const place = makeTempDirectory();
  vi.stubEnv('TMPDIR', place);
  onTestFinished(() => void vi.unstubAllEnvs());
  const stdin = 'x'.repeat(1_000_000);
  const answer = await withSmallDisk(200_000, () => run('wc -c', { stdin }));
  expect(answer).toMatchObject({ ok: false, error_code: 'write_failed', error: expect.stringContaining('stdin') });
  expect(answer.suggestion).toContain('redirect');
  expect(fs.readdirSync(place)).toEqual([]);
  expect((await run('wc -c', { stdin })).result).toContain('1000000');
});

test('refuses dangerous commands as the page says, unless they are forced', async () => {
  const root = makeTempDirectory();
  const files = { 'victim.txt': 'x' };
  expect(await run('rm -f victim.txt', {}, { root, files })).toMatchObject({
    ok: false,
    error: 'blocked by risk classifier: dangerous — removes files — irreversible',
    error_code: 'command_blocked',
    suggestion: expect.stringContaining('pass force:true in args to override, or use a less-destructive command'),
    risk: 'dangerous',
  });
  expect(fs.existsSync(`${root}/victim.txt`)).toBe(true);
  const inside = await run('ls && rm -f victim.txt', {}, { root });
  expect(inside.error).toContain('(in: rm -f victim.txt)');
  expect(await run('rm -f victim.txt', { force: true }, { root })).toMatchObject({ ok: true, risk: 'dangerous' });
  expect(fs.existsSync(`${root}/victim.txt`)).toBe(false);
});

test('judges without executing, and says what would be refused', async () => {
  const root = makeTempDirectory();
  const at = { root, state: makeTempDirectory() };
  const dry = (command: string, args = {}) => run(command, { dry_run: true, ...args }, at);
  const forced = await dry('rm -rf x; touch made', { force: true });
  expect(forced).toMatchObject({ ok: true, risk: 'dangerous', classification: 'success' });
  expect(forced.result).toBe('[dry-run] would execute: rm -rf x; touch made');
  expect(forced.meta).toMatchObject({ risk_part: 'rm -rf x', would_run: true });
  const refused = await dry('rm -rf x; touch made');
  expect(refused).toMatchObject({ ok: true, risk: 'dangerous', meta: { would_run: false, risk_part: 'rm -rf x' } });
  expect(refused.result).toMatch(
    /^\[dry-run\] would execute: rm -rf x; touch made\n\[dry-run\] would be refused: dangerous — .* \(in: rm -rf x\)\. .*force:true/,
  );
  expect(await dry('ls')).toMatchObject({ result: '[dry-run] would execute: ls', meta: { would_run: true } });
  expect(await dry('ls', { cwd: '..' })).toMatchObject({ ok: false, error_code: 'path_outside_sandbox' });
  expect(fs.readdirSync(root)).toEqual([]);
  await run('rm a', {}, { ...at, ask: async () => 'always' });
  expect(await dry('rm a')).toMatchObject({ result: '[dry-run] would execute: rm a', meta: { would_run: true } });
  expect(await dry('rm a', { stdin: 'x' })).toMatchObject({ meta: { would_run: false } });
});

test.for([
  ['action', { action: 'output', job: 'job-1', command: 'ls' }, 'command does not go with action'],
  ['job', { job: 'job-1', command: 'ls' }, 'command does not go with job'],
  ['action', { action: 'kill', job: 'job-1', force: true }, 'force does not go with action'],
  ['action', { action: 'list', timeout: 3 }, 'timeout does not go with action'],
  ['action', { action: 'output', job: 'job-1', streams: true }, 'streams does not go with action'],
  ['action', { action: 'list', network: false }, 'network does not go with action'],
  ['action', { action: 'list', dry_run: true }, 'dry_run does not go with action'],
  ['list', { action: 'list', job: 'job-1' }, 'job does not go with the action list'],
] as const)('refuses arguments that do not go together with %s: %j', async ([, args, error]) => {
  const { action = 'output', job } = args as { action?: string; job?: string };
  const answer = await call(runShell, args);
  expect(answer).toMatchObject({ ok: false, error_code: 'invalid_args', error });
  expect(answer.suggestion).toContain(JSON.stringify(action === 'list' ? { action } : { job, action }));
});

test('takes empty arguments beside others for absent ones', async () => {
  expect(
    (await call(runShell, { action: 'list', job: '', command: '', timeout: 0, force: false, network: true })).result,
  ).toBe('no background jobs');
  expect((await call(runShell, { command: 'echo hi', job: '' })).result).toContain('hi');
});

test('asks a person though the call is forced, where the operator says so', async () => {
  const at = { root: makeTempDirectory(), dangerous: 'ask' } as const;
  const force = { force: true };
  const refused = await run('rm victim.txt', force, { ...at, files: { 'victim.txt': 'x' } });
  expect(refused).toMatchObject({ error_code: 'command_blocked', suggestion: expect.stringContaining('apply_patch') });
  expect(JSON.stringify(refused)).not.toContain('force');
  expect(await run('rm victim.txt', force, { ...at, ask: async () => 'deny' })).toMatchObject({ ok: false });
  expect(fs.existsSync(`${at.root}/victim.txt`)).toBe(true);
  expect(await run('rm victim.txt', {}, { ...at, ask: async () => 'once' })).toMatchObject({ ok: true });
  expect(fs.existsSync(`${at.root}/victim.txt`)).toBe(false);
});

test('runs dangerous commands unasked, or none at all, where the operator says so', async () => {
  const at = { root: makeTempDirectory(), state: makeTempDirectory(), files: { 'a.txt': 'x' } };
  const ask = vi.fn(async () => 'always' as const);
  expect(await run('touch b; rm b', {}, { ...at, ask, dangerous: 'allow' })).toMatchObject({ ok: true });
  expect(ask).not.toHaveBeenCalled();
  expect(await run('rm a.txt', {}, { ...at, ask, dangerous: 'ask' })).toMatchObject({ ok: true });
  const denied = await run('rm a.txt', { force: true }, { ...at, ask, dangerous: 'deny' });
  expect(denied).toMatchObject({ error_code: 'command_blocked', error: expect.stringContaining('switched off') });
  expect([ask.mock.calls.length, fs.existsSync(`${at.root}/a.txt`)]).toEqual([1, true]);
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
    error: expect.stringContaining('the user denied this call'),
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

/** Keeps the questions, and gives one answer to all. */
function person(answer: Answer) {
  const asked: Question[] = [];
  const ask = async (question: Question) => {
    asked.push(question);
    return answer;
  };
  return { asked, ask };
}

test('"always" for a command is for its standard input, directory, background and network too', async () => {
  const { asked, ask } = person('always');
  const session = createSession();
  onTestFinished(() => session.close());
  const at = { root: makeTempDirectory(), state: makeTempDirectory(), files: { 'src/x': '' }, session, ask };
  const variants = [{}, { stdin: 'one' }, { stdin: 'two' }, { stdin: '' }, { cwd: 'src' }, { background: true }];
  for (const args of variants) expect(await run('rm -f x', args, at)).toMatchObject({ ok: true });
  expect(asked).toHaveLength(variants.length);
  expect(new Set(asked.map(({ permission }) => permission.key)).size).toBe(variants.length);
  for (const args of [...variants, { cwd: 'src/' }, { cwd: './src' }, { cwd: '.' }, { network: true, timeout: 9 }]) {
    expect(await run('rm -f x', args, at)).toMatchObject({ ok: true });
  }
  expect(asked).toHaveLength(variants.length);
  await run('rm -f x', { network: false }, at);
  expect(asked.at(-1)).toMatchObject({ message: expect.stringContaining('It gets no network.') });
});

test('a grant for a command does not count in another sandbox', async () => {
  const { asked, ask } = person('always');
  const at = { root: makeTempDirectory(), state: makeTempDirectory(), ask };
  await run('rm -f x', {}, at);
  expect(asked[0]?.message).toContain('No sandbox confines it.');
  if (!(await findSandbox({ network: true })).works) return;
  for (const writable of [[], ['/var/tmp'], ['/var/tmp']]) {
    await run('rm -f x', {}, { ...at, sandbox: { mode: 'require', writable } });
  }
  expect(asked).toHaveLength(3);
  expect(asked[1]?.message).toContain('The sandbox bubblewrap confines it.');
});

test('a question shows all that decides, the risky part first', async () => {
  const { asked, ask } = person('deny');
  const at = { root: makeTempDirectory(), files: { 'src/x': '' }, ask };
  await run('echo hi; rm -rf ~', { stdin: 'rm -rf /', cwd: 'src', background: true }, at);
  expect(asked[0]?.message).toMatch(
    /^Run this command\? It removes files.*\n\nThe risky part:\n {4}rm -rf ~\n\nThe whole:\n\n {4}echo hi; rm -rf ~\n\nIts standard input \(8 characters, sha256 [0-9a-f]{12}\):\n {4}rm -rf \/\n\nIt runs in the directory src\.\nIt runs in the background, until the session ends\.\nNo sandbox confines it\. It can read and change all that you can.*\n\n"Always" /,
  );
  expect(asked[0]?.permission.key).toMatch(
    /^echo hi; rm -rf ~ \[in src\] \[in the background\] \[standard input: 8 characters, sha256 [0-9a-f]{12}\]$/,
  );
});

test('a question names every dangerous part with its reason, worst first', async () => {
  const { asked, ask } = person('deny');
  await run('rm -rf build && git push --force origin main', {}, { ask });
  await run('sudo rm x; echo done', {}, { ask });
  expect(asked[0]?.message).toMatch(
    /^Run this command\? 2 parts of it are dangerous\.\n\nIt overwrites what others may have fetched:\n {4}git push --force origin main\n\nIt removes files — irreversible:\n {4}rm -rf build\n\nThe whole:\n\n {4}rm -rf build && git push --force origin main\n\n/,
  );
  expect(asked[1]?.message).toContain('It runs with the rights of another user, and removes files — irreversible.');
});

test('the worst part is in a question, however many come before it', async () => {
  const { asked, ask } = person('deny');
  const many = Array.from({ length: 40 }, (_, i) => `rm -rf build/${i}`).join('; ');
  await run(`${many}; echo ${'a'.repeat(4_000)}; cat ~/.ssh/id_rsa; echo ${'b'.repeat(4_000)}`, {}, { ask });
  expect(asked[0]?.message).toMatch(
    /^Run this command\? 41 parts of it are dangerous, of which these are the 20 worst\.\n/,
  );
  expect(asked[0]?.message).toContain('cat ~/.ssh/id_rsa');
});

test('"always" is for the files that a command reads, too', async () => {
  const { asked, ask } = person('always');
  const at = { root: makeTempDirectory(), state: makeTempDirectory(), files: { 'q.txt': 'one', 'd/x': '' }, ask };
  const read = 'cat q.txt; rm -f x';
  for (let times = 0; times < 2; times++) expect(await run(read, {}, at)).toMatchObject({ ok: true });
  expect(asked).toHaveLength(1);
  expect(asked[0]?.message).toContain('while the files that it reads are the same');
  fs.writeFileSync(`${at.root}/q.txt`, 'two');
  await run(read, {}, { root: at.root, state: at.state, ask });
  expect(asked).toHaveLength(2);
  fs.rmSync(`${at.root}/q.txt`);
  for (let times = 0; times < 2; times++) await run(read, {}, { root: at.root, state: at.state, ask });
  expect(asked).toHaveLength(3);
});

test('"always" for what a command changes holds while its directories are the same', async () => {
  const { asked, ask } = person('always');
  const at = { root: makeTempDirectory(), state: makeTempDirectory(), ask };
  const commands = [
    'rm -rf build/*',
    'rm -rf build/sub',
    'chmod -R 700 build; rm -f x',
    'cd build && rm -rf sub',
    'rm -f a; echo x > build/t',
  ];
  const runAll = async (files = {}) => {
    for (const command of commands) await run(command, {}, { ...at, files });
  };
  await runAll({ 'build/t': '', 'src/t': '', 'src/sub/t': '' });
  await runAll();
  expect(asked).toHaveLength(commands.length);
  fs.rmSync(`${at.root}/build`, { recursive: true });
  fs.symlinkSync('src', `${at.root}/build`);
  await runAll();
  expect(asked).toHaveLength(2 * commands.length);
});

test.each([
  ['a directory', 'grep -r a d; rm -f x'],
  ['a file that jinn does not open', 'cat .env'],
  ['a link that leads out', 'cat out; rm -f x'],
  ['hooks of git', 'git push --force origin main'],
  ['an option that is not known', 'rm -f --unheard-of x'],
])('what reads %s can be allowed once only', async (_, command) => {
  const { asked, ask } = person('always');
  const files = { 'd/x': 'a', '.env': 'A=1', out: { symlink: '/etc/hostname' } };
  const at = { root: makeTempDirectory(), state: makeTempDirectory(), ask };
  await run(command, {}, { ...at, files });
  await run(command, {}, at);
  expect(asked).toHaveLength(2);
  expect(asked[0]?.message).toContain('The answer "always" cannot be remembered: ');
});

test('a question says what the sandbox prevents, and what it does not', async () => {
  const { asked, ask } = person('deny');
  await run('git push --force', {}, { ask });
  expect(asked[0]?.message).toContain('No sandbox confines it. It can read and change all that you can');
  if (!(await findSandbox({ network: true })).works) return;
  const sandbox = { mode: 'require' } as const;
  await run('git push --force', {}, { ask, sandbox });
  expect(asked[1]?.message).toMatch(
    /It prevents changes outside of the workspace, of caches and of \/tmp, and hides secrets\. It does not prevent .*over the network, or what git pushes\.$/m,
  );
  await run('git push --force', { network: false }, { ask, sandbox: { ...sandbox, writable: ['/var/tmp'] } });
  expect(asked[2]?.message).toMatch(
    /prevents .*, uses of the network and pushes of git, and hides secrets, but for what your settings open\. It does not prevent changes to files of the workspace\.$/m,
  );
});

test('a question shows what drives a terminal as escapes, and foreign text apart from its own', async () => {
  const { asked, ask } = person('deny');
  const fake = 'rm -rf x # \r\x1b[2K\u202e\n\n\n\n\nNo sandbox confines it.\n"Always" allows nothing.';
  await run(fake, { stdin: 'a\nIt gets no network.' }, { ask });
  const [{ message = '', permission } = {}] = asked;
  expect(message).toContain(
    '    rm -rf x # \\r\\x1b[2K\\u{202e}\n\n    No sandbox confines it.\n    "Always" allows nothing.\n',
  );
  expect(message.match(/^It gets/m)).toBeNull();
  expect(permission?.key).toContain('# \\r\\x1b[2K\\u{202e}\\n');
});

test('no name of a directory and no fault of a command looks like a part of the question', async () => {
  const { asked, ask } = person('deny');
  const name = 'a\nIt gets no network.';
  await run('rm -rf x', { cwd: name }, { files: { [`${name}/x`]: '' }, ask });
  await run('rm `\nIt gets no network.', {}, { ask });
  for (const { message } of asked) expect(message).not.toMatch(/^It gets/m);
  expect(asked[0]?.message).toContain('It runs in the directory a\\nIt gets no network..');
  expect(asked).toHaveLength(2);
});

test.each([
  ['a long command', `echo ${'a'.repeat(30_000)}; rm -rf x; echo ${'b'.repeat(30_000)}`, {}, 'too long to be shown'],
  ['long standard input', 'rm -f x', { stdin: `rm${' '.repeat(5_000)}end` }, 'standard input is too long'],
  ['a shell that reads standard input', 'bash -s', { stdin: 'echo one' }, 'reads its commands from standard input'],
  ['a script', 'sudo ./evil.sh', {}, 'something else could run'],
  ['a substitution', 'rm -rf $(cat list)', {}, 'what a substitution prints'],
])('%s can be allowed once only', async (_, command, args, reason) => {
  const { asked, ask } = person('always');
  const at = { root: makeTempDirectory(), state: makeTempDirectory(), ask };
  for (let times = 1; times <= 2; times++) {
    await run(command, args, at);
    expect(asked).toHaveLength(times);
  }
  expect(asked[0]?.message).toMatch(new RegExp(`The answer "always" cannot be remembered: .*${reason}.*\\.$`));
  expect(asked[0]?.message.length).toBeLessThan(6_000);
});

test('what is cut from a question is counted, and the risky part is there', async () => {
  const { asked, ask } = person('deny');
  const command = `echo ${'a'.repeat(30_000)}; rm -rf x; echo ${'b'.repeat(30_000)}`;
  await run(command, { stdin: `begin${'-'.repeat(5_000)}end` }, { ask });
  const message = asked[0]?.message ?? '';
  expect(message).toContain('The risky part:\n    rm -rf x\n');
  expect(message).toContain(`[… ${command.length - 2_000} of ${command.length} characters omitted …]`);
  expect(message).toMatch(/\(5008 characters, sha256 [0-9a-f]{12}\):\n {4}begin-+ \[… 4008 of 5008 .*\] -+end\n/);
});

test('a directory that is none is refused before anybody is asked', async () => {
  const { asked, ask } = person('once');
  expect(await run('rm -f x', { cwd: 'none' }, { ask })).toMatchObject({ ok: false });
  expect(asked).toEqual([]);
});

test('tells a host that wants to know how far it is', async () => {
  const told: unknown[][] = [];
  await run('echo working; sleep 1.5', {}, { progress: (...report) => told.push(report) });
  expect(told[0]).toEqual(['working', 1, undefined]);
});

test('runs several commands at once, each with its own output', async () => {
  const session = createSession();
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => run(`sleep 0.1; echo ${i}`, {}, { session })));
  expect(answers.map(({ result }) => result?.split('\n')[1])).toEqual(Array.from({ length: 8 }, (_, i) => `${i}`));
});

const sandbox = await findSandbox({ network: true });

test.skipIf(!sandbox.works)('says that the sandbox was in the way, with the place and the setting', async () => {
  const options = { sandbox: { mode: 'require' }, files: { '.env': 'x' } } as const;
  const answer = await run('touch /usr/jinn-probe', { force: true }, options);
  const denied = { place: '/usr/jinn-probe', setting: '"sandbox": {"writable": […]} in config.json' };
  if (process.getuid?.() === 0) expect(answer.meta).toMatchObject({ sandbox_denied: [denied] });
  const secret = await run('cat .env', { force: true }, options);
  expect(secret.meta).toMatchObject({ sandbox_denied: [{ place: expect.stringContaining('.env') }] });
  expect(secret.result).toMatch(/\n\[sandbox: \S+\.env: it is a secret.*"shown".*\]\n/);
  const unread = await run("echo 'node: .env: not found'; exit 9", {}, options);
  expect(unread.meta).toMatchObject({ sandbox_denied: [{ setting: '"sandbox": {"shown": […]} in config.json' }] });
  const absent = "echo 'Cannot connect to the Docker daemon at unix:///nonexistent/docker.sock.'; exit 1";
  expect((await run(absent, {}, options)).meta).not.toHaveProperty('sandbox_denied');
  expect((await run('cat /nonexistent', {}, options)).meta).not.toHaveProperty('sandbox_denied');
  expect((await run('cat /nonexistent/.env; false')).meta).not.toHaveProperty('sandbox_denied');
});

test.skipIf(sandbox.name !== 'bubblewrap')('warns once a session of a workspace that is the home', async () => {
  const root = fs.realpathSync(fs.mkdtempSync('/var/tmp/jinn-test-'));
  onTestFinished(() => fs.rmSync(root, { recursive: true }));
  const session = createSession();
  const at = { root, session, sandbox: { mode: 'require', home: root } } as const;
  expect((await run('true', {}, at)).meta).toMatchObject({ warnings: [expect.stringContaining('home directory')] });
  expect((await run('true', {}, at)).meta).not.toHaveProperty('warnings');
  const project = { sandbox: { mode: 'require', home: root } } as const;
  expect((await run('true', {}, project)).meta).not.toHaveProperty('warnings');
});

test.skipIf(!sandbox.works)('confines all commands of a session as the settings were at the first', async () => {
  const session = createSession();
  await run('true', {}, { session, sandbox: { mode: 'require' } });
  const { meta } = await run('true', {}, { session, sandbox: { mode: 'off' } });
  expect(meta).toMatchObject({ sandbox: sandbox.name });
});

test('shows a model no more than it takes, and the beginning of a line that is longer', async () => {
  const { result = '' } = await run('seq 10000', {}, { maxResult: 4_000 });
  expect(Buffer.byteLength(result)).toBeLessThanOrEqual(4_000);
  expect(result).toMatch(/\n10000\n\n\[Showing \d+ of 10000 lines .* Full output: .*\]\n/);
  const long = await run('head -c 20000 /dev/zero | tr "\\0" x; echo END', {}, { maxResult: 4_000 });
  expect(long.result).toMatch(/\nx{1900,}\.\.\.\n\n\[Showing 1 of 1 lines /);
});

test('starts no job in a session that ends with the call', async () => {
  const session = createSession({ endsWithCall: true });
  expect(await run('sleep 100', { background: true }, { session })).toMatchObject({
    ok: false,
    error_code: 'invalid_args',
    error: expect.stringContaining('background needs a session that lasts'),
  });
  expect(session.hasServices).toBe(false);
});

test('says that a server belongs into the background when it has no time left', async () => {
  // Perl starts sooner than Node.
  const server = `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1"); sleep 9'`;
  const hint = '[It looks like a server: background: true runs it as a job]';
  if (process.platform === 'linux') expect((await run(server, { timeout: 2 })).result).toContain(hint);
  expect((await run('echo Listening on :3000; sleep 9', { timeout: 1 })).result).toContain(hint);
  expect((await run('echo building; sleep 9', { timeout: 1 })).result).not.toContain(hint);
});

test('names the variables that a command that failed does not get', async () => {
  const environment = { ...process.env, MY_API_KEY: 'x', JAVA_HOME: '/usr' };
  const failing = async (command: string) => (await run(command, {}, { environment })).result;
  expect(await failing('test -d "$JAVA_HOME" && psql "$DATABASE_URL"')).toContain(
    '[Commands get PATH, HOME, LANG and the like: set JAVA_HOME, DATABASE_URL in the command]',
  );
  expect(await failing('echo "MY_API_KEY is not set"; false')).toContain(': set MY_API_KEY in');
  for (const fine of [
    'JAVA_HOME=/x; test -d "$JAVA_HOME"',
    'echo $JAVA_HOME',
    'test "$PWD" = "$HOME"; false',
    'false $SOME_NAME',
  ])
    expect(await failing(fine)).not.toContain('in the command]');
});

test('a command that would open an editor fails at once, and says what to do', async () => {
  const at = { root: makeTempDirectory(), environment: { ...process.env, EDITOR: 'sleep 60', GIT_EDITOR: 'sleep 60' } };
  const git = 'git -c user.name=n -c user.email=e@x -c commit.gpgsign=false';
  await run(`git init -q && echo 1 > a && git add a && ${git} commit -qm one && echo 2 > a`, {}, at);
  for (const command of [
    `${git} commit -a`,
    `${git} rebase -i --root --autostash`,
    'sh -c "$EDITOR a"',
    'sh -c "$VISUAL a"',
  ]) {
    const { result, classification } = await run(`${command} 2>&1`, { timeout: 10, force: true }, at);
    expect([classification, result]).toEqual(['error', expect.stringContaining('pass the text by an option')]);
  }
  expect((await run('git status --short --untracked-files', {}, at)).result).toContain(']\n M a\n[');
  if (sandbox.works) {
    const confined = { ...at, sandbox: { mode: 'require' } } as const;
    expect((await run(`${git} commit -a`, { timeout: 10 }, confined)).result).toContain('pass the text by an option');
  }
  const edit = `sed -i 1s/.*/edited/`;
  for (const command of [
    `EDITOR="${edit}" ${git} commit -a`,
    `GIT_EDITOR="${edit}" ${git} commit --amend`,
    `${git} -c core.editor="${edit}" commit --amend`,
    `GIT_SEQUENCE_EDITOR=true ${git} rebase -i --root`,
    `${git} commit --amend --no-edit`,
  ])
    expect(await run(command, { timeout: 10, force: true }, at)).toMatchObject({ classification: 'success' });
  expect((await run('git log -1 --format=%s', {}, at)).result).toContain(']\nedited\n');
});

test('says that a timeout in milliseconds was lowered', async () => {
  expect(await run('true', { timeout: 120_000 })).toMatchObject({
    meta: { warnings: ['timeout is in seconds: 120000 was lowered to 300'] },
  });
  expect((await run('true', { timeout: 300 })).meta).not.toHaveProperty('warnings');
});

test('names the way to remove files that undo can bring back', async () => {
  const patch = 'destructive command: apply_patch with *** Delete File removes a file so that undo can bring it back';
  for (const command of ['rm a.txt', 'cd x && rm -f a.txt b.txt']) {
    expect((await run(command)).suggestion).toBe(`pass force:true in args to override, or use a less-${patch}`);
    expect((await run(command, {}, { dangerous: 'ask' })).suggestion).toBe(
      `tell the user what you want to run and why, or use a less ${patch}`,
    );
  }
  expect((await run('rm -rf src')).suggestion).not.toContain('apply_patch');
});

test('shows of a long output what matters, and as much as is asked for', async () => {
  const tests = (middle: string) =>
    `for i in {1..5200}; do echo "  ✔ case $i"; done; ${middle}; seq -f '  ✔ later %g' 4800`;
  const failed = await run(`${tests("echo '  1) case 5201'; echo 'AssertionError: 1 == 2'")}; exit 1`);
  expect(failed.result).toContain('\n  1) case 5201\nAssertionError: 1 == 2\n');
  expect(failed.result).toContain('[5,198 lines like `✔ case 2`]');
  expect(failed.result?.length).toBeLessThan(3_500);
  const words =
    'awk \'BEGIN { for (i = 0; i < 3000; i++) { s = ""; for (j = i; j > 0; j = int(j / 7)) s = s substr("abcdefg", j % 7 + 1, 1); print "word " s } }\'';
  const [short, long] = [await run(words), await run(words, { max_output: 12_000 })];
  expect(short.result?.length).toBeLessThan(2_600);
  expect(long.result?.length).toBeGreaterThan(10_000);
  expect(long.result?.length).toBeLessThan(12_600);
  const withoutPath = (text = '') => text.replace(/"path":"[^"]*"/, '');
  const toModel = await run(words, {}, { maxResult: 20_000 });
  expect(withoutPath(short.result)).toBe(
    `${withoutPath(toModel.result)}[classification: success — command completed successfully]`,
  );
  expect((await run('seq 2000')).result).toContain('\n1000\n');
});
