import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createSession } from '@jinn/core';
import { type CallOptions, call, makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { runShell } from './run-shell.ts';

interface Prompt {
  isHidden(): boolean;
  answer(line: string): void;
}

function scene(more: CallOptions = {}) {
  const session = createSession();
  const root = makeTempDirectory();
  let prompt: Prompt | undefined;
  const watchOutput = (_: () => string, given?: Prompt) => {
    prompt = given;
  };
  const options = { dangerous: 'ask', ...more, watchOutput, session, root, state: makeTempDirectory() } as CallOptions;
  onTestFinished(() => session.close());
  const ask = (args: object) => call(runShell, args, options);
  const start = async (command: string, args = {}) => {
    const answer = await ask({ command, background: true, interactive: true, ...args });
    if (!answer.ok) throw new Error(answer.error);
    return (answer.meta as { job?: string }).job ?? 'job-1';
  };
  const type = async (input: string, args = {}) => ask({ job: 'job-1', input, ...args });
  return { root, ask, start, type, prompt: () => prompt as Prompt, session };
}

const has = (program: string) => spawnSync('which', [program]).status === 0;
const onLinux = process.platform === 'linux';

test('types into a pipe, and ends it', async () => {
  const { start, type, ask } = scene();
  await start('while read -r line; do echo "<$line>"; done; echo over');
  expect((await type('one\n')).result).toMatch(/^\[job-1 has been running .*\]\n<one>$/);
  expect((await type('tw')).result).toMatch(/\]\n$/);
  expect((await type('o\n', { wait_for: '<two>' })).result).toMatch(/\]\n<two>$/);
  expect((await type('last\n\u0004', { wait_for: 'never' })).result).toBe(
    '[exit: 0]\n<last>\nover\n[classification: success — command completed successfully]',
  );
  expect(await ask({ job: 'job-1', input: 'x' })).toMatchObject({
    ok: false,
    error_code: 'conflict',
    suggestion: expect.stringContaining('"action":"output"'),
  });
});

test('the input of a job is empty unless it is asked for', async () => {
  const { ask } = scene();
  const ended = { command: 'cat; echo over', background: true, wait_for: 'never' };
  expect((await ask(ended)).result).toMatch(/^\[exit: 0\]\nover\n/);
  await ask({ command: 'cat; sleep 30', background: true });
  const begin = { error_code: 'conflict', suggestion: expect.stringContaining('interactive: true') };
  expect(await ask({ job: 'job-1', input: 'x' })).toMatchObject(begin);
  expect(await ask({ job: 'job-2', input: 'x' })).toMatchObject(begin);
});

test('a wait is for what comes after the input', async () => {
  const { start, type } = scene();
  await start('printf "> "; while read -r line; do sleep 0.3; printf "%s\\n> " "$line"; done', { wait_for: '> ' });
  expect((await type('a\n', { wait_for: '> $' })).result).toMatch(/\]\na\n> $/);
});

for (const mode of ['off', 'auto'] as const) {
  const at = () => scene({ sandbox: { mode } });
  test.runIf(onLinux)(`drives python at a terminal, and over a pipe (sandbox ${mode})`, async () => {
    const { start, type } = at();
    const started = await start('python3 -i', { tty: true, wait_for: '>>> $' });
    expect(started).toBe('job-1');
    expect((await type('print(6 * 7)\n', { wait_for: '>>> $' })).result).toMatch(/\]\nprint\(6 \* 7\)\n42\n>>> $/);
    expect((await type('import sys; sys.stdin.isatty()\n', { wait_for: '>>> $' })).result).toContain('True\n>>> ');
    expect(await type('import os; os.remove("x")\n')).toMatchObject({ ok: false, error_code: 'command_blocked' });
    expect((await type('exit(3)\n', { wait_for: 'never' })).result).toContain('[exit: 3]');
    await start('python3 -i -q', { wait_for: '>>> $' });
    expect((await type('x = 5\nx * 2\n', { job: 'job-2', wait_for: '10' })).result).toContain('10');
  });
}

test.runIf(onLinux)('drives node, pdb and git add -p', async () => {
  const { root, start, type, ask } = scene();
  await start('node', { tty: true, wait_for: '> $' });
  expect((await type('1 + 41\n', { wait_for: '^42$' })).ok).toBe(true);
  expect(await type('require("fs").rmSync("x")\n')).toMatchObject({ ok: false, error_code: 'command_blocked' });
  fs.writeFileSync(`${root}/x.py`, 'a = 1\nb = a + 1\nprint(b)\n');
  const debugged = await start('python3 -m pdb x.py', { tty: true, wait_for: '\\(Pdb\\) $' });
  expect(debugged).toBe('job-2');
  const debug = (input: string) => ask({ job: 'job-2', input, wait_for: '\\(Pdb\\) $' });
  expect((await debug('n\n')).result).toContain('b = a + 1');
  expect((await debug('p a\n')).result).toContain('\n1\n(Pdb) ');
  expect(await debug('!import os; os.remove("x.py")\n')).toMatchObject({ ok: false, error_code: 'command_blocked' });
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, encoding: 'utf8' });
  git('init', '-q');
  const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`);
  fs.writeFileSync(`${root}/f`, lines.join('\n'));
  git('add', 'f');
  git('commit', '-qm', 'first');
  fs.writeFileSync(`${root}/f`, lines.with(1, 'changed').with(28, 'also').join('\n'));
  expect(await start('git add -p', { tty: true, wait_for: '\\? $' })).toBe('job-3');
  expect((await ask({ job: 'job-3', input: 'y\n', wait_for: '\\? $' })).result).toContain('also');
  expect((await ask({ job: 'job-3', input: 'n\n', wait_for: 'never' })).result).toContain('[exit: 0]');
  expect(git('diff', '--cached').stdout).toContain('+changed');
  expect(git('diff', '--cached').stdout).not.toContain('+also');
});

test.runIf(onLinux && has('gdb'))('drives gdb', async () => {
  const { start, type } = scene();
  await start('gdb -q', { tty: true, wait_for: '\\(gdb\\) $', timeout: 60 });
  expect((await type('print 6 * 7\n', { wait_for: '\\(gdb\\) $' })).result).toContain('$1 = 42');
  expect(await type('shell rm -rf x\n')).toMatchObject({ ok: false, error_code: 'command_blocked' });
  expect((await type('quit\n', { wait_for: 'never' })).result).toContain('[exit: 0]');
});

test.runIf(onLinux && has('npm'))('answers npm init', { tags: 'slow' }, async () => {
  const { root, start, type } = scene();
  await start('npm init', { tty: true, wait_for: 'package name: \\(.*\\) $' });
  let { result = '' } = await type('my-package\n', { wait_for: 'version: .* $' });
  for (let i = 0; i < 15 && !result.includes('[exit: 0]'); i++) {
    const answer = result.endsWith('description: ') ? 'A build system\n' : '\n';
    ({ result = '' } = await type(answer, { wait_for: '^[a-zA-Z ]+[:?] (\\(.*\\) )?$' }));
  }
  expect(JSON.parse(fs.readFileSync(`${root}/package.json`, 'utf8'))).toMatchObject({
    name: 'my-package',
    description: 'A build system',
  });
});

test.runIf(onLinux)('the user answers a password prompt, and the word is nowhere in the output', async () => {
  const { ask, start, prompt } = scene();
  await start(`read -rsp "Password: " w; echo; echo "\${#w} $w!"; read -rp "Token: " t; echo "$t"; sleep 30`, {
    tty: true,
    wait_for: 'Password: $',
  });
  await expect.poll(() => prompt().isHidden()).toBe(true);
  const asked = await ask({ job: 'job-1' });
  expect(asked).toMatchObject({ meta: { hidden: true } });
  expect(asked.result).toContain('hides what is typed, as for a password: ask the user to type it');
  prompt().answer('hunter2 é');
  const shown = await ask({ job: 'job-1', wait_for: 'Token: $' });
  expect(shown.result).toContain('\n9 [typed by the user]!\nToken: ');
  expect(shown.meta).not.toHaveProperty('hidden');
  prompt().answer('ghp_secret');
  const told = await ask({ job: 'job-1', wait_for: '^\\[typed' });
  expect(told.result).toContain('Token: [typed by the user]\n[typed by the user]');
  expect(JSON.stringify([told, await ask({ action: 'list' })])).not.toMatch(/hunter2|ghp_/);
});

test('a text of the user is hidden however its bytes come', async () => {
  const { ask, start, prompt } = scene();
  await start(`read -r w; for ((i = 0; i < \${#w}; i++)); do printf %s "\${w:i:1}"; sleep 0.05; done; echo " end"`);
  prompt().answer('hunter2');
  expect((await ask({ job: 'job-1', wait_for: 'never' })).result).toContain('\n[typed by the user] end\n');
});

test.each([
  [{ command: 'cat', input: 'x' }, 'input needs a job'],
  [{ command: 'cat', tty: true }, 'tty needs background: true'],
  [{ command: 'cat', interactive: true }, 'interactive needs background: true'],
  [{ command: 'cat', tty: true, background: true, stdin: 'x' }, 'stdin does not go with tty'],
  [{ job: 'job-1', input: 'x', action: 'kill' }, 'input does not go with action'],
  [{ job: 'job-1', input: 'x', tty: true }, 'tty does not go with job'],
  [{ job: 'job-9', input: 'x' }, 'no such job: job-9'],
  [{ job: 'job-1', input: 'x'.repeat(16_385) }, 'input is longer than 16 KiB'],
  [{ job: 'job-1', input: '\u0004x' }, 'nothing can follow \\u0004'],
  [{ job: 'job-2', input: 'x' }, 'job-2 takes no input: its input was empty, or came from stdin'],
  [{ job: 'job-3', input: 'x' }, 'the input of job-3 was ended'],
  [{ job: 'job-4', input: 'x' }, 'job-4 has ended: it takes no input'],
])('refuses %j, and says what to do', async (args, message) => {
  const { ask, start } = scene();
  await start('cat');
  await start('cat; sleep 30', { stdin: 'x', interactive: false });
  await start('cat; sleep 30');
  await start('true', { wait_for: 'never' }).catch(() => undefined);
  await ask({ job: 'job-3', input: '\u0004' });
  const answer = await ask(args);
  expect(answer).toMatchObject({
    ok: false,
    error: expect.stringContaining(message),
    suggestion: expect.stringMatching(/./),
  });
});

test('a job that does not read is not typed into without end', { tags: 'slow' }, async () => {
  const { start, type } = scene({ dangerous: 'allow' });
  await start('sleep 60');
  const answers = [];
  for (let i = 0; i < 10; i++) answers.push(await type(`${'x'.repeat(16_000)}\n`));
  expect(answers.at(0)?.ok).toBe(true);
  expect(answers.at(-1)).toMatchObject({ ok: false, error_code: 'resource_limit' });
});

test('input to a shell is judged, and the user is asked with all that matters', async () => {
  const questions: { message: string; onlyOnce?: string | undefined }[] = [];
  let isAllowed = false;
  const { root, start, type } = scene({
    ask: async (question: never) => {
      questions.push(question);
      return isAllowed ? 'once' : 'deny';
    },
  } as never);
  fs.mkdirSync(`${root}/sub/build`, { recursive: true });
  await start('bash', { cwd: 'sub' });
  expect((await type('ls\n')).result).toContain('build');
  await type('find build');
  expect(questions).toEqual([]);
  expect(await type(' -delete\n')).toMatchObject({ ok: false, error_code: 'command_blocked', risk: 'dangerous' });
  expect(questions[0]?.message).toMatch(/^Type this into job-1\? It /);
  expect(questions[0]?.message).toContain(
    '\n\njob-1 runs:\n    bash\n\nIt runs in the directory sub.\nIt runs in the background',
  );
  expect(questions[0]?.onlyOnce).toBe('what it does depends on the state of the job');
  expect(fs.existsSync(`${root}/sub/build`)).toBe(true);
  isAllowed = true;
  expect(await type(' -delete; echo gone\n')).toMatchObject({ ok: true, risk: 'dangerous' });
  expect(fs.existsSync(`${root}/sub/build`)).toBe(false);
  expect(questions).toHaveLength(2);
  expect((await type('echo fine\n')).ok).toBe(true);
  expect(questions).toHaveLength(2);
});

test('two calls at once cannot type two halves that were judged apart', async () => {
  const { root, start, type } = scene();
  fs.mkdirSync(`${root}/build`);
  await start('bash');
  const answers = await Promise.all([type('find build'), type(' -delete\n')]);
  expect(answers.filter(({ ok }) => !ok)).toHaveLength(1);
  await type('\n');
  expect(fs.existsSync(`${root}/build`)).toBe(true);
});

test('what the operator allows or denies counts for input too', async () => {
  const denied = scene({ dangerous: 'deny' });
  await denied.start('bash');
  expect(await denied.type('rm -rf x\n', { force: true })).toMatchObject({ ok: false, error_code: 'command_blocked' });
  const forced = scene({ dangerous: undefined } as never);
  await forced.start('bash');
  expect(await forced.type('rm -rf x\n')).toMatchObject({
    ok: false,
    suggestion: expect.stringContaining('force:true'),
  });
  expect(await forced.type('rm -rf x; echo done\n', { force: true })).toMatchObject({
    ok: true,
    result: expect.stringContaining('done'),
  });
});
