import fs from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openWorkspace } from '../guard/index.ts';
import { type Fingerprint, fingerprintOf, isThere, isUnchanged } from './fingerprint.ts';
import { walk } from './walk.ts';

function open(useProc = true) {
  const root = makeTempDirectory();
  makeTree(root, {
    'd/a': { content: 'one', mtime: new Date(1_700_000_000_000) },
    'd/b': 'two',
    link: { symlink: 'd/a' },
  });
  const workspace = openWorkspace({ root, useProc });
  onTestFinished(() => workspace.close());
  return { root, workspace };
}

test('is unchanged until the file or directory changes', async () => {
  const { root, workspace } = open();
  await wait(80);
  const file = fingerprintOf(workspace, 'd/a') as Fingerprint;
  const directory = fingerprintOf(workspace, 'd') as Fingerprint;
  fs.readFileSync(`${root}/d/a`);
  expect(isUnchanged(root, 'd/a', file)).toBe(true);
  expect(isUnchanged(root, 'd', directory)).toBe(true);
  const { atime, mtime } = fs.statSync(`${root}/d/a`);
  fs.writeFileSync(`${root}/d/a`, 'eno');
  fs.utimesSync(`${root}/d/a`, atime, mtime);
  expect(isUnchanged(root, 'd/a', file)).toBe(false);
  expect(isUnchanged(root, 'd', directory)).toBe(true);
  fs.writeFileSync(`${root}/d/c`, '');
  expect(isUnchanged(root, 'd', directory)).toBe(false);
});

test('tells what is there, also links that lead nowhere, and never throws', () => {
  const { root, workspace } = open();
  makeTree(root, { dangling: { symlink: 'nowhere' } });
  for (const path of ['d', 'd/a', 'link', 'dangling']) expect(isThere(workspace, path)).toBe(true);
  for (const path of ['e', 'd/c', 'd/a/b', 'x'.repeat(300)]) expect(isThere(workspace, path)).toBe(false);
});

test('is undefined for what is missing or fresh, and what is missing has changed', async () => {
  const { root, workspace } = open();
  await wait(80);
  const known = fingerprintOf(workspace, 'd/a') as Fingerprint;
  expect(fingerprintOf(workspace, 'nope')).toBeUndefined();
  fs.writeFileSync(`${root}/d/a`, 'x');
  expect(fingerprintOf(workspace, 'd/a')).toBeUndefined();
  for (const path of ['nope', 'd/a/x', 'd/b']) expect(isUnchanged(root, path, known)).toBe(false);
});

test('describes a link itself, never what it leads to', async () => {
  const { root, workspace } = open();
  await wait(80);
  const link = fingerprintOf(workspace, 'link') as Fingerprint;
  fs.writeFileSync(`${root}/d/a`, 'changed');
  expect(isUnchanged(root, 'link', link)).toBe(true);
  fs.renameSync(`${root}/link`, `${root}/d/a`);
  expect(isUnchanged(root, 'd/a', fingerprintOf(workspace, 'd/b') as Fingerprint)).toBe(false);
});

test.for([true, false])('a walk returns the same fingerprints (with descriptors: %s)', async (useProc) => {
  const { workspace } = open(useProc);
  await wait(80);
  const found: [string, Fingerprint | undefined][] = [];
  await walk(workspace, '.', { checkpoint: async () => {} }, (entry) => {
    found.push([entry.path, entry.fingerprint()]);
    return undefined;
  });
  expect(found).toEqual(['d', 'd/a', 'd/b', 'link'].map((path) => [path, fingerprintOf(workspace, path)]));
  expect(found.every(([, fingerprint]) => fingerprint !== undefined)).toBe(true);
});
