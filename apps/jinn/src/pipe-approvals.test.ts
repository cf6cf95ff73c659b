import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createPipeApprovals } from './pipe-approvals.ts';

const JINN = path.resolve(import.meta.dirname, '../dist/jinn.cjs');
const PAGE = path.resolve(import.meta.dirname, '../../../docs/approvals.md');
const REMOVE = { tool: 'run_shell', args: { command: 'rm -rf gone' } };

function place() {
  const [home, cwd] = [makeTempDirectory(), makeTempDirectory()];
  fs.mkdirSync(`${cwd}/gone`);
  const env = { ...process.env, HOME: home, JINN_CONFIG_DIR: `${home}/config`, XDG_CACHE_HOME: `${home}/cache` };
  return { home, cwd, env };
}

function open(flags: readonly string[], { cwd, env } = place()) {
  const child = spawn(process.execPath, [JINN, '--sandbox=off', ...flags], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    cwd,
    send: (...values: unknown[]) => child.stdin.write(values.map((value) => `${JSON.stringify(value)}\n`).join('')),
    receive: async () => JSON.parse((await lines.next()).value ?? 'null'),
    end: () => child.stdin.end(),
  };
}

const isGone = ({ cwd }: { cwd: string }) => !fs.existsSync(`${cwd}/gone`);

test.each([
  ['once', true],
  ['always', true],
  ['deny', false],
])('a dangerous command is asked about, and the answer %s decides', async (answer, runs) => {
  const session = open(['--approvals=stdio']);
  session.send({ ...REMOVE, request_id: 7 });
  const { approval, ...rest } = await session.receive();
  expect(rest).toEqual({});
  expect(approval).toEqual({
    id: expect.stringMatching(/^[\w-]{20,}$/),
    ...REMOVE,
    message: expect.stringContaining('rm -rf gone'),
    permission: { type: 'dangerous_command', key: 'rm -rf gone' },
    labels: { once: 'Allow once', always: 'Always allow…', deny: 'Deny' },
    request_id: 7,
  });
  session.send({ approval: approval.id, answer });
  expect(await session.receive()).toMatchObject({ ok: runs, request_id: 7 });
  expect(isGone(session)).toBe(runs);
  fs.mkdirSync(`${session.cwd}/gone`, { recursive: true });
  session.send(REMOVE);
  const next = await session.receive();
  expect('approval' in next).toBe(answer !== 'always');
});

test('an answer that is remembered holds in the next process', async () => {
  const where = place();
  const first = open(['--approvals=stdio'], where);
  first.send(REMOVE);
  const { approval } = await first.receive();
  first.send({ approval: approval.id, answer: 'always' });
  expect(await first.receive()).toMatchObject({ ok: true });
  const second = open([], where);
  second.send(REMOVE);
  expect(await second.receive()).toMatchObject({ ok: true });
});

test('a decision that is not taken is answered, and leaves the question open', async () => {
  const session = open(['--approvals=stdio']);
  session.send({ approval: 'early', answer: 'once' });
  expect(await session.receive()).toMatchObject({
    ok: false,
    approval: 'early',
    error: expect.stringContaining('"early" is open'),
  });
  session.send(REMOVE);
  const { approval } = await session.receive();
  session.send({ approval: approval.id, answer: 'yes' });
  expect(await session.receive()).toMatchObject({
    ok: false,
    error: expect.stringContaining('must be one of once, always, deny'),
  });
  expect(isGone(session)).toBe(false);
  session.send({ approval: approval.id, answer: 'once' });
  expect(await session.receive()).toMatchObject({ ok: true });
  session.send({ approval: approval.id, answer: 'once' });
  expect(await session.receive()).toMatchObject({ ok: false, approval: approval.id });
});

test('what can be allowed once only says so, and "always" is not taken', async () => {
  const where = place();
  const session = open(['--approvals=stdio'], where);
  const call = { tool: 'run_shell', args: { command: 'bash -s', stdin: 'rmdir gone' } };
  session.send(call);
  const { approval } = await session.receive();
  expect(approval).toMatchObject({
    answers: ['once', 'deny'],
    labels: { once: 'Allow once', deny: 'Deny' },
    message: expect.stringMatching(/\n {4}rmdir gone\n[\s\S]*cannot be remembered: .*from standard input/),
  });
  session.send({ approval: approval.id, answer: 'always' });
  expect(await session.receive()).toMatchObject({ ok: false, error: expect.stringContaining('one of once, deny') });
  expect(isGone(session)).toBe(false);
  session.send({ approval: approval.id, answer: 'once' });
  expect(await session.receive()).toMatchObject({ ok: true });
  expect(isGone(session)).toBe(true);
  session.send(call);
  expect(await session.receive()).toHaveProperty('approval');
});

test('jinn grants lists what is allowed for good, and takes it back', async () => {
  const where = place();
  const session = open(['--approvals=stdio'], where);
  session.send(REMOVE);
  const { approval } = await session.receive();
  session.send({ approval: approval.id, answer: 'always' });
  await session.receive();
  const grants = (...args: string[]) =>
    spawnSync(process.execPath, [JINN, 'grants', ...args], { ...where, encoding: 'utf8' }).stdout;
  expect(grants()).toMatch(/^run_shell {2}dangerous_command {2}"rm -rf gone" /);
  expect(grants('revoke', 'run_shell')).toMatch(
    /^revoked 1 approval\nrun_shell {2}dangerous_command {2}"rm -rf gone" /,
  );
  expect(grants('--json')).toBe('[]\n');
  session.send(REMOVE);
  expect(await session.receive()).toHaveProperty('approval');
});

test('requests that wait behind a question do not keep its answer from being read', async () => {
  const session = open(['--approvals=stdio']);
  session.send(REMOVE);
  const { approval } = await session.receive();
  session.send(...Array.from({ length: 60 }, (_, i) => ({ tool: 'list_dir', args: {}, request_id: i })));
  session.send({ tool: 'list_dir', args: {}, parallel: true, request_id: 'overtakes' });
  expect(await session.receive()).toMatchObject({ ok: true, request_id: 'overtakes' });
  session.send({ approval: approval.id, answer: 'once' });
  expect(await session.receive()).toMatchObject({ ok: true, result: expect.stringContaining('[exit: 0]') });
  for (let i = 0; i < 60; i++) expect(await session.receive()).toMatchObject({ ok: true, request_id: i });
});

test('too many requests that wait are refused', async () => {
  const session = open(['--approvals=stdio']);
  session.send(REMOVE);
  const { approval } = await session.receive();
  session.send(...Array.from({ length: 1_100 }, (_, i) => ({ tool: 'list_dir', args: {}, request_id: i })));
  session.send({ approval: approval.id, answer: 'deny' });
  expect(await session.receive()).toMatchObject({ ok: false, error_code: 'command_blocked' });
  const answers = [];
  for (let i = 0; i < 1_100; i++) answers.push(await session.receive());
  expect(answers.map(({ request_id }) => request_id)).toEqual(answers.map((_, i) => i));
  expect(answers[0]).toMatchObject({ ok: true });
  expect(answers.at(-1)).toMatchObject({ ok: false, error_code: 'resource_limit' });
});

test('the end of input refuses what is open', async () => {
  const session = open(['--approvals=stdio']);
  session.send(REMOVE);
  await session.receive();
  session.end();
  expect(await session.receive()).toMatchObject({ ok: false, error: expect.stringContaining('did not answer') });
  expect(isGone(session)).toBe(false);
});

test('a question that nobody answers in time is refused, and its late answer does not count', async () => {
  const lines: string[] = [];
  const approvals = createPipeApprovals((line) => void lines.push(line), 30);
  const question = { message: 'Run?', permission: { type: 't', key: 'k' } };
  expect(await approvals.ask({ tool: 'x', requestId: undefined }, question)).toBeUndefined();
  const { approval } = JSON.parse(lines[0] ?? '');
  expect(approvals.take({ approval: approval.id, answer: 'always' })).toContain('no question');
  expect(approvals.isWaiting).toBe(false);
});

const FORCED = { tool: 'run_shell', args: { command: 'rm -rf gone', force: true } };

function once(flags: readonly string[], request: object) {
  const { cwd, env } = place();
  const { stdout, stderr, status } = spawnSync(process.execPath, [JINN, ...flags], {
    cwd,
    env,
    input: JSON.stringify(request),
    encoding: 'utf8',
  });
  return { answer: JSON.parse(stdout.trim().split('\n').at(-1) || '{}'), stderr, status, gone: isGone({ cwd }) };
}

test.each([
  [[], REMOVE, false],
  [[], FORCED, true],
  [['--approvals=stdio'], REMOVE, false],
  [['--approvals=stdio'], FORCED, false],
  [['--approvals=stdio', '--dangerous=allow'], FORCED, true],
  [['--dangerous=ask'], FORCED, false],
  [['--dangerous=deny'], FORCED, false],
  [['--dangerous=allow'], REMOVE, true],
])('with the flags %j the request %j runs: %s', (flags, request, runs) => {
  const { answer, gone } = once(flags, request);
  expect([answer.ok, gone]).toEqual([runs, runs]);
});

test('force is in the schema unless the operator decides', () => {
  const { env, cwd } = place();
  const schema = (...flags: string[]) =>
    spawnSync(process.execPath, [JINN, '--dangerous=ask', ...flags], {
      cwd,
      env,
      input: '{"tool":"list_tools","args":{"include_schema":true}}',
      encoding: 'utf8',
    }).stdout;
  expect(schema()).not.toContain('"force\\"');
});

test.each([
  ['--approvals=http', '--approvals takes stdio'],
  ['--dangerous=maybe', '--dangerous takes ask, allow, deny'],
])('refuses %s', (flag, message) => {
  const { status, stderr } = once([flag], REMOVE);
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('the host of the page puts questions and returns answers', () => {
  const { home, cwd, env } = place();
  const [, source = ''] = /```python host\n([\s\S]*?)```/.exec(fs.readFileSync(PAGE, 'utf8')) ?? [];
  makeTree(home, {
    'host.py': source,
    'bin/jinn': { content: `#!/bin/sh\nexec "${process.execPath}" "${JINN}" "$@"\n`, mode: 0o755 },
  });
  const run = (answer: string) =>
    spawnSync('python3', [`${home}/host.py`, 'rm -rf gone'], {
      cwd,
      env: { ...env, PATH: `${home}/bin:${process.env['PATH']}` },
      input: `${answer}\n`,
      encoding: 'utf8',
    });
  expect(run('deny').stdout).toContain("'ok': False");
  expect(isGone({ cwd })).toBe(false);
  const { stdout } = run('once');
  expect(stdout).toContain('Run this command?');
  expect(stdout).toContain("'ok': True");
  expect(isGone({ cwd })).toBe(true);
});
