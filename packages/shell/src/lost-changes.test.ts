import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { runShell } from './run-shell.ts';

async function questionAbout(command: string, cwd?: string) {
  const root = fs.realpathSync(makeTempDirectory());
  makeTree(root, { 'a.txt': 'one\n', 'sub/b.txt': 'two\n', '.env': 'A=1\n', 'gone.txt': 'x\n' });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
  makeTree(root, { 'a.txt': 'ONE\n', 'sub/b.txt': 'TWO\n', '.env': 'A=2\n', 'new.txt': 'n\n' });
  fs.rmSync(`${root}/gone.txt`);
  let asked: { message: string; words?: string; patch?: { text: string } | undefined } | undefined;
  const ask = async (question: NonNullable<typeof asked>) => {
    asked = question;
    return 'deny' as const;
  };
  await call(runShell, { command, ...(cwd && { cwd }) }, { root, dangerous: 'ask', ask });
  return asked;
}

test.each(['git checkout -- a.txt', 'git reset --hard', 'git restore . && echo done', 'cd sub && git checkout -f'])(
  'a question about %s shows the changes that are not committed, without secrets',
  async (command) => {
    const asked = await questionAbout(command);
    expect(asked?.message).toContain('Changes here that are not committed, and may be lost\n    diff --git ');
    expect(asked?.message).toMatch(/\n {4}-one\n {4}\+ONE\n/);
    expect(asked?.message).toMatch(/\n {4}-two\n {4}\+TWO\n/);
    expect(asked?.message).toContain('gone.txt');
    expect(asked?.message).not.toContain('A=2');
    expect(asked?.words).not.toMatch(/\+ONE|not committed/);
    expect(asked?.patch?.text).toContain('+ONE');
  },
);

test('other questions show no changes', async () => {
  const asked = await questionAbout('rm a.txt');
  expect(asked?.message).toContain('removes files');
  expect(asked?.patch).toBeUndefined();
  expect(asked?.message).toBe(asked?.words);
});
