import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { findLockDirectory } from './lock-directory.ts';

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
