import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { type ExampleOptions, openExample } from '../fixture/open-example.ts';

async function open(options: ExampleOptions = {}) {
  const example = await openExample('git-worktree', options);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: example.root,
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  return { ...example, git };
}

test('adds worktrees with their branches, and lists them', async () => {
  const { call, git, root } = await open();
  git('branch', 'known');
  await call({ action: 'add', name: 'one' });
  await call({ action: 'add', name: 'two', branch: 'known' });
  const { output, shown, warnings } = await call({ action: 'add', name: 'three', branch: 'fix/it', from: 'main' });
  const commit = git('rev-parse', 'HEAD').slice(0, 10);
  const worktrees = [
    { path: root, branch: 'main', commit },
    { path: `${root}/.worktrees/one`, branch: 'one', commit },
    { path: `${root}/.worktrees/three`, branch: 'fix/it', commit },
    { path: `${root}/.worktrees/two`, branch: 'known', commit },
  ];
  const sorted = (output['worktrees'] as { path: string }[]).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  expect(sorted).toEqual(worktrees);
  expect(shown).toMatchObject({ type: 'table', rows: expect.arrayContaining(worktrees) });
  expect(warnings).toEqual([]);
  expect(git('status', '--porcelain')).toBe('');
});

test('asks before it removes a worktree with what is not committed there', async () => {
  const { call, asked, root } = await open({ ask: () => 'once' });
  await call({ action: 'add', name: 'one' });
  fs.writeFileSync(`${root}/.worktrees/one/work`, 'x');
  expect((await call({ action: 'remove', name: 'one' })).output['worktrees']).toHaveLength(1);
  expect(fs.existsSync(`${root}/.worktrees/one`)).toBe(false);
  expect(asked).toEqual(['worktree_remove: one']);
});

test('removes nothing without a person', async () => {
  const { call, fail, root } = await open();
  await call({ action: 'add', name: 'one' });
  expect(await fail({ action: 'remove', name: 'one' })).toContain('Remove the worktree one');
  expect(fs.existsSync(`${root}/.worktrees/one`)).toBe(true);
});

test('says what git says, and takes no option or path for a name', async () => {
  const { fail } = await open();
  expect(await fail({ action: 'add', name: 'one', from: 'nowhere' })).toMatch(/nowhere/);
  expect(await fail({ action: 'add' })).toContain('name is missing');
  for (const name of ['--force', '../out', 'a b', '"']) {
    expect(await fail({ action: 'add', name })).toContain('must match pattern');
  }
  const { fail: failHere } = await openExample('git-worktree');
  expect(await failHere({ action: 'list' })).toContain('this is not a repository of git');
});

test('writes nowhere else through a link', async () => {
  const { fail, root } = await open({ files: { '.worktrees': { symlink: '/tmp' } } });
  expect(await fail({ action: 'add', name: 'one' })).toContain('.worktrees is a link');
  fs.rmSync(`${root}/.worktrees`);
  fs.rmSync(`${root}/.git/info/exclude`, { force: true });
  fs.mkdirSync(`${root}/.git/info`, { recursive: true });
  fs.symlinkSync(`${root}/victim`, `${root}/.git/info/exclude`);
  expect(await fail({ action: 'add', name: 'one' })).toContain('.git/info/exclude is a link');
  expect(fs.existsSync(`${root}/victim`)).toBe(false);
});

test('runs no hook of the repository', async () => {
  const { call, root } = await open();
  fs.writeFileSync(`${root}/.git/hooks/post-checkout`, `#!/bin/sh\ntouch '${root}/hooked'\n`, { mode: 0o755 });
  await call({ action: 'add', name: 'one' });
  expect(fs.existsSync(`${root}/hooked`)).toBe(false);
});
