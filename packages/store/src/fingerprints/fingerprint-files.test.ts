import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { fingerprintFiles } from './find-named.ts';

const TREE = {
  'a.txt': 'a',
  'b.txt': 'a',
  link: { symlink: 'a.txt' },
  'package/lib/x.js': 'x',
  'linked-folder': { symlink: 'package' },
} as const;

function scene() {
  const root = makeTempDirectory();
  makeTree(root, TREE);
  const fingerprint = () =>
    fingerprintFiles(
      root,
      ['a.txt', 'link', 'package', 'linked-folder', 'missing'].map((name) => `${root}/${name}`),
    );
  return { root, fingerprint };
}

test('is the same for the same files, in any order and any number of times', () => {
  const { root, fingerprint } = scene();
  expect(fingerprint()).toMatch(/^[0-9a-f]{64}$/);
  expect(fingerprint()).toBe(scene().fingerprint());
  const some = [`${root}/a.txt`, `${root}/link`];
  expect(fingerprintFiles(root, some)).toBe(fingerprintFiles(root, [...some, ...some].reverse()));
});

const swap = (root: string, name: string, symlink: string) => {
  fs.rmSync(`${root}/${name}`);
  fs.symlinkSync(symlink, `${root}/${name}`);
};

test.for<readonly [string, (root: string) => void]>([
  ['a changed file', (root) => fs.writeFileSync(`${root}/a.txt`, 'b')],
  ['a removed file', (root) => fs.rmSync(`${root}/a.txt`)],
  ['a file that was missing', (root) => fs.writeFileSync(`${root}/missing`, '')],
  ['a link to another file of the same content', (root) => swap(root, 'link', 'b.txt')],
  ['a link to nothing', (root) => swap(root, 'link', 'nowhere')],
  ['a link in the place of a file', (root) => swap(root, 'a.txt', 'b.txt')],
  ['a file that has become a program', (root) => fs.chmodSync(`${root}/a.txt`, 0o755)],
  ['a file deep in a folder', (root) => fs.writeFileSync(`${root}/package/lib/x.js`, 'y')],
  ['a new file in a folder', (root) => fs.writeFileSync(`${root}/package/lib/z.js`, '')],
])('differs after %s', ([, change]) => {
  const { root, fingerprint } = scene();
  const before = fingerprint();
  change(root);
  expect(fingerprint()).not.toBe(before);
});

test('gives none for what is too large', () => {
  const { root, fingerprint } = scene();
  fs.truncateSync(`${root}/a.txt`, 257 * 1024 * 1024);
  expect(fingerprint()).toBeUndefined();
  fs.writeFileSync(`${root}/a.txt`, '');
  fs.truncateSync(`${root}/package/lib/x.js`, 129 * 1024 * 1024);
  // Both names of the folder count.
  expect(fingerprint()).toBeUndefined();
});
