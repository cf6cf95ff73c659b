import { type CallOptions, call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { listDir } from './list-dir.ts';

const TREE = {
  'b.txt': '',
  'a/x.txt': '',
  'a/deep/er/y.txt': '',
  'a-b': '',
  'a.txt': '',
  '.hidden/z.txt': '',
  '.env': 'SECRET=1',
  'node_modules/m.js': '',
};

interface Listed {
  readonly entries: string[];
  readonly truncated: boolean;
  readonly total_count: number;
  readonly hint?: string;
}

async function list(args: object, options: CallOptions = { files: TREE }) {
  const { result, ...rest } = await call(listDir, args, options);
  return { ...rest, ...(JSON.parse(result ?? '{}') as Listed) };
}

test('lists three levels, sorted as paths, directories with a slash, without what is hidden', async () => {
  const entries = [
    'a-b',
    'a.txt',
    'a/',
    'a/deep/',
    'a/deep/er/',
    'a/x.txt',
    'b.txt',
    'node_modules/',
    'node_modules/m.js',
  ];
  expect(await list({})).toEqual({ ok: true, entries, truncated: false, total_count: entries.length });
});

test('gives paths from the working directory, and does not list the directory itself', async () => {
  expect((await list({ path: 'a/', depth: 1 })).entries).toEqual(['a/deep/', 'a/x.txt']);
  expect((await list({ path: '.hidden' })).entries).toEqual(['.hidden/z.txt']);
});

test.for([
  [-5, 1],
  [0, 1],
  [2, 2],
  [99, 10],
])('clamps depth %i to %i', async ([depth, levels = 0]) => {
  const files = { [`${'d/'.repeat(12)}f`]: '' };
  expect((await list({ depth }, { files })).total_count).toBe(levels);
});

test('stops at max_entries and counts the rest', async () => {
  const files = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`f${i + 1000}`, '']));
  for (const [max_entries, kept] of [
    [3, 3],
    [0, 500],
    [-1, 500],
    [600, 600],
  ] as const) {
    const truncated = kept < 600;
    const listed = await list({ max_entries }, { files });
    expect(listed).toMatchObject({ truncated, total_count: 600 });
    expect(listed.entries).toEqual(Object.keys(files).slice(0, kept));
  }
});

test('never lists more than 10,000', async () => {
  const files = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`f${i}`, '']));
  const listed = await list({ max_entries: 20_000 }, { files });
  expect([listed.entries.length, listed.truncated, listed.total_count]).toEqual([10_000, true, 10_001]);
});

test('lists what was modified after a time, to the fraction, and looks into directories that were not', async () => {
  const at = (ms: number) => ({ content: '', mtime: new Date(1_700_000_000_000 + ms) });
  const files = { 'd/old': at(0), 'd/new': at(600), 'd/same': at(500) };
  const { entries } = await list({ changed_since: 1_700_000_000.5 }, { files });
  expect(entries).toEqual(['d/', 'd/new']);
  expect((await list({ changed_since: 4_000_000_000 }, { files })).entries).toEqual([]);
});

test('shows links and special files, and follows no link', async () => {
  const files = { 'd/f': '', link: { symlink: 'd' }, out: { symlink: '/etc' }, fifo: { fifo: true } } as const;
  expect((await list({}, { files })).entries).toEqual(['d/', 'd/f', 'fifo', 'link', 'out']);
});

test.for([
  ['a secret', '.git', 'path_outside_sandbox'],
  ['what lies outside', '..', 'path_outside_sandbox'],
  ['a file', 'b.txt', 'not_a_directory'],
  ['what is missing', 'nope', 'file_not_found'],
])('refuses %s', async ([, path, error_code]) => {
  expect(await call(listDir, { path }, { files: { ...TREE, '.git/config': '' } })).toMatchObject({
    ok: false,
    error_code,
  });
});

test('leaves out what git ignores unless it is asked for', async () => {
  const files = {
    '.gitignore': 'node_modules\n*.log\n!keep.log\n',
    'node_modules/m.js': '',
    'a.log': '',
    'keep.log': '',
    f: '',
  };
  expect((await list({}, { files })).entries).toEqual(['f', 'keep.log']);
  const everything = ['a.log', 'f', 'keep.log', 'node_modules/', 'node_modules/m.js'];
  expect((await list({ no_ignore: true }, { files })).entries).toEqual(everything);
  expect((await list({ path: 'node_modules' }, { files })).entries).toEqual(['node_modules/m.js']);
});

test('gives a tree, indented by level', async () => {
  const { result } = await call(listDir, { format: 'tree' }, { files: TREE });
  expect(JSON.parse(result ?? '')).toEqual({
    tree: 'a-b\na.txt\na/\n  deep/\n    er/\n  x.txt\nb.txt\nnode_modules/\n  m.js',
    truncated: false,
    total_count: 9,
  });
  const below = await call(listDir, { format: 'tree', path: 'a/deep' }, { files: TREE });
  expect(JSON.parse(below.result ?? '').tree).toBe('er/\n  y.txt');
});

test('a tree shows the directories of what it lists', async () => {
  const at = (ms: number) => ({ content: '', mtime: new Date(ms) });
  const files = { 'd/e/new': at(2_000_000_000_000), 'd/e/old': at(0), 'd/new': at(2_000_000_000_000) };
  const { result } = await call(listDir, { format: 'tree', changed_since: 1_900_000_000 }, { files });
  expect(JSON.parse(result ?? '').tree).toBe('d/\n  e/\n    new\n  new');
  const none = await call(listDir, { format: 'tree', changed_since: 2_100_000_000 }, { files });
  expect(JSON.parse(none.result ?? '').tree).toBe('');
});

test('skips entries, and names the next ones to a model', async () => {
  const files = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`file-${i + 100}`, '']));
  const rest = await list({ offset: 50 }, { files });
  expect(rest).toMatchObject({ entries: Object.keys(files).slice(50), truncated: false, total_count: 60 });
  const page = await list({ format: 'paths' }, { files, maxResult: 800 });
  expect(page).toMatchObject({ truncated: true, hint: `pass offset: ${page.entries.length} for the next entries` });
  expect(JSON.stringify(page).length).toBeLessThanOrEqual(800);
  expect((await list({ max_entries: 5 }, { files })).hint).toBeUndefined();
});

test('gives a model a tree that is not in JSON, unless paths are asked for', async () => {
  const files = { 'a/b/one.ts': '', 'a/b/two.ts': '', 'c.ts': '' };
  const { result } = await call(listDir, {}, { files, maxResult: 2_000 });
  expect(result).toBe('a/\n  b/\n    one.ts\n    two.ts\nc.ts');
  const paths = await list({ format: 'paths' }, { files, maxResult: 2_000 });
  expect(paths.entries).toEqual(['a/', 'a/b/', 'a/b/one.ts', 'a/b/two.ts', 'c.ts']);
  const part = await call(listDir, { max_entries: 2, offset: 2 }, { files, maxResult: 2_000 });
  expect(part.result).toBe('a/\n  b/\n    one.ts\n    two.ts\n[2 of 5 entries; pass offset: 4 for the next entries]');
  const past = await call(listDir, { offset: 9 }, { files, maxResult: 2_000 });
  expect(past.result).toBe('[no entries from offset 9 on: there are 5]');
  expect((await call(listDir, {}, { files: {}, maxResult: 2_000 })).result).toBe('[no entries]');
});
