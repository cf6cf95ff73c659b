import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findChanges } from './git-changes.ts';
import { recentChanges } from './git-log.ts';

const VARIABLES = { PATH: process.env['PATH'] };

function makeRepository(): string {
  const top = makeTempDirectory();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=b', ...args], { cwd: top });
  git('init', '-q');
  fs.writeFileSync(path.join(top, 'a'), 'a');
  git('add', '.');
  git('commit', '-qm', 'first');
  return top;
}

function putFifo(file: string): void {
  fs.rmSync(file, { force: true });
  fs.mkdirSync(path.dirname(file), { recursive: true });
  execFileSync('mkfifo', [file]);
}

test.each([
  'index',
  'HEAD',
  'config',
  'packed-refs',
  'commondir',
  'info/exclude',
  'refs/heads/a/b',
  'objects/info/alternates',
])('refuses a repository whose %s is a FIFO', async (name) => {
  const top = makeRepository();
  putFifo(path.join(top, '.git', name));
  await expect(findChanges(top, 'HEAD', VARIABLES)).rejects.toMatchObject({
    code: 'not_a_file',
    message: `git would wait for .git/${name} for ever: it is a FIFO, a socket or a device`,
  });
  expect(await recentChanges(top, VARIABLES)).toEqual(new Map());
});

test('refuses it from below its top, through a link, and in a worktree', async () => {
  const top = makeRepository();
  const worktree = path.join(makeTempDirectory(), 'tree');
  execFileSync('git', ['worktree', 'add', '-q', worktree], { cwd: top });
  fs.mkdirSync(path.join(top, 'below'));
  putFifo(path.join(top, 'fifo'));
  fs.rmSync(path.join(top, '.git/config'));
  fs.symlinkSync('../fifo', path.join(top, '.git/config'));
  await expect(findChanges(path.join(top, 'below'), 'HEAD', VARIABLES)).rejects.toThrow('.git/config');
  await expect(findChanges(worktree, 'HEAD', VARIABLES)).rejects.toThrow(
    /^git would wait for a file of its git directory/,
  );
});

test('takes an ordinary repository', async () => {
  const top = makeRepository();
  fs.writeFileSync(path.join(top, 'b'), 'b');
  expect((await findChanges(top, 'HEAD', VARIABLES)).changed).toEqual([path.join(top, 'b')]);
});

test('ends git when the call is canceled', async () => {
  const top = makeRepository();
  putFifo(path.join(top, '.gitignore'));
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 100);
  await expect(findChanges(top, 'HEAD', VARIABLES, controller.signal)).rejects.toMatchObject({ code: 'canceled' });
});

test.runIf(process.platform === 'linux').each([
  ['.gitignore', () => {}],
  ['nested/.git/HEAD', (top: string) => execFileSync('git', ['init', '-q', path.join(top, 'nested')])],
])('ends git when it waits at a FIFO called %s', async (name, prepare) => {
  const top = makeRepository();
  prepare(top);
  putFifo(path.join(top, name));
  await expect(findChanges(top, 'HEAD', VARIABLES)).rejects.toMatchObject({
    code: 'not_a_file',
    message: 'git would wait forever: a FIFO replaces a file that it reads',
  });
});
