import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { makePrivateDirectory } from './private-directory.ts';

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
