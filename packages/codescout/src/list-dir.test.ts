import { type CallOptions, call, makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { listDir } from './list-dir.ts';

async function list(args: object, options: CallOptions = {}) {
  const root = options.root ?? makeTempDirectory();
  const answer = await call(listDir, args, { ...options, root });
  return { ...answer, root, data: answer.ok ? JSON.parse(answer.result ?? '') : undefined };
}

const many = (count: number, directory = 'many') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${directory}/f${String(i).padStart(4, '0')}.txt`, '']));

test('lists absolute paths, directories with a slash', async () => {
  const { root, data } = await list(
    { path: 'src/' },
    { files: { 'src/main.rs': '', 'src/lib.rs': '', 'src/tools/a.rs': '' } },
  );
  expect(data).toEqual({ entries: [`${root}/src/lib.rs`, `${root}/src/main.rs`, `${root}/src/tools/`] });
});

test('descends to any depth, and leaves out hidden files and what git ignores', async () => {
  const files = {
    '.gitignore': '*.log\n!keep.log\n',
    'a/.env': '',
    'a/.cache/x': '',
    'a/b/c/d/e.txt': '',
    'a/x.log': '',
    'keep.log': '',
  };
  const { root, data } = await list({ path: '.', recursive: true }, { files });
  expect(data.entries).toEqual(
    ['a/', 'a/b/', 'a/b/c/', 'a/b/c/d/', 'a/b/c/d/e.txt', 'keep.log'].map((name) => `${root}/${name}`),
  );
});

test('lists a hidden or ignored directory that is named, and node_modules unless git ignores it', async () => {
  const files = { '.gitignore': 'out\n', 'out/a': '', '.github/b': '', 'node_modules/c': '' };
  expect((await list({ path: 'out' }, { files })).data.entries).toHaveLength(1);
  expect((await list({ path: '.github' }, { files })).data.entries).toHaveLength(1);
  expect((await list({ path: '.', recursive: true }, { files })).data.entries).toHaveLength(2);
});

test('shows 200 entries, and says how many there are and how to continue', async () => {
  const { data, truncated } = await list({ path: 'many' }, { files: many(250) });
  expect(data.entries).toHaveLength(200);
  expect(data.overflow).toEqual({
    shown: 200,
    total: 250,
    hint: expect.stringContaining('detail_level="full"'),
    next_offset: 200,
  });
  expect(truncated).toBe(true);
  expect((await list({ path: 'many' }, { files: many(200) })).data.overflow).toBeUndefined();
});

test('counts the entries of each directory when a tree is too large', async () => {
  const files = { ...many(150, 'a'), ...many(120, 'b'), 'c.txt': '' };
  const { overflow } = (await list({ path: '.', recursive: true }, { files })).data;
  expect(overflow).toMatchObject({
    total: 273,
    hint: expect.stringContaining('recursive=false'),
    by_directory: [
      { directory: 'a/', count: 150 },
      { directory: 'b/', count: 120 },
    ],
  });
});

test('pages through all entries with detail_level full', async () => {
  const files = many(120);
  const page = async (args: object) => (await list({ path: 'many', detail_level: 'full', ...args }, { files })).data;
  const first = await page({});
  expect([first.entries.length, first.overflow]).toEqual([
    50,
    { shown: 50, total: 120, hint: 'Next page: offset=50', next_offset: 50 },
  ]);
  const last = await page({ offset: 100 });
  expect([last.entries.length, last.overflow]).toEqual([20, { shown: 20, total: 120, hint: 'This is the last page' }]);
  expect((await page({ limit: 500 })).overflow).toBeUndefined();
  expect(await page({ offset: 500 })).toMatchObject({ entries: [], overflow: { shown: 0, total: 120 } });
});

test('takes limit and offset without full, and limit by other names', async () => {
  const files = many(30);
  expect((await list({ path: 'many', limit: 10 }, { files })).data).toMatchObject({
    overflow: { shown: 10, next_offset: 10 },
  });
  expect((await list({ path: 'many', offset: 25 }, { files })).data.entries).toHaveLength(5);
  expect((await list({ path: 'many', max_results: '7' }, { files })).data.entries).toHaveLength(7);
  expect((await list({ directory: 'many' }, { files })).data.entries).toHaveLength(30);
});

test('puts a very large page into a buffer', async () => {
  const { data } = await list({ path: 'many', detail_level: 'full', limit: 5_000 }, { files: many(1_500) });
  expect(data.output_id).toMatch(/^@tool_[0-9a-f]{8}$/);
  expect(data.entries.length).toBeGreaterThan(300);
  expect(data.overflow).toMatchObject({ shown: data.entries.length, total: 1_500, next_offset: data.entries.length });
});

test.for([
  ['a file', 'f', 'not_a_directory'],
  ['what is missing', 'nothing', 'file_not_found'],
  ['a secret', '.git', 'path_outside_sandbox'],
  ['a path that leads out', '/etc', 'path_outside_sandbox'],
] as const)('refuses %s', async ([, path, error_code]) => {
  expect(await list({ path }, { files: { f: '', '.git/HEAD': '' } })).toMatchObject({ ok: false, error_code });
});

test('lists the project root if it is given no path', async () => {
  const { root, data } = await list({}, { files: { a: '', 'd/b': '' } });
  expect(data.entries).toEqual([`${root}/a`, `${root}/d/`]);
  const flags = await list({ recursive: 'true', offset: '1', limit: '1' }, { files: { a: '', 'd/b': '' } });
  expect(flags.data.entries).toEqual([`${flags.root}/d/`]);
});
