import fs from 'node:fs';
import path from 'node:path';
import { openWorkspace } from '@jinn/core';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DirectoryNames } from './names.ts';
import { NamesFile } from './names-file.ts';
import { walk } from './walk.ts';

const isLinux = process.platform === 'linux';
const STAMP = { dev: 1, ino: 2 ** 40 + 1, ctimeMs: 1_700_000_000_123.456 };
const names = DirectoryNames.of([
  { name: 'b', kind: 'file' },
  { name: 'a', kind: 'directory' },
  { name: 'é\u{1f600}', kind: 'link' },
  { name: 'a-b', kind: 'special' },
]);

function fileIn(directory: string): string {
  return path.join(directory, fs.readdirSync(directory).find((name) => name.startsWith('names-')) ?? 'none');
}

/** Walks as a process of its own would. */
async function walkAnew(root: string, cacheDirectory: string): Promise<string[]> {
  const workspace = openWorkspace({ root, cacheDirectory });
  onTestFinished(() => workspace.close());
  const paths: string[] = [];
  await walk(workspace, '.', { checkpoint: async () => {} }, (entry) => {
    paths.push(`${entry.path} ${entry.kind}`);
    return undefined;
  });
  return paths;
}

test('returns the names in a directory, in the order of a walk', () => {
  const directory = makeTempDirectory();
  NamesFile.save(directory, '/root', [
    [STAMP, names],
    [{ ...STAMP, ino: 3 }, DirectoryNames.of([])],
  ]);
  const file = NamesFile.load(directory, '/root');
  const found = file?.get(STAMP);
  expect(found?.inOrder.map(({ name, kind }) => [name, kind])).toEqual([
    ['a-b', 'special'],
    ['a', 'directory'],
    ['b', 'file'],
    ['é\u{1f600}', 'link'],
  ]);
  expect(found?.files.toArray()).toEqual(['b']);
  expect(found?.unreadable).toBe(0);
  expect(['a', 'b', 'a-b', 'é'].map((name) => found?.has(name))).toEqual([true, true, true, false]);
  expect(file?.get({ ...STAMP, ino: 3 })?.inOrder).toEqual([]);
  expect(file?.get({ ...STAMP, ctimeMs: STAMP.ctimeMs + 0.001 })).toBeUndefined();
  expect(file?.get({ ...STAMP, ino: 4 })).toBeUndefined();
  expect(file?.get({ ...STAMP, dev: 9 })).toBeUndefined();
  expect(fs.statSync(fileIn(directory)).mode & 0o777).toBe(0o600);
});

describe('a file that may not be ours', () => {
  function saved(): string {
    const directory = makeTempDirectory();
    NamesFile.save(directory, '/root', [[STAMP, names]]);
    expect(NamesFile.load(directory, '/root')).toBeDefined();
    return directory;
  }

  test('is not used when it is for another root, open to others, a link, a FIFO, or missing', () => {
    const directory = saved();
    const file = fileIn(directory);
    expect(NamesFile.load(directory, '/other')).toBeUndefined();
    const content = fs.readFileSync(file);
    fs.writeFileSync(file, content.toString('latin1').replace('/root', '/rooT'), 'latin1');
    expect(NamesFile.load(directory, '/root')).toBeUndefined();
    fs.writeFileSync(file, content);
    fs.chmodSync(file, 0o644);
    expect(NamesFile.load(directory, '/root')).toBeUndefined();
    fs.chmodSync(file, 0o600);
    expect(NamesFile.load(directory, '/root')).toBeDefined();
    fs.renameSync(file, `${file}.was`);
    fs.symlinkSync(`${file}.was`, file);
    expect(NamesFile.load(directory, '/root')).toBeUndefined();
    fs.rmSync(file);
    makeTree(directory, { [path.basename(file)]: { fifo: true } });
    expect(NamesFile.load(directory, '/root')).toBeUndefined();
  });

  test('is not used when it was cut short', () => {
    const directory = saved();
    const file = fileIn(directory);
    const content = fs.readFileSync(file);
    for (let length = 0; length < content.length; length++) {
      fs.writeFileSync(file, content.subarray(0, length));
      expect(NamesFile.load(directory, '/root')).toBeUndefined();
    }
  });

  test('causes no error, whatever it holds', () => {
    const directory = saved();
    const file = fileIn(directory);
    const content = fs.readFileSync(file);
    fc.assert(
      fc.property(fc.nat(content.length), fc.uint8Array({ maxLength: 40 }), fc.boolean(), (at, bytes, isCut) => {
        const end = isCut ? content.length : at + bytes.length;
        fs.writeFileSync(file, Buffer.concat([content.subarray(0, at), bytes, content.subarray(end)]));
        NamesFile.load(directory, '/root')?.get(STAMP);
      }),
    );
  });
});

test('keeps a bounded number of files, and no old ones', () => {
  const directory = makeTempDirectory();
  for (let i = 0; i < 25; i++) NamesFile.save(directory, `/root${i}`, [[STAMP, names]]);
  expect(fs.readdirSync(directory)).toHaveLength(20);
  for (const name of fs.readdirSync(directory)) fs.utimesSync(path.join(directory, name), 0, 0);
  NamesFile.save(directory, '/last', [[STAMP, names]]);
  expect(fs.readdirSync(directory)).toHaveLength(1);
});

test('ignores a directory that cannot be written', () => {
  const directory = makeTempDirectory();
  makeTree(directory, { file: '' });
  expect(() => NamesFile.save(`${directory}/file/below`, '/root', [[STAMP, names]])).not.toThrow();
});

test.runIf(isLinux)('a process sees what changed since the one before', async () => {
  const root = makeTempDirectory();
  const cache = makeTempDirectory();
  makeTree(root, Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`d${i}/f`, ''])));
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  const first = await walkAnew(root, cache);
  expect(first).toHaveLength(500);
  expect(fs.existsSync(fileIn(cache))).toBe(true);
  expect(await walkAnew(root, cache)).toEqual(first);
  fs.writeFileSync(path.join(root, 'd7/new'), '');
  fs.rmSync(path.join(root, 'd8/f'));
  fs.rmSync(path.join(root, 'd9'), { recursive: true });
  fs.symlinkSync('d1', path.join(root, 'd9'));
  const changed = await walkAnew(root, cache);
  expect(changed).toContain('d7/new file');
  expect(changed).toContain('d9 link');
  expect(changed).not.toContain('d8/f file');
  expect(changed).toHaveLength(499);
});

test.runIf(isLinux)('saves the names again when a tenth of the tree has changed', async () => {
  const root = makeTempDirectory();
  const cache = makeTempDirectory();
  makeTree(root, Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`d${i}/f`, ''])));
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  await walkAnew(root, cache);
  const content = () => fs.readFileSync(fileIn(cache), 'latin1');
  const change = async (count: number) => {
    for (let i = 0; i < count; i++) fs.writeFileSync(path.join(root, `d${i}/new-${count}`), '');
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    await walkAnew(root, cache);
  };
  await change(5);
  expect(content()).not.toContain('new-5');
  await change(30);
  expect(content()).toContain('new-30');
  expect(await walkAnew(root, cache)).toHaveLength(500 + 35);
});

test.runIf(isLinux)('saves nothing for a small tree', async () => {
  const root = makeTempDirectory();
  const cache = makeTempDirectory();
  makeTree(root, { 'a/b': '' });
  await walkAnew(root, cache);
  expect(fs.readdirSync(cache)).toEqual([]);
});
