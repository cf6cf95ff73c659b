import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openWorkspace } from '../../guard/index.ts';
import { parseGitIndex } from './git-index.ts';
import { TrackedFiles } from './tracked-files.ts';

const NAMES = ['a.txt', 'build/x.js', 'build/deep/y.js', 'build.md', 'é/ü.txt', `${'long'.repeat(40)}.txt`, 'src/z'];

function git(cwd: string, ...args: string[]) {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, stdio: 'pipe' });
}

function makeRepository(init: string[] = []) {
  const cwd = makeTempDirectory();
  git(cwd, 'init', '-q', ...init);
  makeTree(cwd, Object.fromEntries([...NAMES, 'build/untracked'].map((name) => [name, 'x'])));
  git(cwd, 'add', ...NAMES);
  return cwd;
}

function find(root: string, directory = '.') {
  const workspace = openWorkspace({ root });
  try {
    return TrackedFiles.find(workspace, directory);
  } finally {
    workspace.close();
  }
}

test.for([
  ['version 2', []],
  ['version 4', ['update-index', '--index-version', '4']],
  ['version 3', ['add', '--intent-to-add', 'build/new']],
] as const)('reads an index of %s', ([version, command]) => {
  const cwd = makeRepository();
  makeTree(cwd, { 'build/new': '' });
  if (command.length > 0) git(cwd, ...command);
  const tracked = find(cwd);
  for (const name of NAMES) expect(tracked?.has(name)).toBe(true);
  expect([tracked?.has('build/untracked'), tracked?.has('build'), tracked?.has('z')]).toEqual([false, false, false]);
  const expected = version === 'version 3' ? 3 : 2;
  expect(['build', 'é', 'src', 'none'].map((name) => tracked?.countBelow(name))).toEqual([expected, 1, 1, 0]);
});

test('reads an index with hashes of SHA-256', () => {
  expect(find(makeRepository(['--object-format=sha256']))?.countBelow('build')).toBe(2);
});

test('knows paths from a root above and below the repository', () => {
  const cwd = makeRepository();
  expect(find(path.join(cwd, 'build'))?.has('deep/y.js')).toBe(true);
  const name = path.basename(cwd);
  const above = find(path.dirname(cwd), name);
  expect(above?.has(`${name}/build/x.js`)).toBe(true);
  expect(above?.has('build/x.js')).toBe(false);
});

test.for([
  ['no repository', (cwd: string) => fs.rmSync(path.join(cwd, '.git'), { recursive: true })],
  ['an index that is damaged', (cwd: string) => fs.truncateSync(path.join(cwd, '.git/index'), 100)],
  ['a split index', (cwd: string) => git(cwd, 'update-index', '--split-index')],
] as const)('knows nothing of %s', ([, damage]) => {
  const cwd = makeRepository();
  damage(cwd);
  expect(find(cwd)).toBeUndefined();
});

test('parses any bytes', () => {
  const head = Buffer.from('DIRC\0\0\0\x02\0\0\0\x05', 'latin1');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void parseGitIndex(Buffer.concat([head, bytes]))),
  );
  for (const version of [2, 3, 4]) {
    head.writeUInt32BE(version, 4);
    head.writeUInt32BE(0xffffffff, 8);
    expect(parseGitIndex(Buffer.concat([head, Buffer.alloc(1000)]))).toBeUndefined();
  }
});

/** An index of version 4, each of whose names is the one before and a character. */
function growingIndex(first: number, count: number): Buffer {
  const entryOf = (added: string) => {
    const stat = Buffer.alloc(62);
    stat.writeUInt16BE(0x0fff, 60);
    return Buffer.concat([stat, Buffer.from(`\0${added}\0`)]);
  };
  const header = Buffer.from('DIRC\0\0\0\x04\0\0\0\0', 'latin1');
  header.writeUInt32BE(count, 8);
  const grown = Array.from({ length: count - 1 }, () => entryOf('b'));
  return Buffer.concat([header, entryOf('a'.repeat(first)), ...grown]);
}

test('refuses an index whose names would take far more memory than it has bytes', () => {
  expect(parseGitIndex(growingIndex(5_000, 10))?.length).toBe(10);
  expect(parseGitIndex(growingIndex(500_000, 1_000))?.length).toBeUndefined();
});
