import fs from 'node:fs';
import { type FileTree, makeTempDirectory, makeTree } from '@jinn/testkit';
import { openWorkspace } from '@jinn/workspace';
import { expect, onTestFinished, test } from 'vitest';
import { WatchedFiles } from './file-watch.ts';

const OLD = new Date('2020-01-01');

function watch(tree: FileTree) {
  const root = makeTempDirectory();
  makeTree(root, tree);
  const workspace = openWorkspace({ root });
  const files = new WatchedFiles(workspace);
  onTestFinished(() => {
    files.close();
    workspace.close();
  });
  const settled = () => new Promise((resolve) => setTimeout(resolve, 60)); // Until no file is fresh any more.
  const names = async () => [...((await files.list())?.keys() ?? [])].sort();
  return { root, files, names, settled };
}

test('lists what git does not ignore, and nothing while nothing changes', async () => {
  const { files, names, settled } = watch({
    'a.ts': '1',
    'src/b.ts': '2',
    '.gitignore': 'ignored\n',
    'ignored/c.ts': '3',
    'node_modules/d/index.js': '4',
  });
  await settled();
  expect(await names()).toEqual(['a.ts', 'src/b.ts']);
  expect(await files.list()).toBeUndefined();
  expect(await files.list()).toBeUndefined();
});

test('sees files that are made, changed in place, moved and removed, and new directories', async () => {
  const { root, files, names, settled } = watch({ 'a.ts': '1', 'src/b.ts': '2', 'src/deep/c.ts': '3' });
  await settled();
  const before = await files.list();
  fs.writeFileSync(`${root}/src/b.ts`, '9');
  await settled();
  const after = await files.list();
  expect(after?.get('src/b.ts')).not.toBe(before?.get('src/b.ts'));
  expect(after?.get('a.ts')).toBe(before?.get('a.ts'));
  fs.renameSync(`${root}/a.ts`, `${root}/src/deep/a.ts`);
  fs.rmSync(`${root}/src/b.ts`);
  await settled();
  expect(await names()).toEqual(['src/deep/a.ts', 'src/deep/c.ts']);
  makeTree(root, { 'new/one/d.ts': '4' });
  await settled();
  expect(await names()).toEqual(['new/one/d.ts', 'src/deep/a.ts', 'src/deep/c.ts']);
  makeTree(root, { 'new/one/e.ts': '5' });
  await settled();
  expect(await names()).toContain('new/one/e.ts');
  fs.rmSync(`${root}/new`, { recursive: true });
  await settled();
  expect(await names()).toEqual(['src/deep/a.ts', 'src/deep/c.ts']);
});

test('knows the files of the last list, and none where it does not see what changes', async () => {
  const { root, files, names, settled } = watch({ 'a/x.ts': '1' });
  expect(files.paths).toBeUndefined();
  await settled();
  await names();
  expect([...(files.paths ?? [])]).toEqual(['a/x.ts']);
  fs.writeFileSync(`${root}/a/y.ts`, '2');
  await settled();
  await names();
  expect([...(files.paths ?? [])].sort()).toEqual(['a/x.ts', 'a/y.ts']);
  files.close();
  expect(files.paths).toBeUndefined();
});

test('follows a change of what git ignores', async () => {
  const { root, names, settled } = watch({ '.gitignore': 'b\n', 'a/x.ts': '1', 'b/y.ts': '2' });
  expect(await names()).toEqual(['a/x.ts']);
  fs.writeFileSync(`${root}/.gitignore`, 'a\n');
  await settled();
  expect(await names()).toEqual(['b/y.ts']);
});

test('a change within a moment is seen, although the clock stands still', async () => {
  const { root, files } = watch({ 'a.ts': { content: '1', mtime: OLD } });
  const before = (await files.list())?.get('a.ts');
  fs.writeFileSync(`${root}/a.ts`, '2');
  fs.utimesSync(`${root}/a.ts`, OLD, OLD);
  await expect.poll(async () => (await files.list())?.get('a.ts') ?? before).not.toBe(before);
});
