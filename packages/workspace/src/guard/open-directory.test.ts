import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { openWorkspace } from './workspace.ts';

describe.each([true, false])('with descriptors: %s', (useProc) => {
  function open(files: Parameters<typeof makeTree>[1], closed: string[] = []) {
    const root = makeTempDirectory();
    makeTree(root, files);
    const workspace = openWorkspace({ root, useProc, closed: closed.map((name) => path.join(root, name)) });
    return { root, directory: workspace.openDirectory('.'), workspace };
  }

  test.skipIf(useProc && process.platform !== 'linux')('reads a file that has just been listed', () => {
    const { directory } = open({ a: 'hello', big: 'x'.repeat(100) });
    const target = Buffer.alloc(10);
    expect([directory.readListedFile('a', target), target.toString('latin1', 0, 5)]).toEqual([5, 'hello']);
    expect(directory.readListedFile('big', target)).toBe(10);
    const file = directory.openListedFile('a');
    expect([file.path, file.size, file.stat.size, file.isUnchanged()]).toEqual(['a', 5, 5n, true]);
    file.close();
    directory.close();
  });

  test.skipIf(useProc && process.platform !== 'linux')(
    'refuses secrets, links, and what is no file, in the same way',
    () => {
      const { root, directory } = open({ '.env': 'S', own: 'x', l: { symlink: 'own' }, 'd/x': '', f: { fifo: true } }, [
        'own',
      ]);
      const target = Buffer.alloc(10);
      for (const read of [
        (name: string) => directory.readListedFile(name, target),
        (name: string) => directory.openListedFile(name),
      ]) {
        expect(() => read('.env')).toThrow('sensitive path');
        expect(() => read('own')).toThrow('sensitive path');
        expect(() => read('l')).toThrow('ELOOP');
        expect(() => read('nope')).toThrow('ENOENT');
      }
      expect(() => directory.openListedFile('d')).toThrow('not a regular file');
      expect(() => directory.openListedFile('f')).toThrow('not a regular file');
      expect(fs.readdirSync(root)).toContain('f');
      directory.close();
    },
  );

  test('says whether some paths are closed', () => {
    expect(open({}).directory.hasClosedPaths).toBe(false);
    expect(open({ own: '' }, ['own']).directory.hasClosedPaths).toBe(true);
  });
});

test.runIf(process.platform === 'linux')(
  'opens a child when it is needed, if it is still the one that was seen',
  () => {
    const root = makeTempDirectory();
    makeTree(root, { 'a/x': 'x', 'b/y': 'y', l: { symlink: 'a' }, f: '', '.git/z': '' });
    const workspace = openWorkspace({ root });
    const directory = workspace.openDirectory('.');
    for (const name of ['l', 'f', 'none']) expect(directory.statOf(name)).toBeUndefined();
    const stat = directory.statOf('a');
    if (!stat) throw new Error('a is a directory');
    const child = directory.childWhenNeeded('a', stat);
    const swapped = directory.childWhenNeeded('a', stat);
    expect(child.path).toBe('a');
    child.openFile('x').close();
    fs.renameSync(path.join(root, 'a'), path.join(root, 'was'));
    fs.renameSync(path.join(root, 'b'), path.join(root, 'a'));
    expect(() => swapped.openFile('y')).toThrow('changed while it was walked');
    fs.renameSync(path.join(root, 'a'), path.join(root, 'b'));
    fs.symlinkSync('was', path.join(root, 'a'));
    expect(() => swapped.openFile('x')).toThrow('ENOTDIR');
    child.openFile('x').close(); // It was opened before.
    expect(() => directory.childWhenNeeded('.git', stat)).toThrow('sensitive path');
    for (const open of [child, swapped, directory]) open.close();
    workspace.close();
  },
);

test('says nothing of a child where it cannot be held', () => {
  const root = makeTempDirectory();
  makeTree(root, { 'a/x': 'x' });
  const workspace = openWorkspace({ root, useProc: false });
  const directory = workspace.openDirectory('.');
  expect(directory.statOf('a')).toBeUndefined();
  directory.close();
  workspace.close();
});
