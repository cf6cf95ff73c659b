import { type CallOptions, call, makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findFile } from './find-file.ts';

async function find(args: object, options: CallOptions = {}) {
  const root = options.root ?? makeTempDirectory();
  const answer = await call(findFile, args, { ...options, root });
  const data = answer.ok ? JSON.parse(answer.result ?? '') : undefined;
  return { ...answer, data, files: data?.files.map((file: string) => file.slice(root.length + 1)), root };
}

const TREE = {
  'Cargo.toml': '',
  'src/mod.rs': '',
  'src/a/mod.rs': '',
  'src/a/b/mod.rs': '',
  'src/a/model.rs': '',
  'lib/mod.rs': '',
};

test('finds files by their absolute paths', async () => {
  const { data, root } = await find({ pattern: '**/*.toml', path: '.' }, { files: TREE });
  expect(data).toEqual({ files: [`${root}/Cargo.toml`], total: 1 });
});

test.for([
  ['src/**/mod.rs', '.', ['src/a/b/mod.rs', 'src/a/mod.rs', 'src/mod.rs']],
  ['src/*.rs', '.', ['src/mod.rs']],
  ['mod.rs', '.', ['lib/mod.rs', 'src/a/b/mod.rs', 'src/a/mod.rs', 'src/mod.rs']],
  ['a/*.rs', 'src', ['src/a/mod.rs', 'src/a/model.rs']],
  ['src/**/*.rs', 'src', []],
  ['**/{mod,model}.rs', 'src/a', ['src/a/b/mod.rs', 'src/a/mod.rs', 'src/a/model.rs']],
  ['**/nothing', '.', []],
] as const)('matches %s against the path below %s', async ([pattern, path, files]) => {
  const found = await find({ pattern, path }, { files: TREE });
  expect(found.files).toEqual(files);
  expect(found.data.total).toBe(files.length);
});

test('leaves out hidden files, secrets and what git ignores, but not node_modules as such', async () => {
  const files = {
    '.gitignore': '/target\n',
    'target/a.js': '',
    'node_modules/b.js': '',
    '.x/c.js': '',
    '.env.js': '',
    'd.js': '',
  };
  expect((await find({ pattern: '**/*.js' }, { files })).files).toEqual(['d.js', 'node_modules/b.js']);
  expect((await find({ pattern: '.x/*.js' }, { files })).files).toEqual(['.x/c.js']);
  expect((await find({ pattern: '.env.*' }, { files })).files).toEqual([]);
});

test('returns 100 files, and counts the rest by directory', async () => {
  const files = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`d${i % 2}/f${i}.txt`, '']));
  const { data, truncated } = await find({ pattern: '**/*.txt' }, { files });
  expect(data.files).toHaveLength(100);
  expect(data).toMatchObject({ total: 130, overflow: { shown: 100, total: 130, hint: expect.any(String) } });
  expect(data.overflow.by_directory).toEqual([
    { directory: 'd0/', count: 65 },
    { directory: 'd1/', count: 65 },
  ]);
  expect(truncated).toBe(true);
  expect((await find({ pattern: '**/*.txt', max_results: 130 }, { files })).data.overflow).toBeUndefined();
  expect((await find({ pattern: '**/*.txt', limit: '5' }, { files })).data.files).toHaveLength(5);
});

test.for([
  ['a bad glob', { pattern: '[' }, 'invalid_glob'],
  ['a missing directory', { pattern: '*', path: 'x' }, 'file_not_found'],
  ['a secret', { pattern: '*', path: '.ssh' }, 'path_outside_sandbox'],
  ['no pattern', {}, 'invalid_args'],
] as const)('refuses %s', async ([, args, error_code]) => {
  expect(await find(args, { files: TREE })).toMatchObject({ ok: false, error_code, suggestion: expect.any(String) });
});
