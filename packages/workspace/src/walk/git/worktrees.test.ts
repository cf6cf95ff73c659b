import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { listWorktrees } from './git-directory.ts';

function makeRepository() {
  const top = fs.realpathSync(makeTempDirectory());
  const git = (...args: string[]) => execFileSync('git', ['-C', top, ...args], { stdio: 'pipe' });
  git('init', '-q');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'one');
  return { top, git };
}

test('lists the worktrees of a repository', () => {
  const { top, git } = makeRepository();
  expect(listWorktrees(top)).toEqual([]);
  const beside = `${fs.realpathSync(makeTempDirectory())}/beside`;
  git('worktree', 'add', '-q', beside);
  expect(listWorktrees(top)).toEqual([beside]);
  expect(listWorktrees(beside)).toEqual([beside]);
});

test('lists nothing where there is no repository', () => {
  expect(listWorktrees(makeTempDirectory())).toEqual([]);
});

test('leaves out a record that names a directory which does not point back', () => {
  const { top, git } = makeRepository();
  const [beside, other] = ['beside', 'other'].map((name) => `${fs.realpathSync(makeTempDirectory())}/${name}`) as [
    string,
    string,
  ];
  git('worktree', 'add', '-q', beside);
  fs.mkdirSync(other);
  const record = `${top}/.git/worktrees/forged`;
  fs.cpSync(`${top}/.git/worktrees/beside`, record, { recursive: true });
  fs.writeFileSync(`${record}/gitdir`, `${other}/.git\n`);
  expect(listWorktrees(top)).toEqual([beside]);
  // The file of another worktree does not make it one: it points to another record.
  fs.copyFileSync(`${beside}/.git`, `${other}/.git`);
  expect(listWorktrees(top)).toEqual([beside]);
});
