import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { layOutRange } from './range-layout.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

function repository() {
  const root = makeTempDirectory();
  const git = (args: readonly string[], input = '') =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: root,
      encoding: 'utf8',
      input,
    }).stdout.trim();
  git(['init', '-q']);
  git(['commit', '-q', '--allow-empty', '-m', 'x']);
  const layOut = async () => {
    const into = makeTempDirectory();
    const asked = { targets: [root], directories: [root], present: [], range: 'HEAD^!', variables: process.env, into };
    return { into: into + root, layout: await layOutRange(asked) };
  };
  const commitAll = () => {
    git(['add', '-A', '-f']);
    git(['commit', '-q', '-m', 'y']);
  };
  return { root, git, layOut, commitAll };
}

describe.skipIf(!hasGit)('the layout of a range', () => {
  test('has contents byte for byte, with the rule files above them, and no filter runs', async () => {
    const { root, git, layOut, commitAll } = repository();
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 251));
    makeTree(root, { '.gitignore': 'x\n', 'b/.contextfiles': '!y\n', 'other/.gitignore': 'z\n' });
    commitAll();
    makeTree(root, { 'b/c/data': bytes, empty: '', 'b/line': '\n', '.gitattributes': '* filter=evil\n' });
    commitAll();
    git(['config', 'filter.evil.smudge', `touch ${root}/sprung; cat`]);
    const { into, layout } = await layOut();
    expect(fs.readFileSync(`${into}/b/c/data`).equals(bytes)).toBe(true);
    expect(
      ['empty', 'b/line', '.gitignore', 'b/.contextfiles'].map((name) => fs.readFileSync(`${into}/${name}`, 'utf8')),
    ).toEqual(['', '\n', 'x\n', '!y\n']);
    expect(fs.existsSync(`${into}/other`)).toBe(false);
    expect(fs.existsSync(`${root}/sprung`)).toBe(false);
    expect(layout.touches(`${root}/b/c`)).toBe(true);
    expect(layout.touches(`${root}/b/ca`)).toBe(false);
  });

  test('leaves out links, secrets, and names that lead elsewhere', async () => {
    const { root, git, layOut } = repository();
    const blob = git(['hash-object', '-w', '--stdin'], 'trap\n');
    const entry = (mode: string, name: string) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(blob, 'hex')]);
    const content = Buffer.concat(
      ['.env', '..', 'fine'].map((name) => entry('100644', name)).concat(entry('120000', 'link')),
    );
    const tree = spawnSync('git', ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], {
      cwd: root,
      input: content,
    })
      .stdout.toString()
      .trim();
    const commit = git(['commit-tree', tree, '-p', 'HEAD', '-m', 'z']);
    git(['update-ref', 'HEAD', commit]);
    const { into } = await layOut();
    expect(fs.readdirSync(into).toSorted()).toEqual(['.git', 'fine']);
  });

  test('says what a partial clone lacks', async () => {
    const { root, git, layOut, commitAll } = repository();
    makeTree(root, { a: 'a\n' });
    commitAll();
    const blob = git(['rev-parse', 'HEAD:a']);
    fs.rmSync(`${root}/.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`);
    await expect(layOut()).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('lacks') });
  });
});
