import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, it } from 'vitest';
import { fifosBelow } from './command-view.ts';

const NONE: ReadonlySet<string> = new Set();

function makeFifo(path: string): string {
  execFileSync('mkfifo', [path]);
  return path;
}

it('finds a FIFO that appears between two looks, deep or at the top', () => {
  const home = makeTempDirectory();
  fs.mkdirSync(`${home}/a/b`, { recursive: true });
  const found = () => fifosBelow(home, NONE);
  expect(found()).toEqual([]);
  const deep = makeFifo(`${home}/a/b/deep`);
  expect(found()).toEqual([deep]);
  const upper = makeFifo(`${home}/upper`);
  expect(found()).toEqual([upper, deep]);
  fs.mkdirSync(`${home}/new`);
  const inside = makeFifo(`${home}/new/inside`);
  expect(found()).toEqual([upper, inside, deep]);
});

it('spends none of its looks on directories that are left out', () => {
  const home = makeTempDirectory();
  const caches = new Set(Array.from({ length: 150 }, (_, i) => `${home}/cache-${i}`));
  for (const cache of caches) fs.mkdirSync(cache);
  fs.mkdirSync(`${home}/other`);
  const fifo = makeFifo(`${home}/other/f`);
  expect(fifosBelow(home, caches)).toEqual([fifo]);
  expect(fifosBelow(home, NONE)).toEqual([]);
});
