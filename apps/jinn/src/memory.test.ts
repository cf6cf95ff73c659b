import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';

const JINN = path.resolve(import.meta.dirname, '../dist/jinn.cjs');
const PROCESSES = 16;

interface Answer {
  readonly ok: boolean;
  readonly result?: string;
  readonly error?: string;
  readonly suggestion?: string;
  readonly meta?: object;
}

/** A workspace and a home that is still empty. */
function makePlace() {
  const cwd = makeTempDirectory();
  const home = makeTempDirectory();
  return { cwd, home, env: { PATH: process.env['PATH'], HOME: home } };
}

type Place = ReturnType<typeof makePlace>;

const toLine = (args: object) => `${JSON.stringify({ tool: 'memory', args })}\n`;
const parse = (output: string) =>
  output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);

function ask({ cwd, env }: Pick<Place, 'cwd' | 'env'>, args: object, jinn = JINN): Answer {
  const { stdout } = spawnSync(process.execPath, [jinn], { cwd, env, input: toLine(args), encoding: 'utf8' });
  return parse(stdout)[0] as Answer;
}

/** Starts a jinn with these requests, for others to run beside it. */
function start({ cwd, env }: Place, requests: readonly object[]): Promise<Answer[]> {
  const child = spawn(process.execPath, [JINN], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(requests.map(toLine).join(''));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return new Promise((resolve) => child.once('close', () => resolve(parse(output))));
}

const numbers = Array.from({ length: PROCESSES }, (_, n) => n);

test('processes that save at once, into a database that none has made yet, lose nothing', async () => {
  const place = makePlace();
  const keys = (n: number) => numbers.slice(0, 10).map((i) => `p${n}.${i}`);
  const answers = await Promise.all(
    numbers.map((n) =>
      start(
        place,
        keys(n).map((key) => ({ action: 'save', key, value: `of ${key}` })),
      ),
    ),
  );
  for (const [n, answer] of answers.entries()) {
    expect(answer).toEqual(keys(n).map((key) => ({ ok: true, result: `saved: ${key}` })));
  }
  const { result = '' } = ask(place, { action: 'list', include_values: true });
  const { count, entries } = JSON.parse(result) as { count: number; entries: { key: string; value: string }[] };
  expect(count).toBe(PROCESSES * 10);
  for (const { key, value } of entries) expect(value).toBe(`of ${key}`);
  expect(fs.statSync(`${place.home}/.config/jinn`).mode & 0o777).toBe(0o700);
});

test('processes that start at once import the file of an older jinn once', async () => {
  const place = makePlace();
  const directory = `${place.home}/.config/jinn`;
  fs.mkdirSync(directory, { recursive: true });
  const entries = Object.fromEntries(
    numbers.map((n) => [`k${n}`, { value: `v${n}`, updated: '2024-05-06T07:08:09Z' }]),
  );
  fs.writeFileSync(`${directory}/memory.json`, JSON.stringify({ version: 1, entries }));
  // Each forgets a key that another one's second import would bring back.
  const answers = await Promise.all(
    numbers.map((n) =>
      start(place, [
        { action: 'recall', key: `k${n}`, scope: 'global' },
        { action: 'forget', key: `k${n}`, scope: 'global' },
      ]),
    ),
  );
  for (const [n, [recalled, forgotten]] of answers.entries()) {
    expect(recalled).toEqual({ ok: true, result: `v${n}` });
    expect(forgotten).toEqual({ ok: true, result: `forgotten: k${n}` });
  }
  expect(ask(place, { action: 'list', scope: 'global' }).result).toBe('{"keys":[],"count":0}');
  expect(fs.readdirSync(directory).filter((name) => name.endsWith('json'))).toEqual([]);
  expect(fs.existsSync(`${directory}/memory.json.migrated`)).toBe(true);
});

test('processes that start at once import what is sound of a file with bad entries once, and leave the file', async () => {
  const place = makePlace();
  const directory = `${place.home}/.config/jinn`;
  fs.mkdirSync(directory, { recursive: true });
  const entries = Object.fromEntries([['bad', 5], ...numbers.map((n) => [`k${n}`, { value: `v${n}` }])]);
  fs.writeFileSync(`${directory}/memory.json`, JSON.stringify({ version: 1, entries }));
  const answers = await Promise.all(
    numbers.map((n) => start(place, [{ action: 'forget', key: `k${n}`, scope: 'global' }])),
  );
  for (const [answer] of answers) {
    expect(answer?.meta).toEqual({ warnings: [expect.stringContaining('were not imported: "bad"')] });
  }
  const { result, meta } = ask(place, { action: 'list', scope: 'global' });
  expect([result, meta]).toEqual(['{"keys":[],"count":0}', { warnings: [expect.stringContaining('"bad"')] }]);
  expect(fs.existsSync(`${directory}/memory.json`)).toBe(true);
});

test('a process that is killed at any time leaves a database that is whole', async () => {
  const place = makePlace();
  const many = numbers.flatMap((n) =>
    numbers.map((i) => ({ action: 'save', key: `k${n}.${i}`, value: 'v'.repeat(4000) })),
  );
  for (const wait of [60, 90, 120, 160, 220]) {
    const child = spawn(process.execPath, [JINN], { ...place, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.on('error', () => {});
    child.stdin.end(many.map(toLine).join(''));
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    setTimeout(() => child.kill('SIGKILL'), wait);
    await new Promise((resolve) => child.once('close', resolve));
    const { keys } = JSON.parse(ask(place, { action: 'list' }).result ?? '') as { keys: string[] };
    const said = [...output.matchAll(/"saved: (\S+)"\}/g)].map(([, key]) => key);
    expect(keys).toEqual(expect.arrayContaining(said));
  }
  expect(ask(place, { action: 'save', key: 'k', value: 'v' }).ok).toBe(true);
});

test('keeps the memory where the environment says, and finds the project from any directory in it', () => {
  const place = makePlace();
  execFileSync('git', ['init', '--quiet'], { cwd: place.cwd });
  fs.mkdirSync(`${place.cwd}/src/deep`, { recursive: true });
  const env = { ...place.env, JINN_CONFIG_DIR: `${place.home}/50%/what?#` };
  ask({ cwd: `${place.cwd}/src/deep`, env }, { action: 'save', key: 'k', value: 'v' });
  expect(fs.existsSync(`${place.home}/50%/what?#/jinn/memory.db`)).toBe(true);
  expect(ask({ cwd: place.cwd, env }, { action: 'recall', key: 'k' }).result).toBe('v');
  expect(ask(place, { action: 'recall', key: 'k' }).ok).toBe(false);
  expect(fs.existsSync(`${place.home}/.config`)).toBe(false);
});

test.for(['own', './own', '~other'])('JINN_CONFIG_DIR=%s is refused, and nothing is made', (JINN_CONFIG_DIR) => {
  const place = makePlace();
  const env = { ...place.env, JINN_CONFIG_DIR };
  for (const flags of [[], ['--doctor']]) {
    const input = toLine({ action: 'save', key: 'k', value: 'v' });
    const run = spawnSync(process.execPath, [JINN, ...flags], { cwd: place.cwd, env, input, encoding: 'utf8' });
    expect([run.status, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toBe(
      `jinn: JINN_CONFIG_DIR is not an absolute path: "${JINN_CONFIG_DIR}"; set it to a path that begins with / or ~/, or unset it for ~/.config\n`,
    );
  }
  expect([fs.readdirSync(place.cwd), fs.readdirSync(place.home)]).toEqual([[], []]);
});

test('a home may be written as ~, and a relative XDG_CONFIG_HOME is passed over', () => {
  const place = makePlace();
  const save = { action: 'save', key: 'k', value: 'v' };
  for (const [variables, directory] of [
    [{ JINN_CONFIG_DIR: '~/own' }, 'own'],
    [{ XDG_CONFIG_HOME: 'own', XDG_CACHE_HOME: '~' }, '.config'],
  ] as const) {
    expect(ask({ cwd: place.cwd, env: { ...place.env, ...variables } }, save).ok).toBe(true);
    expect(fs.existsSync(`${place.home}/${directory}/jinn/memory.db`)).toBe(true);
  }
  expect(fs.readdirSync(place.cwd)).toEqual([]);
});

test('without SQLite only the memory is missing, and the error says how to mend it', () => {
  const place = makePlace();
  const copy = makeTempDirectory();
  fs.cpSync(path.dirname(JINN), copy, { recursive: true });
  expect(ask(place, { action: 'list' }, `${copy}/jinn.cjs`)).toMatchObject({
    ok: false,
    error_code: 'write_failed',
    error: 'memory is unavailable: the SQLite module better-sqlite3 cannot be loaded',
    suggestion: expect.stringContaining('--allow-scripts'),
  });
});
