import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { findChanges } from './git-changes.ts';

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
    const { root, git } = repository();
    makeTree(root, { 'd/b é': 'three\n', new: 'n', ign: 'i', staged: 's', short: '' });
    git('add', 'staged', 'short');
    for (const name of ['gone', 'short']) fs.rmSync(`${root}/${name}`);
    fs.utimesSync(`${root}/a`, 1, 1);
    const { changed, removed } = await findChanges(`${root}/d`, 'HEAD', process.env);
    expect(changed.toSorted()).toEqual([`${root}/d/b é`, `${root}/new`, `${root}/staged`]);
    expect(removed).toEqual([`${root}/gone`, `${root}/short`]);
  });

  test('gives the diff of some paths, and of what is gone only that it is', async () => {
    const { root } = repository();
    makeTree(root, { a: 'uno\n', 'd/b é': 'dos\n' });
    fs.rmSync(`${root}/gone`);
    const { diffOf } = await findChanges(root, 'HEAD', process.env);
    const diff = await diffOf([`${root}/a`, `${root}/gone`]);
    expect(diff).toContain('-one\n+uno\n');
    expect(diff).toContain('diff --git a/gone b/gone\ndeleted file');
    expect(diff).not.toMatch(/dos|-x/);
    expect(await diffOf([])).toBe('');
  });

  test.for(['main', 'main...HEAD', 'main...'])('compares with where HEAD left a branch: %s', async (ref) => {
    const { root, git } = repository();
    git('branch', '-M', 'main');
    git('checkout', '-q', '-b', 'feature');
    makeTree(root, { mine: '1' });
    git('add', '.');
    git('commit', '-q', '-m', 'mine');
    git('checkout', '-q', 'main');
    makeTree(root, { theirs: '1' });
    git('add', '.');
    git('commit', '-q', '-m', 'theirs');
    git('checkout', '-q', 'feature');
    const { changed, removed } = await findChanges(root, ref, process.env);
    expect([changed, removed]).toEqual([[`${root}/mine`], []]);
    const tip = await findChanges(root, 'main..HEAD', process.env);
    expect(tip.removed).toEqual([`${root}/theirs`]);
    await expect(findChanges(root, 'main...nope', process.env)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('shows a rename as a rename even if its former path is not asked for, unless that is secret', async () => {
    const { root, git } = repository();
    const text = 'a line of text\n'.repeat(20);
    makeTree(root, { 'src/m2': text, '.env': `${text}SECRET=1\n`.repeat(2) });
    git('add', '--force', '.');
    git('commit', '-q', '-m', 'y');
    fs.mkdirSync(`${root}/lib`);
    git('mv', 'src/m2', 'lib/renamed');
    git('mv', '.env', 'lib/plain');
    const { diffOf } = await findChanges(root, 'HEAD', process.env);
    expect(await diffOf([`${root}/lib/renamed`])).toBe(
      'diff --git a/src/m2 b/lib/renamed\nsimilarity index 100%\nrename from src/m2\nrename to lib/renamed\n',
    );
    expect(await diffOf([`${root}/lib/renamed`], `${root}/lib`)).toContain(
      'rename from src/m2\nrename to lib/renamed\n',
    );
    const secret = await diffOf([`${root}/lib/plain`]);
    expect(secret).toContain('new file mode');
    expect(secret).not.toContain('.env');
  });

  test('shows a rename as a rename', async () => {
    const { root, git } = repository();
    makeTree(root, { long: 'a line of text\n'.repeat(1_000) });
    git('add', '.');
    git('commit', '-q', '-m', 'long');
    git('mv', 'long', 'longer');
    const { changed, removed, diffOf } = await findChanges(root, 'HEAD', process.env);
    const diff = await diffOf([...changed, ...removed]);
    expect(diff).toContain('rename from long\nrename to longer\n');
    expect(diff.length).toBeLessThan(200);
  });

  test('takes all for new where nothing has been committed', async () => {
    const root = makeTempDirectory();
    spawnSync('git', ['init', '-q'], { cwd: root });
    makeTree(root, { a: '', b: '' });
    spawnSync('git', ['add', 'a'], { cwd: root });
    const { changed, diffOf } = await findChanges(root, 'HEAD', process.env);
    expect(changed).toEqual([`${root}/a`, `${root}/b`]);
    expect(await diffOf(changed)).toContain('new file');
    await expect(findChanges(root, 'main', process.env)).rejects.toMatchObject({ code: 'not_found' });
  });

  test.for([
    ['core.fsmonitor'],
    ['core.pager'],
    ['diff.external'],
    ['diff.evil.textconv'],
    ['diff.evil.command'],
    ['filter.evil.clean'],
    ['FILTER.Evil.Smudge', 'filter.evil.process'],
    ['filter.evil.process', 'filter.evil.required'],
  ])('runs no program that the repository names by %s', async (keys) => {
    const { root, git } = repository();
    const trap = `${root}/trap`;
    makeTree(root, {
      trap: { content: `#!/bin/sh\ntouch ${root}/sprung\n`, mode: 0o755 },
      '.gitattributes': '* diff=evil filter=evil\n',
      a: 'uno\n',
    });
    for (const key of keys) git('config', key, key.endsWith('required') ? 'true' : trap);
    const { changed, diffOf } = await findChanges(root, 'HEAD', process.env);
    expect(await diffOf(changed)).toContain('+uno');
    expect(fs.existsSync(`${root}/sprung`)).toBe(false);
  });

  test.for(['.git/hooks', 'hk'])('runs no hook of %s, and leaves the index as it is', async (hooks) => {
    const { root, git } = repository();
    makeTree(root, {
      [`${hooks}/post-index-change`]: { content: `#!/bin/sh\ntouch ${root}/sprung\n`, mode: 0o755 },
    });
    if (hooks === 'hk') git('config', 'core.hooksPath', 'hk');
    fs.utimesSync(`${root}/a`, 1, 1);
    const before = fs.readFileSync(`${root}/.git/index`);
    const { changed, diffOf } = await findChanges(root, 'HEAD', process.env);
    await diffOf([...changed, `${root}/a`]);
    expect(fs.existsSync(`${root}/sprung`)).toBe(false);
    expect(fs.readFileSync(`${root}/.git/index`).equals(before)).toBe(true);
  });

  test('gives lines that are no UTF-8 as Latin-1, and the others as they are', async () => {
    const { root } = repository();
    makeTree(root, { a: Buffer.from('caf\xe9\n', 'latin1'), 'd/b é': 'naïve\n' });
    const { diffOf } = await findChanges(root, 'HEAD', process.env);
    const diff = await diffOf([`${root}/a`, `${root}/d/b é`]);
    expect(diff).toMatch(/\+café\n.*b é\n.*\+naïve\n/s);
  });

  test('heeds no order that the repository asks for', async () => {
    const { root, git } = repository();
    git('config', 'diff.orderFile', 'nope');
    makeTree(root, { a: 'uno\n' });
    expect((await findChanges(root, 'HEAD', process.env)).changed).toEqual([`${root}/a`]);
  });

  test('runs the filters of the user', async () => {
    const { root } = repository();
    const home = makeTempDirectory();
    makeTree(home, { '.gitconfig': '[filter "mine"]\n  clean = tr u U\n' });
    makeTree(root, { '.gitattributes': '* filter=mine\n', a: 'uno\n' });
    const { changed, diffOf } = await findChanges(root, 'HEAD', { PATH: process.env['PATH'], HOME: home });
    expect(await diffOf(changed)).toContain('+Uno');
  });

  test('refuses a filter that cannot be taken away', async () => {
    const { root, git } = repository();
    git('config', 'filter.a=b.clean', 'touch sprung');
    await expect(findChanges(root, 'HEAD', process.env)).rejects.toThrow(
      'git would run a program of this repository\'s settings, by "filter.a=b.clean"',
    );
  });

  test('asks no submodule, whose settings are its own', async () => {
    const { root, git } = repository();
    const inner = `${root}/inner`;
    fs.mkdirSync(inner);
    const inInner = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: inner });
    inInner('init', '-q');
    makeTree(inner, { x: 'x\n', '.gitattributes': '* filter=evil\n' });
    inInner('add', '.');
    inInner('commit', '-q', '-m', 'x');
    git('add', 'inner');
    git('commit', '-q', '-m', 'inner');
    inInner('config', 'filter.evil.clean', `touch ${root}/sprung; cat`);
    makeTree(inner, { x: 'y\n' });
    await findChanges(root, 'HEAD', process.env);
    expect(fs.existsSync(`${root}/sprung`)).toBe(false);
    makeTree(root, { trap: { content: `#!/bin/sh\ntouch ${root}/sprung\n`, mode: 0o755 } });
    inInner('config', 'diff.external', `${root}/trap`);
    git('config', 'diff.submodule', 'diff');
    git('rm', '-q', '--cached', 'inner');
    const { removed, diffOf } = await findChanges(root, 'HEAD', process.env);
    expect(removed).toEqual([]); // It is still there.
    expect(await diffOf([inner])).toContain('deleted');
    expect(fs.existsSync(`${root}/sprung`)).toBe(false);
  });

  test('fetches nothing that a partial clone lacks', async () => {
    const { root, git } = repository();
    makeTree(root, { 'remote/trap': { content: `#!/bin/sh\ntouch ${root}/sprung\n`, mode: 0o755 }, a: 'uno\n' });
    for (const [key, value] of [
      ['core.repositoryFormatVersion', '1'],
      ['extensions.partialClone', 'evil'],
      ['remote.evil.promisor', 'true'],
      ['remote.evil.url', `file://${root}`],
      ['remote.evil.uploadpack', `${root}/remote/trap`],
      ['protocol.file.allow', 'always'],
    ] as const) {
      git('config', key, value);
    }
    const { stdout } = git('rev-parse', 'HEAD:a');
    fs.rmSync(`${root}/.git/objects/${stdout.slice(0, 2)}/${stdout.slice(2).trim()}`);
    const diff = findChanges(root, 'HEAD', process.env).then(({ diffOf }) => diffOf([`${root}/a`]));
    await expect(diff).rejects.toMatchObject({
      code: 'not_found',
      message: 'the repository is a partial clone and lacks what the comparison needs',
    });
    expect(fs.existsSync(`${root}/sprung`)).toBe(false);
  });

  test('says so where there is no repository', async () => {
    await expect(findChanges(makeTempDirectory(), 'HEAD', process.env)).rejects.toMatchObject({
      code: 'not_found',
      message: 'there is no git repository here, so nothing is known of changes',
    });
  });

  test.for(['nope', '--output=x', ''])('refuses %j for a commit', async (ref) => {
    const { root } = repository();
    await expect(findChanges(root, ref, process.env)).rejects.toMatchObject({
      code: 'not_found',
      message: `no commit is called ${ref} here`,
    });
    expect(fs.existsSync(`${root}/x`)).toBe(false);
  });
});
