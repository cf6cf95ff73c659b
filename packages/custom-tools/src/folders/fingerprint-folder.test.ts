import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { fingerprintFolder } from './fingerprint-folder.ts';

const FILES = { 'tool.md': 'a', 'script.sh': 'b', 'lib/x.js': 'c', link: { symlink: 'lib/x.js' } } as const;

function make(): string {
  const root = makeTempDirectory();
  makeTree(root, FILES);
  return root;
}

test('is the same for the same content, wherever it lies', () => {
  expect(fingerprintFolder(make())).toMatch(/^[0-9a-f]{64}$/);
  expect(fingerprintFolder(make())).toBe(fingerprintFolder(make()));
});

test.each<[string, (root: string) => void]>([
  ['a changed file', (root) => fs.writeFileSync(`${root}/lib/x.js`, 'd')],
  [
    'a changed file with its old times',
    (root) => {
      const { atime, mtime } = fs.statSync(`${root}/script.sh`);
      fs.writeFileSync(`${root}/script.sh`, 'B');
      fs.utimesSync(`${root}/script.sh`, atime, mtime);
    },
  ],
  ['a new file', (root) => fs.writeFileSync(`${root}/.hidden`, '')],
  ['a removed file', (root) => fs.rmSync(`${root}/script.sh`)],
  ['a renamed file', (root) => fs.renameSync(`${root}/script.sh`, `${root}/script2.sh`)],
  ['a new directory', (root) => fs.mkdirSync(`${root}/empty`)],
  [
    'another target of a link',
    (root) => {
      fs.rmSync(`${root}/link`);
      fs.symlinkSync('script.sh', `${root}/link`);
    },
  ],
  ['a file that becomes executable', (root) => fs.chmodSync(`${root}/script.sh`, 0o755)],
])('differs after %s', (_, change) => {
  const root = make();
  const before = fingerprintFolder(root);
  change(root);
  expect(fingerprintFolder(root)).not.toBe(before);
});

test('gives none for what cannot be read', () => {
  expect(fingerprintFolder(`${make()}/none`)).toBeUndefined();
});

test('gives none for a folder with too much in it', () => {
  const root = make();
  fs.writeFileSync(`${root}/sparse`, '');
  fs.truncateSync(`${root}/sparse`, 257 * 1024 * 1024);
  expect(fingerprintFolder(root)).toBeUndefined();
});
