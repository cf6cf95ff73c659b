import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { ask, JINN, makePlace, numbers, PROCESSES, start, toLine } from './fixture/memory-place.ts';

test('processes that save at once, into a database that none has made yet, lose nothing', {
  tags: 'slow',
}, async () => {
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
      `jinn: JINN_CONFIG_DIR is not an absolute path: "${JINN_CONFIG_DIR}"; set it to a path that starts with / or ~/, or unset it for ~/.config\n`,
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
