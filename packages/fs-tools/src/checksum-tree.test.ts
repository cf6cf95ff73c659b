import { createHash } from 'node:crypto';
import { type CallOptions, call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { checksumTree } from './checksum-tree.ts';

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

async function checksum(args: object, options: CallOptions) {
  const { result, ...rest } = await call(checksumTree, args, options);
  return { ...rest, data: JSON.parse(result ?? '{}') };
}

const hashes = async (args: object, files: CallOptions['files'] = {}) => (await checksum(args, { files })).data;

test('hashes every file, hidden ones too, by its path from the working directory', async () => {
  const large = Buffer.alloc(2_500_000, 'x');
  const files = { 'a.txt': 'a', '.editorconfig': '', 'd/e/large': large, exact: large.subarray(0, 1024 * 1024) };
  const expected = {
    '.editorconfig': sha256(''),
    'a.txt': sha256('a'),
    'd/e/large': sha256(large),
    exact: sha256(files.exact),
  };
  expect(await hashes({}, files)).toEqual(expected);
  expect(await hashes({ path: 'd' }, files)).toEqual({ 'd/e/large': sha256(large) });
  expect(Object.keys(await hashes({}, files))).toEqual(Object.keys(expected));
});

test('skips what the page names, secrets, links and what is no file, but not the directory that it is given', async () => {
  const skipped = ['.git', 'node_modules', 'vendor', '__pycache__', '.cache', 'dist', 'build'].flatMap((name) => [
    `${name}/x`,
    `sub/${name}/x`,
  ]);
  const files = {
    ...Object.fromEntries(skipped.map((name) => [name, 'x'])),
    '.env': 'secret',
    'sub/.ssh/id': 'secret',
    link: { symlink: 'sub/keep' },
    fifo: { fifo: true } as const,
    'sub/keep': 'k',
  };
  expect(await hashes({}, files)).toEqual({ 'sub/keep': sha256('k') });
  expect(await hashes({ path: 'build' }, files)).toEqual({ 'build/x': sha256('x') });
});

test('skips a file of more than 50 MB and says so', async () => {
  const files = { small: 's', large: Buffer.alloc(50 * 1024 * 1024 + 1) };
  const { data, meta } = await checksum({ baseline: { large: 'old' } }, { files });
  expect(data).toMatchObject({ added: ['small'], removed: [] });
  expect(meta).toEqual({ skipped: ['large'], skipped_count: 1 });
});

test.for([
  ['*.go', ['a.go', 'd/b.go']],
  ['**/*.go', ['a.go', 'd/b.go']],
  ['[ab].*', ['a.go', 'a.ts', 'd/b.go']],
  ['*.{ts,md}', ['.x.md', 'a.ts']],
  ['d/*.go', ['d/b.go']],
  ['!*.{go,md}', ['a.ts']],
  ['*.rs', []],
] as const)('%s picks files', async ([pattern, expected]) => {
  const files = { 'a.go': '', 'a.ts': '', 'd/b.go': '', '.x.md': '' };
  expect(Object.keys(await hashes({ pattern }, files))).toEqual(expected);
});

test.for([
  ['[a', 'malformed'],
  ['*a*a*a*a*a*', 'slow'],
  ['a'.repeat(2_000), 'long'],
])('refuses the glob %s, which is %s', async ([pattern]) => {
  expect(await call(checksumTree, { pattern }, { files: { f: '' } })).toMatchObject({
    ok: false,
    error_code: 'invalid_glob',
  });
});

test('a glob that almost matches a long name takes no time', async () => {
  const files = { ['a'.repeat(250)]: '' };
  expect(await hashes({ pattern: '*a*a*a*b' }, files)).toEqual({});
});

test('compares with a baseline', async () => {
  const baseline = {
    same: sha256('same'),
    changed: sha256('old'),
    gone: sha256('gone'),
    upper: sha256('u').toUpperCase(),
  };
  const files = { same: 'same', changed: 'new', fresh: 'f', upper: 'u' };
  expect(await hashes({ baseline }, files)).toEqual({
    changed: ['changed'],
    added: ['fresh'],
    removed: ['gone'],
    unchanged_count: 2,
    hashes: { changed: sha256('new'), fresh: sha256('f') },
  });
  expect(await hashes({ baseline: {} }, {})).toEqual({
    changed: [],
    added: [],
    removed: [],
    unchanged_count: 0,
    hashes: {},
  });
});

test('takes nothing for removed that it did not look for', async () => {
  const baseline = {
    'src/gone.ts': '1',
    'src/gone.md': '1',
    'lib/gone.ts': '1',
    'src/dist/gone.ts': '1',
    'src/.env': '1',
  };
  const files = { 'src/a.ts': '' };
  expect(await hashes({ path: 'src', pattern: '*.ts', baseline }, files)).toMatchObject({ removed: ['src/gone.ts'] });
});

test('keeps a file called __proto__', async () => {
  const { result } = await call(checksumTree, {}, { files: Object.fromEntries([['__proto__', 'x']]) });
  expect(result).toBe(`{"__proto__":"${sha256('x')}"}`);
});

test.for([
  ['a secret', '.git', 'path_outside_sandbox'],
  ['a file', 'f', 'not_a_directory'],
  ['what is missing', 'nope', 'file_not_found'],
])('refuses %s', async ([, path, error_code]) => {
  expect(await call(checksumTree, { path }, { files: { f: '', '.git/x': '' } })).toMatchObject({
    ok: false,
    error_code,
  });
});
