import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { findLockDirectory } from './mutate/locks.ts';
import { findCacheDirectory, findDirectories, makePrivateDirectory } from './private-files.ts';

const HOME = '/home/me';

test.for([
  [{}, '/home/me/.config/jinn', '/home/me/.cache/jinn'],
  [{ JINN_CONFIG_DIR: '', XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '' }, '/home/me/.config/jinn', '/home/me/.cache/jinn'],
  [{ XDG_CONFIG_HOME: '/c', XDG_CACHE_HOME: '/k' }, '/c/jinn', '/k/jinn'],
  [{ JINN_CONFIG_DIR: '/own', XDG_CONFIG_HOME: '/c' }, '/own/jinn', '/home/me/.cache/jinn'],
  [{ JINN_CONFIG_DIR: '~' }, '/home/me/jinn', '/home/me/.cache/jinn'],
  [{ JINN_CONFIG_DIR: '~/own' }, '/home/me/own/jinn', '/home/me/.cache/jinn'],
  [{ XDG_CONFIG_HOME: 'c', XDG_CACHE_HOME: './k' }, '/home/me/.config/jinn', '/home/me/.cache/jinn'],
  [{ XDG_CONFIG_HOME: '~/c', XDG_CACHE_HOME: '~' }, '/home/me/.config/jinn', '/home/me/.cache/jinn'],
] as const)('finds the directories for %j', ([env, state, cache]) => {
  expect(findDirectories(env, HOME)).toEqual({ state, cache });
  expect(findCacheDirectory(env, HOME)).toBe(cache);
});

test.for([undefined, '', '.', 'home'])('has no directories for the home %j', (home) => {
  expect(findDirectories({}, home)).toEqual({ state: undefined, cache: undefined });
  expect(findDirectories({ JINN_CONFIG_DIR: '/own' }, home).state).toBe('/own/jinn');
});

test.for([
  ['own', HOME],
  ['./own', HOME],
  ['~other/own', HOME],
  ['~', undefined],
  ['~/own', '.'],
] as const)('refuses JINN_CONFIG_DIR=%s with the home %s', ([JINN_CONFIG_DIR, home]) => {
  expect(() => findDirectories({ JINN_CONFIG_DIR }, home)).toThrow(
    expect.objectContaining({
      code: 'invalid_args',
      message: `JINN_CONFIG_DIR is not an absolute path: "${JINN_CONFIG_DIR}"`,
      suggestion: expect.stringContaining('starts with / or ~/'),
    }),
  );
});

test('makes a directory and its parents, closed to others', () => {
  const directory = `${makeTempDirectory()}/a/b/c`;
  makePrivateDirectory(directory);
  makePrivateDirectory(directory);
  for (const made of [directory, `${directory}/..`]) expect(fs.statSync(made).mode & 0o777).toBe(0o700);
});

test.skipIf(process.platform !== 'linux')('fails at once where nothing can be made', () => {
  for (const directory of ['/proc/x', '/proc/x/y/z', '/proc/self/x']) {
    expect(() => makePrivateDirectory(directory)).toThrow('ENOENT');
  }
});

test('refuses a path through a file', () => {
  const directory = makeTempDirectory();
  fs.writeFileSync(`${directory}/file`, '');
  expect(() => makePrivateDirectory(`${directory}/file`)).toThrow('EEXIST');
  expect(() => makePrivateDirectory(`${directory}/file/x`)).toThrow('ENOTDIR');
});

/** A directory for temporary files, for one test. */
function useTmp(): string {
  const before = process.env['TMPDIR'];
  const tmp = makeTempDirectory();
  process.env['TMPDIR'] = tmp;
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  return tmp;
}

test('makes the directory that is asked for', () => {
  const directory = path.join(makeTempDirectory(), 'jinn/locks');
  expect(findLockDirectory(directory)).toBe(directory);
  expect(fs.statSync(directory).mode & 0o777).toBe(0o700);
});

test.each([
  ['without a home', undefined],
  ['where the state directory cannot be made', '/dev/null/locks'],
])('is a temporary directory %s', (_, preferred) => {
  const tmp = useTmp();
  const directory = findLockDirectory(preferred);
  expect(path.dirname(directory)).toBe(tmp);
  expect(fs.statSync(directory).mode & 0o777).toBe(0o700);
  expect(findLockDirectory(preferred)).toBe(directory);
});

test.each([
  ['is a link', (directory: string) => fs.symlinkSync(makeTempDirectory(), directory)],
  ['is open to others', makeOpen],
  ['is a file', (directory: string) => fs.writeFileSync(directory, '')],
])('refuses a temporary directory that %s', (_, prepare) => {
  prepare(`${useTmp()}/jinn-locks-${process.getuid?.()}`);
  expect(() => findLockDirectory(undefined)).toThrow('neither to its state directory');
});

function makeOpen(directory: string): void {
  fs.mkdirSync(directory);
  fs.chmodSync(directory, 0o777);
}
