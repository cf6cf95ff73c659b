import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { gitLog, recentChanges } from './git-log.ts';

function repository() {
  const root = makeTempDirectory();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=a@b', ...args], { cwd: root, encoding: 'utf8' });
  const commit = (subject: string, files: Record<string, string>) => {
    makeTree(root, files);
    git('add', '.');
    git('commit', '-q', '-m', subject);
  };
  git('init', '-q');
  return { root, git, commit };
}

test('ranks what took part in the last commits, and passes over commits of everything', async () => {
  const { root, commit } = repository();
  commit('all', Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`f${i}`, 'x'])));
  commit('old', { 'd/é b': '1' });
  commit('new', { hot: '1' });
  commit('newer', { hot: '2' });
  const recent = await recentChanges(root, process.env);
  expect(recent.get(`${root}/hot`)).toEqual({ share: 1, age: 0 });
  expect(recent.get(`${root}/d/é b`)?.share).toBeGreaterThan(0.2);
  expect(recent.get(`${root}/d/é b`)?.age).toBe(2);
  expect(recent.has(`${root}/f1`)).toBe(false);
});

test('ranks uncommitted work above all commits: edited, staged and untracked files', async () => {
  const { root, git, commit } = repository();
  commit('one', { a: '1', b: '1', c: '1', d: '1' });
  commit('two', { a: '2' });
  makeTree(root, { b: '2', c: '2', 'new/e': '1' });
  git('add', 'c');
  const recent = await recentChanges(root, process.env);
  const work = { share: 1, age: -1 };
  expect(['b', 'c', 'new/e'].map((name) => recent.get(`${root}/${name}`))).toEqual([work, work, work]);
  expect(recent.get(`${root}/a`)?.age).toBe(0);
  expect(recent.get(`${root}/d`)?.age).toBe(1);
});

test('says nothing of each file where very many are not committed', async () => {
  const { root, commit } = repository();
  commit('one', { a: '1' });
  makeTree(root, Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`f${i}`, 'x'])));
  const recent = await recentChanges(root, process.env);
  expect(recent.get(`${root}/f1`)).toEqual({ share: 0, age: -1 });
  expect(recent.get(`${root}/a`)?.share).toBe(1);
});

test('knows nothing where there is no repository and no commit', async () => {
  expect(await recentChanges(makeTempDirectory(), process.env)).toEqual(new Map());
  expect(await recentChanges(repository().root, process.env)).toEqual(new Map());
});

test('tells the last commits with their files', async () => {
  const { root, git, commit } = repository();
  commit('first', { a: 'some text\n'.repeat(20), gone: 'x' });
  git('mv', 'a', 'b');
  commit('Move a', {});
  const log = await gitLog(root, 1, process.env);
  expect(log).toMatch(/^[0-9a-f]{7,} \d{4}-\d\d-\d\d Ann: Move a\n\nR100\ta\tb$/);
  expect(await gitLog(root, 5, process.env)).toContain('Ann: first');
});

test('runs no program that shows signatures', async () => {
  const { root, git, commit } = repository();
  commit('x', { trap: '#!/bin/sh\ntouch sprung\n' });
  fs.chmodSync(`${root}/trap`, 0o755);
  git('config', 'log.showSignature', 'true');
  git('config', 'gpg.program', `${root}/trap`);
  await gitLog(root, 1, process.env);
  await recentChanges(root, process.env);
  expect(fs.existsSync(`${root}/sprung`)).toBe(false);
});
