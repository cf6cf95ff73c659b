import fs from 'node:fs';
import { type FileTree, makeTempDirectory, makeTree } from '@jinn/testkit';
import { openWorkspace, type Workspace } from '@jinn/workspace';
import { expect, onTestFinished, test } from 'vitest';
import { WatchedFiles } from './file-watch.ts';
import { importedName, Mentions } from './mentions.ts';

/** A workspace whose files are watched and listed, and a count of the files that were opened. */
async function scene(tree: FileTree) {
  const root = makeTempDirectory();
  makeTree(root, tree);
  const opened = openWorkspace({ root });
  const reads: string[] = [];
  const workspace: Workspace = Object.create(opened, {
    withFile: {
      value: (...args: Parameters<Workspace['withFile']>) => {
        reads.push(args[0]);
        return opened.withFile(...args);
      },
    },
  });
  const watched = new WatchedFiles(opened);
  onTestFinished(() => {
    watched.close();
    opened.close();
  });
  const mentions = new Mentions(workspace, watched);
  const settle = async () => {
    await new Promise((resolve) => setTimeout(resolve, 60)); // Until no file is fresh any more.
    await watched.list();
  };
  await settle();
  const look = (word: string, more: object = {}) =>
    mentions.find(word, Object.keys(tree), { limitMs: 10_000, checkpoint: async () => {}, ...more });
  const find = async (word: string, more?: object) => (await look(word, more)).paths;
  return { root, reads, find, look, settle };
}

const TREE = {
  'a.ts': 'import { add } from "./sum";',
  'b.ts': 'addition(add_one, $add, readd)',
  'c.ts': 'x.add',
  'd.ts': '',
};

test('finds whole words, and no more files than were asked for', async () => {
  const { find, look } = await scene(TREE);
  expect(await look('add')).toEqual({ paths: ['a.ts', 'c.ts'], isWhole: true });
  expect(await find('add', { most: 1 })).toEqual(['a.ts']);
  expect(await find('sum')).toEqual(['a.ts']);
  expect(await look('add', { limitMs: -1 })).toEqual({ paths: [], isWhole: false });
});

test('reads a file once, and again when it has changed', async () => {
  const { find, reads, root, settle } = await scene(TREE);
  await find('add');
  await find('sum');
  expect(reads).toEqual(['a.ts', 'b.ts', 'c.ts', 'd.ts']);
  fs.writeFileSync(`${root}/d.ts`, 'add');
  fs.rmSync(`${root}/c.ts`);
  await settle();
  expect(await find('add')).toEqual(['a.ts', 'd.ts']);
  expect(reads.slice(4)).toEqual(['c.ts', 'd.ts']);
});

test('passes over files that are too large or may not be read', async () => {
  const { find } = await scene({ 'a.ts': `add ${'x'.repeat(4 * 1024 * 1024)}`, '.env': 'add', 'b.ts': 'add' });
  expect(await find('add')).toEqual(['b.ts']);
});

test.for([
  ['src/add.ts', 'add'],
  ['src/types.d.ts', 'types'],
  ['src/add.test.ts', 'add.test'],
  ['src/parser/index.ts', 'parser'],
  ['index.ts', 'index'],
  ['pkg/__init__.py', 'pkg'],
  ['store/open.go', 'store'],
] as const)('%s is imported as %s', ([file, name]) => {
  expect(importedName(file)).toBe(name);
});
