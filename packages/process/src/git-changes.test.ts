import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { diffSince, findChanges } from './git-changes.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

function repository() {
  const root = makeTempDirectory();
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, encoding: 'utf8' });
  git('init', '-q');
  makeTree(root, { a: 'one\n', 'd/b é': 'two\n', gone: 'x\n', '.gitignore': 'ign\n' });
  git('add', '.');
  git('commit', '-q', '-m', 'x');
  return { root, git };
}

describe.skipIf(!hasGit)('in a repository', () => {
  test('finds what changed, is new, or is gone', async () => {
    const { root } = repository();
    makeTree(root, { 'd/b é': 'three\n', new: 'n', ign: 'i' });
    fs.rmSync(`${root}/gone`);
    const { changed, removed } = await findChanges(`${root}/d`, 'HEAD');
    expect(changed.toSorted()).toEqual([`${root}/d/b é`, `${root}/gone`, `${root}/new`]);
    expect(removed).toEqual([`${root}/gone`]);
  });

  test('gives the diff of some paths', async () => {
    const { root } = repository();
    makeTree(root, { a: 'uno\n', 'd/b é': 'dos\n' });
    const diff = await diffSince(root, 'HEAD', [`${root}/a`]);
    expect(diff).toContain('-one\n+uno\n');
    expect(diff).not.toContain('dos');
    expect(await diffSince(root, 'HEAD', [])).toBe('');
  });

  test('runs no program that the repository names', async () => {
    const { root, git } = repository();
    const trap = `${root}/trap`;
    makeTree(root, {
      trap: { content: `#!/bin/sh\ntouch ${root}/sprung\n`, mode: 0o755 },
      '.gitattributes': '* diff=evil\n',
      a: 'uno\n',
    });
    for (const key of ['core.fsmonitor', 'diff.external', 'diff.evil.textconv', 'diff.evil.command', 'core.pager'])
      git('config', key, trap);
    await findChanges(root, 'HEAD');
    await diffSince(root, 'HEAD', [`${root}/a`]);
    expect(fs.existsSync(`${root}/sprung`)).toBe(false);
  });

  test('says so where there is no repository', async () => {
    await expect(findChanges(makeTempDirectory(), 'HEAD')).rejects.toMatchObject({
      code: 'not_found',
      message: 'there is no git repository here, so nothing is known of changes',
    });
  });

  test.for(['nope', '--output=x', ''])('refuses %j for a commit', async (ref) => {
    const { root } = repository();
    await expect(findChanges(root, ref)).rejects.toMatchObject({
      code: 'not_found',
      message: `no commit is called ${ref} here`,
    });
    expect(fs.existsSync(`${root}/x`)).toBe(false);
  });
});
