import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';

const JINN = path.resolve(import.meta.dirname, '../dist/jinn.cjs');
const hasSandbox = doctor().includes('ok   sandbox');

interface Answer {
  readonly ok: boolean;
  readonly result?: string;
  readonly error?: string;
  readonly error_code?: string;
  readonly meta?: Record<string, unknown>;
}

function makePlace(config?: unknown) {
  const [root, home] = [makeTempDirectory(), makeTempDirectory()];
  fs.mkdirSync(`${home}/jinn`);
  if (config !== undefined) fs.writeFileSync(`${home}/jinn/config.json`, JSON.stringify(config));
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    JINN_CONFIG_DIR: home,
    XDG_CACHE_HOME: home,
    SECRET_KEY: 'hunter2',
  };
  return { cwd: root, env };
}

type Place = ReturnType<typeof makePlace>;

function doctor(): string {
  return spawnSync(process.execPath, [JINN, '--doctor'], {
    encoding: 'utf8',
    env: { ...process.env, JINN_CONFIG_DIR: '/nonexistent' },
  }).stdout;
}

function shell(command: string, { place = makePlace(), args = {}, argv = [] as string[] } = {}): Answer {
  const input = JSON.stringify({ tool: 'run_shell', args: { command, ...args } });
  const { stdout } = spawnSync(process.execPath, [JINN, '--meta', ...argv], { ...place, input, encoding: 'utf8' });
  return JSON.parse(stdout) as Answer;
}

/** A jinn whose pipe stays open. */
function openSession(place: Place, ...argv: string[]) {
  const child = spawn(process.execPath, [JINN, ...argv], { ...place, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (args: object) => child.stdin.write(`${JSON.stringify({ tool: 'run_shell', args })}\n`);
  const ask = async (args: object) => {
    send(args);
    return JSON.parse((await lines.next()).value as string) as Answer;
  };
  return { child, send, ask };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const exited = (child: ChildProcess) => new Promise((resolve) => child.once('exit', resolve));

/** A command that writes to a file again and again, from a session of its own. */
const beat = (file: string) => `setsid bash -c 'while :; do date +%s%N > ${file}; sleep 0.02; done' > /dev/null 2>&1 &`;

const waitFor = (file: string) => expect.poll(() => fs.existsSync(file)).toBe(true);

async function isBeating(file: string): Promise<boolean> {
  await sleep(300);
  const seen = fs.readFileSync(file, 'utf8');
  await sleep(300);
  return fs.readFileSync(file, 'utf8') !== seen;
}

const onLinux = test.skipIf(process.platform !== 'linux');

onLinux.for([
  ['SIGKILL', 'off'],
  ['SIGTERM', 'off'],
  ['SIGINT', 'auto'],
  ['SIGKILL', 'auto'],
] as const)('leaves nothing behind when %s ends it, with the sandbox %s', async ([signal, mode]) => {
  const place = makePlace();
  const { child, send } = openSession(place, `--sandbox=${mode}`);
  const file = `${place.cwd}/beat`;
  send({ command: `${beat('beat')} sleep 60` });
  await waitFor(file);
  child.kill(signal);
  await exited(child);
  await expect.poll(() => isBeating(file)).toBe(false);
});

onLinux('leaves nothing behind when it is killed and the command has stopped the supervisor', async () => {
  const place = makePlace();
  const { child, send } = openSession(place, '--sandbox=off');
  send({ command: `${beat('beat')} while :; do kill -STOP $PPID; touch stopped; sleep 0.2; done`, force: true });
  await waitFor(`${place.cwd}/stopped`);
  await waitFor(`${place.cwd}/beat`);
  child.kill('SIGKILL');
  await exited(child);
  await expect.poll(() => isBeating(`${place.cwd}/beat`)).toBe(false);
});

onLinux('leaves nothing behind when its input ends', async () => {
  const place = makePlace();
  const { child, ask } = openSession(place);
  expect(await ask({ command: `${beat('beat')} sleep 60`, background: true })).toMatchObject({
    meta: { job: 'job-1' },
  });
  await waitFor(`${place.cwd}/beat`);
  child.stdin.end();
  expect(await exited(child)).toBe(0);
  await expect.poll(() => isBeating(`${place.cwd}/beat`)).toBe(false);
});

test('answers one request a process, and spills to a file that the next one searches and reads', () => {
  const place = makePlace();
  const { result = '' } = shell('seq 1 400000', { place });
  const [, next = '{}'] = /Full output: search_files (\{.*\})\]/.exec(result) ?? [];
  const { path: log } = JSON.parse(next);
  expect(path.basename(log)).toMatch(/^jinn-shell-.*\.log$/);
  const ask = (tool: string, args: object) => {
    const input = JSON.stringify({ tool, args: { path: log, ...args } });
    return JSON.parse(spawnSync(process.execPath, [JINN], { ...place, input, encoding: 'utf8' }).stdout).result;
  };
  expect(ask('read_file', { tail: 1, line_numbers: false })).toBe('400000\n');
  expect(ask('search_files', { pattern: '^39999[89]$' })).toMatch(/399998(.|\n)*399999/);
});

test('shows the command none of its own variables', () => {
  expect(shell('env').result).not.toContain('hunter2');
});

test.skipIf(!hasSandbox)('takes the sandbox from the command line or config.json', () => {
  const sandboxOf = (config: unknown, ...argv: string[]) =>
    shell('true', { place: makePlace(config), argv }).meta?.['sandbox'];
  expect(sandboxOf(undefined)).not.toMatch(/^none/);
  expect(sandboxOf({ sandbox: 'off' })).toBe('none: off');
  expect(sandboxOf({ sandbox: 'off' }, '--sandbox=auto')).not.toMatch(/^none/);
  expect(sandboxOf({ sandbox: 'require' })).not.toMatch(/^none/);
  expect(sandboxOf({ sandbox: 'require' }, '--sandbox=off')).toBe('none: off');
});

test.skipIf(!hasSandbox)('hides its own environment and state from what runs in the sandbox', () => {
  const place = makePlace({ sandbox: 'require' });
  const command = 'cat /proc/*/environ; cat "$HOME/jinn/config.json"; echo end';
  const { result } = shell(command, { place, args: { force: true } });
  expect(result).toContain('end');
  expect(result).not.toMatch(/hunter2|require/);
});

test('runs nothing without the network where it cannot leave it out', () => {
  const blocked = { ok: false, error_code: 'command_blocked' };
  expect(shell('true', { argv: ['--sandbox=off', '--no-network'] })).toMatchObject(blocked);
  expect(shell('true', { argv: ['--sandbox=off'], args: { network: false } })).toMatchObject(blocked);
});

test.for([[{ sandbox: 'on' }], [{ network: 1 }], [{ sandbox_writable: ['relative'] }], [[]], ['{']])(
  'runs nothing while config.json is %j',
  ([config]) => {
    const answer = shell('true', { place: makePlace(config) });
    expect(answer).toMatchObject({ ok: false, error_code: 'command_blocked' });
    expect(answer.error).toContain('config.json');
  },
);

/** A machine without some programs, or without user namespaces, made by bubblewrap from this one. */
function elsewhere(options: readonly string[], argv: string[] = [], args: object = {}): Answer {
  const input = JSON.stringify({ tool: 'run_shell', args: { command: 'echo hi', ...args } });
  const jinn = [process.execPath, JINN, '--meta', ...argv];
  const { stdout } = spawnSync('bwrap', ['--dev-bind', '/', '/', ...options, '--', ...jinn], { ...makePlace(), input });
  return JSON.parse(stdout.toString()) as Answer;
}

const programs = (...paths: string[]) => [
  ...['--tmpfs', '/usr/bin', '--ro-bind', process.execPath, process.execPath],
  ...paths.flatMap((file) => ['--ro-bind', file, file]),
];
const NO_NAMESPACES = ['--unshare-user', '--disable-userns'];
const canPretend = hasSandbox && process.platform === 'linux' && fs.realpathSync('/bin') === '/usr/bin';

test.skipIf(!canPretend)('says what is missing where it cannot run commands', () => {
  expect(elsewhere(programs('/usr/bin/perl'))).toMatchObject({
    error_code: 'command_blocked',
    error: expect.stringContaining('bash is not installed'),
  });
  expect(elsewhere(programs('/usr/bin/bash'))).toMatchObject({
    ok: true,
    result: expect.stringContaining('hi'),
    meta: { exit_code: 0 },
  });
  expect(elsewhere(programs('/usr/bin/bash', '/usr/bin/perl'), ['--sandbox=require'])).toMatchObject({
    error_code: 'command_blocked',
    error: 'no sandbox works here: bubblewrap is not installed',
  });
  expect(elsewhere(programs('/usr/bin/bash', '/usr/bin/bwrap'), ['--sandbox=require'])).toMatchObject({
    error: 'no sandbox works here: perl is not installed',
  });
  expect(elsewhere(programs('/usr/bin/bash', '/usr/bin/perl'))).toMatchObject({
    ok: true,
    meta: {
      sandbox: 'none: bubblewrap is not installed',
      warnings: ['no sandbox confines commands: bubblewrap is not installed; jinn --doctor shows how to get it'],
    },
  });
});

const canForbid = canPretend && spawnSync('bwrap', [...NO_NAMESPACES, '--dev-bind', '/', '/', 'true']).status === 0;

test.skipIf(!canForbid)('takes a sandbox that is there and does not work for none', () => {
  expect(elsewhere(NO_NAMESPACES, ['--sandbox=auto'])).toMatchObject({
    ok: true,
    meta: { sandbox: expect.stringMatching(/^none: bwrap: /) },
  });
  for (const answer of [
    elsewhere(NO_NAMESPACES, ['--sandbox=require']),
    elsewhere(NO_NAMESPACES, ['--sandbox=auto'], { network: false }),
  ]) {
    expect(answer).toMatchObject({
      ok: false,
      error_code: 'command_blocked',
      error: expect.stringContaining('bwrap: '),
    });
  }
});

test('refuses a mode that it does not know', () => {
  const { status, stderr } = spawnSync(process.execPath, [JINN, '--sandbox=on'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, expect.stringContaining('off, auto, require')]);
});

test('says what works on this machine', () => {
  const text = doctor();
  for (const what of ['jinn', 'bash', 'perl', 'sandbox', 'no network', 'undo history']) {
    expect(text).toMatch(new RegExp(`^(ok|NO)\\s+${what} `, 'm'));
  }
});

test.skipIf(!canPretend)('says once a session what confines commands, or how to get what would', async () => {
  const answers = (options: readonly string[]) => {
    const input = `${JSON.stringify({ tool: 'run_shell', args: { command: 'true' } })}\n`.repeat(2);
    const jinn = ['--dev-bind', '/', '/', ...options, '--', process.execPath, JINN];
    const { stdout } = spawnSync('bwrap', jinn, { ...makePlace(), input, encoding: 'utf8' });
    return stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Answer).meta);
  };
  const warnings = ['no sandbox confines commands: bubblewrap is not installed; jinn --doctor shows how to get it'];
  expect(answers([])).toEqual([{ sandbox: 'bubblewrap' }, undefined]);
  expect(answers(programs('/usr/bin/bash', '/usr/bin/perl'))).toEqual([
    { sandbox: 'none: bubblewrap is not installed', warnings },
    undefined,
  ]);
});

test.skipIf(!hasSandbox)('--doctor says which mode applies, and why', () => {
  const mode = (config: unknown, ...argv: string[]) => {
    const line = [JINN, '--doctor', ...argv];
    const { stdout } = spawnSync(process.execPath, line, { ...makePlace(config), encoding: 'utf8' });
    return /^(?:ok|NO)\s+commands\s+(.*)/m.exec(stdout)?.[1];
  };
  expect(mode(undefined)).toMatch(/^confined by .* \(auto, by default\)$/);
  expect(mode({ sandbox: 'off' })).toBe('not confined (off, by config.json)');
  expect(mode({ sandbox: 'require' }, '--sandbox=off', '--no-network')).toBe('do not run (off, by --sandbox)');
});

test('a background job goes on while the session waits for input', async () => {
  const place = makePlace();
  const { child, ask } = openSession(place);
  // More than a pipe holds: what follows runs only if the output is taken.
  await ask({ command: 'seq 400000; touch written; sleep 300', background: true });
  await waitFor(`${place.cwd}/written`);
  await expect.poll(async () => (await ask({ job: 'job-1', action: 'output' })).result).toContain('\n400000\n');
  child.stdin.end();
});

test('the deadline of a background job holds while the session waits for input', { tags: 'slow' }, async () => {
  const place = makePlace();
  const { child, ask } = openSession(place, '--sandbox=off');
  await ask({ command: 'echo $$ > pid; exec sleep 60', background: true, timeout: 2 });
  await waitFor(`${place.cwd}/pid`);
  // It is ended though nobody asks.
  const pid = () => fs.readFileSync(`${place.cwd}/pid`, 'utf8').trim();
  await expect.poll(() => spawnSync('kill', ['-0', pid()]).stderr.toString()).toContain('No such process');
  await expect
    .poll(async () => (await ask({ job: 'job-1', action: 'output' })).result)
    .toContain('timed out after 2 seconds');
  child.stdin.end();
});

test('parallel commands start as soon as they are read', async () => {
  const place = makePlace();
  const { child } = openSession(place);
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  // Each waits for all the others to have started, up to 20 seconds.
  const command =
    'touch $(mktemp s.XXXXXX); for i in $(seq 400); do [ $(ls s.* | wc -l) = 16 ] && exit; sleep 0.05; done; exit 1';
  for (let i = 0; i < 16; i++) {
    child.stdin.write(`${JSON.stringify({ tool: 'run_shell', args: { command }, parallel: true })}\n`);
    await sleep(5);
  }
  for (let i = 0; i < 16; i++) {
    expect(JSON.parse((await lines.next()).value as string)).toMatchObject({ ok: true, classification: 'success' });
  }
  child.stdin.end();
});
