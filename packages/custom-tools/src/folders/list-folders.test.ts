import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { listFolders, readSmallFile, resolveInside } from './list-folders.ts';

function tree(files: Parameters<typeof makeTree>[1]): string {
  const root = makeTempDirectory();
  makeTree(root, files);
  return root;
}

const names = (root: string, followsLinks = true) =>
  listFolders(root, { followsLinks }).map(({ name, file }) => [name, file]);

test('lists folders by name with the definition that counts', () => {
  const root = tree({
    'b/tool.json': '{}',
    'a/tool.md': '',
    'a/tool.json': '{}',
    'c/script.sh': '',
    '.side/tool.md': '',
    'file.md': '',
    link: { symlink: 'a' },
    loose: { symlink: 'nowhere' },
  });
  const own = [
    ['a', 'tool.md'],
    ['b', 'tool.json'],
    ['c', undefined],
  ];
  expect(names(root)).toEqual([...own, ['link', 'tool.md'], ['loose', undefined]]);
  expect(names(root, false)).toEqual(own);
  expect(names(`${root}/none`)).toEqual([]);
});

test('a changed definition has another stat, and a fresh one has none', () => {
  const root = tree({ 'a/tool.md': { content: 'one' } });
  const statOf = () => listFolders(root, { followsLinks: true })[0]?.stat;
  expect(statOf()).toBeUndefined();
  const settle = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
  settle();
  const before = statOf();
  expect(before).toBe(statOf());
  fs.writeFileSync(`${root}/a/tool.md`, 'two');
  settle();
  expect(statOf()).not.toBe(before);
});

test('reads small text files only, and never waits', () => {
  const root = tree({ a: 'é', fifo: { fifo: true }, big: 'x'.repeat(2048), latin: Buffer.from([0xe9]), 'd/': '' });
  expect(readSmallFile(`${root}/a`, 1024)).toBe('é');
  const refused = (name: string) => () => readSmallFile(`${root}/${name}`, 1024);
  expect(refused('none')).toThrow('it is missing');
  expect(refused('fifo')).toThrow('it is not a regular file');
  expect(refused('d')).toThrow('it is not a regular file');
  expect(refused('big')).toThrow('it is larger than 1 KiB');
  expect(refused('latin')).toThrow('it is not UTF-8 text');
});

test('finds a file inside of its folder only, as asked and as resolved', () => {
  const root = tree({
    'tool/bin/run.sh': { content: '', mode: 0o755 },
    'tool/plain': '',
    'tool/out': { symlink: '../evil' },
    'tool/outside/': '',
    'tool/in': { symlink: 'bin/run.sh' },
    evil: '',
    'tool-evil/x': '',
    'tool/neighbour': { symlink: '../tool-evil/x' },
    'tool/fifo': { fifo: true },
  });
  const folder = `${root}/tool`;
  expect(resolveInside(folder, 'bin/run.sh')).toEqual({ path: `${folder}/bin/run.sh`, isExecutable: true });
  expect(resolveInside(folder, './plain')).toEqual({ path: `${folder}/plain`, isExecutable: false });
  expect(resolveInside(folder, 'in')).toMatchObject({ path: `${folder}/bin/run.sh` });
  for (const leaving of ['../evil', 'bin/../../evil', 'bin/../plain', 'out', 'neighbour']) {
    expect(resolveInside(folder, leaving)).toEqual({ problem: 'it leaves the folder of the tool' });
  }
  expect(resolveInside(folder, `${folder}/plain`)).toMatchObject({ problem: expect.stringContaining('absolute') });
  expect(resolveInside(folder, 'a\0b')).toMatchObject({ problem: expect.stringContaining('NUL') });
  expect(resolveInside(folder, 'none.sh')).toEqual({ problem: 'there is no file none.sh' });
  for (const other of ['bin', 'fifo', '.']) {
    expect(resolveInside(folder, other)).toEqual({
      problem: other === '.' ? 'it leaves the folder of the tool' : 'it is not a regular file',
    });
  }
});
