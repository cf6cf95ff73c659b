import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, it } from 'vitest';
import { fifosBelow } from './fifos.ts';

function makeFifo(path: string): string {
  execFileSync('mkfifo', [path]);
  return path;
}

it('finds a FIFO that appears between two looks, deep or at the top', () => {
  const home = makeTempDirectory();
  fs.mkdirSync(`${home}/a/b`, { recursive: true });
  const found = () => fifosBelow(home, () => false);
  expect(found()).toEqual([]);
  const deep = makeFifo(`${home}/a/b/deep`);
  expect(found()).toEqual([deep]);
  const upper = makeFifo(`${home}/upper`);
  expect(found()).toEqual([upper, deep]);
  fs.mkdirSync(`${home}/new`);
  const inside = makeFifo(`${home}/new/inside`);
  expect(found()).toEqual([upper, inside, deep]);
});

it('finds a FIFO that appears below a directory that was put in the place of another', async () => {
  const home = makeTempDirectory();
  fs.mkdirSync(`${home}/a`);
  fs.mkdirSync(`${home}/other`);
  makeFifo(`${home}/other/f`);
  await new Promise((resolve) => setTimeout(resolve, 150)); // From now on listings are kept.
  expect(fifosBelow(`${home}/a`, () => false)).toEqual([]);
  fs.rmdirSync(`${home}/a`);
  fs.renameSync(`${home}/other`, `${home}/a`);
  expect(fifosBelow(`${home}/a`, () => false)).toEqual([`${home}/a/f`]);
});

it('trusts no time stamp that a later change may share', async () => {
  const home = makeTempDirectory();
  const found = () => fifosBelow(home, () => false);
  for (let i = 0; i < 50; i++) {
    const name = makeFifo(`${home}/f${i}`);
    expect(found()).toContain(name);
    fs.rmSync(name);
  }
});

it('spends none of its looks on directories that are left out', () => {
  const home = makeTempDirectory();
  for (let i = 0; i < 150; i++) fs.mkdirSync(`${home}/cache-${i}`);
  fs.mkdirSync(`${home}/other`);
  const fifo = makeFifo(`${home}/other/f`);
  expect(fifosBelow(home, (directory) => directory.includes('/cache-'))).toEqual([fifo]);
  expect(fifosBelow(home, () => false)).toEqual([]);
});
