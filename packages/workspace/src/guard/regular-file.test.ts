import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { readRegular, readStart } from './inode.ts';

test('reads a small regular file, or the start of a large one', () => {
  const root = makeTempDirectory();
  makeTree(root, { file: 'text', link: { symlink: 'file' }, empty: '' });
  fs.truncateSync(`${root}/empty`, 3 * 1024 ** 3);
  expect(readRegular(`${root}/file`, 4)?.toString()).toBe('text');
  expect(readStart(`${root}/file`, 2)?.toString()).toBe('te');
  expect(readRegular(`${root}/link`, 4, { followsLinks: true })?.toString()).toBe('text');
  expect(readStart(`${root}/empty`, 3)).toEqual(Buffer.alloc(3));
});

test('reads nothing else, and waits for nothing', () => {
  const root = makeTempDirectory();
  makeTree(root, { file: 'text', link: { symlink: 'file' }, 'directory/': '', zero: { symlink: '/dev/zero' } });
  execFileSync('mkfifo', [`${root}/fifo`]);
  const read = (name: string) => readRegular(`${root}/${name}`, 3, { followsLinks: name !== 'link' });
  for (const name of ['file', 'link', 'directory', 'zero', 'fifo', 'missing', 'file/below'])
    expect([name, read(name)]).toEqual([name, undefined]);
});
