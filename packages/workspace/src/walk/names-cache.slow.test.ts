import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openWorkspace, type Workspace } from '../guard/index.ts';
import { DirectoryNames, readNames } from './names.ts';
import { NamesCache } from './names-cache.ts';
import { walk } from './walk.ts';

const isLinux = process.platform === 'linux';

function open(root: string): Workspace {
  const workspace = openWorkspace({ root });
  onTestFinished(() => workspace.close());
  return workspace;
}

async function pathsIn(workspace: Workspace): Promise<string[]> {
  const paths: string[] = [];
  await walk(workspace, '.', { checkpoint: async () => {} }, ({ path: found, kind }) => {
    paths.push(kind === 'file' ? found : `${found} (${kind})`);
    return undefined;
  });
  return paths;
}

/** True when the names of a directory, read and kept, are there for the next walk. */
function isKept(workspace: Workspace, directory: string, readAt = Date.now()): Promise<boolean> {
  return workspace.withDirectory(directory, async (opened) => {
    const cache = new NamesCache();
    expect(cache.getOf(opened)).toBeUndefined();
    const names = await readNames(opened);
    cache.set(opened, names, readAt);
    const kept = cache.getOf(opened);
    if (kept) expect(kept).toBe(names);
    return kept !== undefined;
  });
}

test('sees every change in a tree that was walked before', async () => {
  const root = makeTempDirectory();
  makeTree(root, { 'a/b/x': '', 'a/y': '', 'c/z': '' });
  const workspace = open(root);
  const at = (name: string) => path.join(root, name);
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  await pathsIn(workspace);
  await pathsIn(workspace); // From the second walk on, names are kept.
  expect(await pathsIn(workspace)).toEqual([
    'a (directory)',
    'a/b (directory)',
    'a/b/x',
    'a/y',
    'c (directory)',
    'c/z',
  ]);
  fs.writeFileSync(at('a/b/new'), '');
  expect(await pathsIn(workspace)).toContain('a/b/new');
  fs.rmSync(at('a/y'));
  expect(await pathsIn(workspace)).not.toContain('a/y');
  fs.renameSync(at('a/b'), at('c/d'));
  expect(await pathsIn(workspace)).toEqual([
    'a (directory)',
    'c (directory)',
    'c/d (directory)',
    'c/d/new',
    'c/d/x',
    'c/z',
  ]);
  fs.rmSync(at('c/z'));
  fs.symlinkSync('d', at('c/z'));
  expect(await pathsIn(workspace)).toContain('c/z (link)');
  fs.rmSync(at('c/z'));
  fs.mkdirSync(at('c/z'));
  expect(await pathsIn(workspace)).toContain('c/z (directory)');
});

/** Every path below a directory, asked of the disk itself, in the form of `pathsIn`. */
function pathsOnDisk(root: string): string[] {
  const kinds = (entry: fs.Dirent) => (entry.isFile() ? '' : entry.isDirectory() ? ' (directory)' : ' (link)');
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => `${path.relative(root, path.join(entry.parentPath, entry.name))}${kinds(entry)}`)
    .toSorted();
}

/** A process that changes trees at random; `change` returns when the change is on the disk. */
function startChanger() {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'fixture/change-tree.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  return async (root: string, seed: number) => {
    child.stdin.write(`${JSON.stringify({ root, seed })}\n`);
    const { value, done } = await answers.next();
    expect(done).toBe(false);
    return Number(value);
  };
}

test('agrees with the disk after random changes by another process, in the root as in any directory', async () => {
  const change = startChanger();
  const trees = Array.from({ length: 60 }, () => {
    const root = makeTempDirectory();
    makeTree(root, { 'a/b/x': '', 'a/y': '', 'c/z': '', old: '' });
    return { root, workspace: open(root) };
  });
  const seed = Math.floor(Math.random() * 1e9);
  let changes = 0;
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setTimeout(resolve, 2_100)); // Now all directories are kept when they are read.
    for (const [i, { root, workspace }] of trees.entries()) {
      const asked = `tree ${i}, round ${round}, seed ${seed}`;
      expect(await pathsIn(workspace), asked).toHaveLength(pathsOnDisk(root).length);
      changes += await change(root, seed + round * trees.length + i);
      expect((await pathsIn(workspace)).toSorted(), asked).toEqual(pathsOnDisk(root));
    }
  }
  expect(changes).toBeGreaterThan(trees.length);
}, 60_000);

test('sees changes within one tick of the clock', async () => {
  const root = makeTempDirectory();
  const workspace = open(root);
  for (let i = 0; i < 300; i++) {
    fs.writeFileSync(path.join(root, `${i}`), '');
    expect(await pathsIn(workspace)).toHaveLength(i + 1);
  }
});

test.runIf(isLinux)('keeps names that have not changed for a while', async () => {
  const root = makeTempDirectory();
  makeTree(root, { 'a/b': '' });
  const workspace = open(root);
  expect(await isKept(workspace, 'a', Date.now() + 3_000)).toBe(true);
  expect(await isKept(workspace, 'a')).toBe(false);
});

test.runIf(isLinux && fs.existsSync('/sys/kernel'))(
  'keeps no names of a file system without reliable times',
  async () => {
    expect(await isKept(open('/sys/kernel'), '.', Date.now() + 3_000)).toBe(false);
  },
);

test('keeps nothing in the first walk of a workspace', () => {
  const workspace = open(makeTempDirectory());
  expect(NamesCache.of(workspace)).toBeUndefined();
  const cache = NamesCache.of(workspace);
  expect(cache).toBeInstanceOf(NamesCache);
  expect(NamesCache.of(workspace)).toBe(cache);
});

test('keeps no names where directories cannot be held open', async () => {
  const workspace = openWorkspace({ root: makeTempDirectory(), useProc: false });
  onTestFinished(() => workspace.close());
  expect(await isKept(workspace, '.', Date.now() + 3_000)).toBe(false);
});

test.runIf(isLinux)('drops the oldest names when it holds too many', async () => {
  const root = makeTempDirectory();
  makeTree(root, { 'a/b': '', 'c/d': '' });
  const cache = new NamesCache();
  const workspace = open(root);
  const keep = (directory: string, count: number) =>
    workspace.withDirectory(directory, async (opened) => {
      const names = new DirectoryNames(new Array(count).fill({ name: 'x', kind: 'file' }));
      cache.set(opened, names, Date.now() + 3_000);
    });
  const has = (directory: string) =>
    workspace.withDirectory(directory, async (opened) => cache.getOf(opened) !== undefined);
  await keep('a', 125_000);
  await keep('c', 125_000);
  expect([await has('a'), await has('c')]).toEqual([true, true]);
  await keep('c', 125_001);
  expect([await has('a'), await has('c')]).toEqual([false, true]);
});
