import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openWorkspace } from './workspace.ts';

const GONE = { code: 'unavailable', suggestion: expect.stringContaining('new session') };

describe.each([true, false])('with descriptors: %s', (useProc) => {
  function open() {
    const base = makeTempDirectory();
    const root = path.join(base, 'ws');
    makeTree(root, { 'a.txt': 'old', 'sub/b.txt': 'old' });
    const workspace = openWorkspace({ root, useProc });
    onTestFinished(() => workspace.close());
    const read = (asked: string) => workspace.withFile(asked, (file) => file.slice(0, file.size).toString());
    return { base, root, workspace, read };
  }

  test('opens the root again when another directory has its name', () => {
    const { base, root, read } = open();
    expect(read('a.txt')).toBe('old');
    for (const content of ['new', 'newer']) {
      fs.renameSync(root, path.join(base, `before-${content}`));
      makeTree(root, { 'a.txt': content });
      expect(read('a.txt')).toBe(content);
      expect(() => read('sub/b.txt')).toThrow(expect.objectContaining({ code: 'file_not_found' }));
    }
    fs.rmSync(root, { recursive: true });
    makeTree(root, { 'a.txt': 'last' });
    expect(read('./a.txt')).toBe('last');
  });

  test.each([
    ['moved away', () => {}],
    ['replaced by a file', (root: string) => fs.writeFileSync(root, 'x')],
    ['replaced by a link', (root: string) => fs.symlinkSync('moved', root)],
  ])('refuses every path when the root was %s, and writes nowhere', (_, replace) => {
    const { base, root, workspace, read } = open();
    fs.renameSync(root, path.join(base, 'moved'));
    replace(root);
    expect(() => read('a.txt')).toThrow(expect.objectContaining(GONE));
    expect(() => workspace.findTarget('new.txt')).toThrow(expect.objectContaining(GONE));
    expect(() => workspace.status('.')).toThrow(expect.objectContaining(GONE));
    expect(() => workspace.checkRoot()).toThrow(expect.objectContaining(GONE));
    fs.rmSync(root, { force: true });
    fs.renameSync(path.join(base, 'moved'), root);
    expect(read('a.txt')).toBe('old');
  });

  test('refuses a directory that a link above the root leads to', () => {
    const { base, root, read } = open();
    const above = path.join(base, 'above');
    makeTree(base, { 'above/ws/a.txt': 'in', 'out/ws/a.txt': 'OUTSIDE' });
    const workspace = openWorkspace({ root: path.join(above, 'ws'), useProc });
    onTestFinished(() => workspace.close());
    fs.renameSync(above, path.join(base, 'elsewhere'));
    fs.symlinkSync('out', above);
    expect(() => workspace.status('a.txt')).toThrow(expect.objectContaining(GONE));
    expect([read('a.txt'), fs.existsSync(root)]).toEqual(['old', true]);
  });

  test('ends a look at a directory that is replaced meanwhile in the old one', async () => {
    const { base, root, workspace } = open();
    await workspace.withDirectory('.', async (directory) => {
      fs.renameSync(root, path.join(base, 'moved'));
      makeTree(root, { 'c.txt': 'new' });
      workspace.checkRoot();
      if (useProc) expect(directory.within((prefix) => fs.readdirSync(prefix))).toEqual(['a.txt', 'sub']);
      else expect(() => directory.within((prefix) => fs.readdirSync(prefix))).toThrow('changed');
    });
  });
});
