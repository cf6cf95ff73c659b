import fs from 'node:fs';
import path from 'node:path';
import { type CallOptions, call, type FileTree, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, inject, test } from 'vitest';
import { findFiles } from './find-files.ts';

const TREE = {
  'good.go': '',
  'b.ts': '',
  'src/a_test.go': '',
  'src/deep/er/b_test.go': '',
  'src/deep/c.go': '',
  'src/x.ts': '',
  'lib/src/d_test.go': '',
  '.github/workflows/ci.yml': '',
  '.hidden.go': '',
  'ignored/i.go': '',
  '.gitignore': 'ignored/\n',
  '.git/bad.go': '',
  'node_modules/bad.go': '',
  'vendor/bad.go': '',
  '__pycache__/bad.go': '',
  '.cache/bad.go': '',
  'dist/bad.go': '',
  'p/build/q/bad.go': '',
  '.env.go': '',
  '.ssh/k.go': '',
} as const;

async function find(args: object, options: CallOptions = { files: TREE }) {
  const { result, ...rest } = await call(findFiles, args, options);
  return { ...rest, ...(result === undefined ? {} : JSON.parse(result)) };
}

async function filesOf(args: object, options?: CallOptions): Promise<string[]> {
  return (await find(args, options)).files;
}

test('finds files by name at any depth, without what is left out', async () => {
  expect(await find({ pattern: '*.go' })).toEqual({
    ok: true,
    files: ['good.go', 'lib/src/d_test.go', 'src/a_test.go', 'src/deep/c.go', 'src/deep/er/b_test.go'],
    truncated: false,
    total_count: 5,
    limit_used: 1000,
    backend: 'jinn',
  });
});

test('takes stars over directories, braces, classes, and a leading directory', async () => {
  expect(await filesOf({ pattern: 'src/**/*_test.go' })).toEqual(['src/a_test.go', 'src/deep/er/b_test.go']);
  expect(await filesOf({ pattern: '**/*_test.go' })).toHaveLength(3);
  expect(await filesOf({ pattern: '*.{ts,yml}' })).toEqual(['b.ts', 'src/x.ts']);
  expect(await filesOf({ pattern: '[a-c].[gt][os]' })).toEqual(['b.ts', 'src/deep/c.go']);
  expect(await filesOf({ pattern: 'src/*' })).toEqual(['src/a_test.go', 'src/x.ts']);
  expect(await filesOf({ pattern: './src/?.ts' })).toEqual(['src/x.ts']);
  expect(await filesOf({ pattern: './*.ts' })).toEqual(['b.ts']);
  expect(await filesOf({ pattern: 'src/../*.ts' })).toEqual(['b.ts']);
  expect(await filesOf({ pattern: 'b.ts' })).toEqual(['b.ts']);
  expect(await filesOf({ pattern: '*.nope' })).toEqual([]);
});

test('searches below a path; a pattern begins there or at the working directory', async () => {
  expect(await filesOf({ pattern: '*.go', path: 'src/deep' })).toEqual(['src/deep/c.go', 'src/deep/er/b_test.go']);
  expect(await filesOf({ pattern: 'deep/*.go', path: 'src' })).toEqual(['src/deep/c.go']);
  expect(await filesOf({ pattern: 'src/**/*.ts', path: 'src' })).toEqual(['src/x.ts']);
});

test('shows hidden and ignored files on request, secrets never', async () => {
  expect(await filesOf({ pattern: '*.{go,yml}', hidden: true })).toEqual([
    '.github/workflows/ci.yml',
    '.hidden.go',
    'good.go',
    'lib/src/d_test.go',
    'src/a_test.go',
    'src/deep/c.go',
    'src/deep/er/b_test.go',
  ]);
  expect(await filesOf({ pattern: '**/*.yml', hidden: true })).toEqual(['.github/workflows/ci.yml']);
  expect(await filesOf({ pattern: '.github/**/*.yml' })).toEqual(['.github/workflows/ci.yml']);
  const all = await filesOf({ pattern: '*.go', no_ignore: true });
  expect(all).toContain('ignored/i.go');
  expect(all).toContain('node_modules/bad.go');
  expect(all.filter((path) => /\.(git|ssh|env)/.test(path))).toEqual([]);
  expect(await filesOf({ pattern: '.env*', hidden: true, no_ignore: true })).toEqual([]);
});

test('finds files in a directory that is left out when it is named', async () => {
  for (const path of ['node_modules', './node_modules/']) {
    expect(await filesOf({ pattern: '*.go', path })).toEqual(['node_modules/bad.go']);
  }
});

test('cuts at the limit, counts all, and reads on at an offset', async () => {
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`sub/f${String(i).padStart(2, '0')}.go`, '']));
  const options = { files };
  expect(await find({ pattern: '*.go', limit: 2 }, options)).toMatchObject({
    files: ['sub/f00.go', 'sub/f01.go'],
    truncated: true,
    total_count: 20,
    limit_used: 2,
  });
  const last = { files: ['sub/f18.go', 'sub/f19.go'], truncated: false, total_count: 20 };
  expect(await find({ pattern: '*.go', limit: 2, offset: 18 }, options)).toMatchObject(last);
  expect(await find({ pattern: '*.go', offset: 20 }, options)).toMatchObject({ files: [], truncated: false });
  expect(await find({ pattern: '*.go', limit: 0 }, options)).toMatchObject({ limit_used: 1000, truncated: false });
  expect(await find({ pattern: '*.go', limit: 1e9 }, options)).toMatchObject({ limit_used: 50_000 });
});

test('sorts by the last modification on request', async () => {
  const at = (seconds: number) => ({ content: '', mtime: new Date(1_700_000_000_000 + seconds * 1000) });
  const files = { 'a.ts': at(1), 'b.ts': at(3), 'c.ts': at(2), 'd.ts': at(3) };
  expect(await filesOf({ pattern: '*.ts', sort: 'modified' }, { files })).toEqual(['b.ts', 'd.ts', 'c.ts', 'a.ts']);
});

test('gives each page of many files by the last modification', async () => {
  const shuffled = Array.from({ length: 50 }, (_, i) => (i * 7) % 50);
  const files = Object.fromEntries(shuffled.map((i) => [`f${i}.ts`, { content: '', mtime: new Date(1e12 - 1e6 * i) }]));
  const page = async (offset: number) => filesOf({ pattern: '*.ts', sort: 'modified', limit: 5, offset }, { files });
  for (const offset of [0, 5, 45, 48, 50]) {
    expect(await page(offset)).toEqual(
      shuffled
        .toSorted((a, b) => a - b)
        .slice(offset, offset + 5)
        .map((i) => `f${i}.ts`),
    );
  }
});

test('takes what begins with a dash, and any other text, as it stands', async () => {
  const files = { '-delete': '', '-x/a.go': '', '!a.go': '', 'a.go': '' };
  expect(await filesOf({ pattern: '-delete' }, { files })).toEqual(['-delete']);
  expect(await filesOf({ pattern: '*.go', path: '-x' }, { files })).toEqual(['-x/a.go']);
  expect(await filesOf({ pattern: '!a.go' }, { files })).toEqual(['!a.go']);
  expect(await filesOf({ pattern: '*', no_ignore: true }, { files })).toHaveLength(4);
});

test('gives files alone: no directories, links or FIFOs', async () => {
  const files = { 'd.go/x': '', 'l.go': { symlink: 'x' }, 'f.go': { fifo: true as const }, 'x.go': '' };
  expect(await filesOf({ pattern: '*.go' }, { files })).toEqual(['x.go']);
});

test.each([
  [{ pattern: '*', path: '.git' }, 'path_outside_sandbox'],
  [{ pattern: '*', path: '../x' }, 'path_outside_sandbox'],
  [{ pattern: '*', path: 'nope' }, 'file_not_found'],
  [{ pattern: '*', path: 'b.ts' }, 'not_a_directory'],
  [{ pattern: '[' }, 'invalid_glob'],
  [{ pattern: '*a*a*a*a*b' }, 'invalid_glob'],
  [{ pattern: '' }, 'invalid_args'],
  [{}, 'invalid_args'],
])('refuses %j', async (args, code) => {
  expect(await find(args)).toMatchObject({ ok: false, error_code: code, suggestion: expect.any(String) });
});

test('agrees with picomatch on every path', async () => {
  const names = ['a', 'b.ts', 'c.d.ts', 'd/a.ts', 'd/e/b.js', 'd/e/.x.ts', 'f-1/g_2.ts', 'ts', '[x].ts', 'd/ts.ts'];
  const root = makeTempDirectory();
  makeTree(root, Object.fromEntries(names.map((name) => [name, ''])));
  const part = fc.constantFrom('*', '**/', '?', 'a', 'd/', '.ts', '.', '[ab]', '{a,b}', 'e/', 'x', '/');
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), async (parts) => {
      const pattern = parts.join('');
      const { ok, files } = await find({ pattern, hidden: true }, { root });
      if (!ok) return;
      const clean = parts
        .join('')
        .split('/')
        .filter((name) => name !== '' && name !== '.')
        .join('/');
      if (clean === '') return;
      const expected = picomatch(pattern.endsWith('/') ? `${clean}/` : clean, {
        nonegate: true,
        noextglob: true,
        basename: !/\/[^/]/.test(pattern),
        dot: true,
      });
      expect([pattern, files]).toEqual([pattern, names.filter((name) => expected(name)).sort()]);
    }),
    { numRuns: 200 / inject('runsDivisor') },
  );
});

test.each([
  ['/etc/*', 'globs match paths relative to the workspace, so /etc/* finds nothing outside of it'],
  ['../*', '../* leaves the searched directory'],
  ['src', 'src is a directory: try src/** for all files below it'],
  ['src/deep/', 'src/deep/ is a directory: try src/deep/** for all files below it'],
  ['.*\\.rs$', '.*\\.rs$ looks like a regular expression, but globs are expected here, such as *.rs'],
  ['^src/.*\\.(rs|zig)$', 'such as src/*.{rs,zig}'],
  ['\\d+\\.go', 'looks like a regular expression, but globs are expected here, such as *.ts or src/**/*.{js,ts}'],
  ['bad.*', 'the only files that match are ignored, excluded or hidden, such as .cache/bad.go'],
  ['i.go', 'such as ignored/i.go: pass no_ignore: true to find them'],
  ['*.nope', 'no file matches the pattern'],
  ['.env.go', 'no file matches the pattern'],
])('says why nothing matches %s', async (pattern, hint) => {
  expect(await find({ pattern })).toMatchObject({ files: [], hint: expect.stringContaining(hint) });
});

describe('a glob', () => {
  const files: FileTree = {
    'app/[id]/page.tsx': '',
    'app/i/page.tsx': '',
    '{a,b}/c.ts': '',
    'real/x.txt': '',
    ln: { symlink: 'real' },
    'l.txt': { symlink: 'real/x.txt' },
    'a.md': '',
    '!b.md': '',
  };

  test.each([
    ['app/[id]/page.tsx', ['app/[id]/page.tsx']],
    ['app/[id]/*', ['app/[id]/page.tsx']],
    ['app/[!a]/page.tsx', ['app/i/page.tsx']],
    ['{a,b}/*.ts', ['{a,b}/c.ts']],
    ['!b.md', ['!b.md']],
    ['!*.{tsx,ts,txt}', ['!b.md', 'a.md']],
    ['!app', ['!b.md', 'a.md', 'real/x.txt', '{a,b}/c.ts']],
    ['!app/[id]', ['!b.md', 'a.md', 'app/i/page.tsx', 'real/x.txt', '{a,b}/c.ts']],
    ['/*.md', ['!b.md', 'a.md']],
  ])('%s finds %j', async (pattern, expected) => {
    expect(await filesOf({ pattern }, { files })).toEqual(expected);
  });

  test('may begin at the path, at the root, and with the path of the root', async () => {
    const root = makeTempDirectory();
    makeTree(root, files);
    const alias = path.join(makeTempDirectory(), 'alias');
    fs.symlinkSync(root, alias);
    for (const pattern of ['[id]/*', 'app/[id]/page.tsx', `${root}/app/[id]/*.tsx`, `${alias}/app/[id]/page.tsx`]) {
      expect([pattern, await filesOf({ pattern, path: 'app' }, { root })]).toEqual([pattern, ['app/[id]/page.tsx']]);
    }
    expect(await filesOf({ pattern: `${root}/*.md` }, { root })).toEqual(['!b.md', 'a.md']);
  });

  test.each([
    ['ln/*', 'ln is a link to real, and links are not followed: pass path: "ln" to enter it, or real/*'],
    ['ln', 'pass path: "ln" to enter it, or real/**'],
    ['ln/x.txt', 'or real/x.txt'],
    ['l.txt', 'l.txt is a link to real/x.txt, and links are not followed: pass real/x.txt'],
    ['app/[id]', 'app/[id] is a directory: try app/[id]/** for all files below it'],
  ])('through a link or a directory, %s, gets a hint', async (pattern, hint) => {
    expect(await find({ pattern }, { files })).toMatchObject({ files: [], hint: expect.stringContaining(hint) });
  });
});

test.each([
  ['src\\*.ts', 'a backslash makes the next character of a glob plain; src/*.ts matches src/data.ts'],
  ['src\\data.ts', 'src/data.ts matches src/data.ts'],
  ['odd\\x.ts', 'a backslash makes the next character of a glob plain; odd\\\\x.ts matches deep/odd\\x.ts'],
  ['(group)/*.ts', '**/(group)/*.ts matches app/(group)/p.ts'],
  ['[id]/*.ts', '**/\\[id\\]/*.ts matches app/[id]/q.ts'],
  ['(group)/p.ts', 'starts at the directory that is searched; **/(group)/p.ts matches app/(group)/p.ts'],
  ['file:///none/*.ts', 'file:///none/*.ts is a URL, but a glob is a path'],
  ['none\\[x.ts', 'no file matches the pattern'],
  ['(none)/*.ts', 'no file matches the pattern'],
])('of the pattern %s, the glob that is meant is named', async (pattern, hint) => {
  const files = { 'src/data.ts': '', 'deep/odd\\x.ts': '', 'app/(group)/p.ts': '', 'app/[id]/q.ts': '' };
  expect(await find({ pattern }, { files })).toMatchObject({ files: [], hint: expect.stringContaining(hint) });
});

test.each([
  ['flatlist.js', 'src/FlatList.js'],
  ['FlatList', 'src/FlatList.js'],
  ['flat*', 'src/FlatList.js'],
  ['SRC/**/*.{JS,ts}', 'src/FlatList.js'],
  ['größe', 'GRÖßE.md'],
])('of the pattern %s, a file with such a name is named', async (pattern, file) => {
  const files = { 'src/FlatList.js': '', 'GRÖßE.md': '', '.env': '' };
  expect(await find({ pattern }, { files })).toMatchObject({
    files: [],
    hint: `no file matches the pattern: a glob matches whole names, and uppercase and lowercase differ: there is ${file}`,
  });
  for (const other of ['latList', '.EN', 'src/[f]latList.js', '!**'])
    expect(await find({ pattern: other }, { files })).toMatchObject({ hint: 'no file matches the pattern' });
});

test('a URL is read as the glob that it names', async () => {
  const root = makeTempDirectory();
  makeTree(root, { 'src/a.ts': '' });
  const { hint } = await find({ pattern: `file://${root}/src/*.ts` }, { root });
  expect(hint).toMatch(/^no file matches the pattern: a glob is a path, and no URL; .* matches src\/a\.ts$/);
});

test.each([{ pattern: ['*.py', '*.ts'] }, { pattern: '["*.py", "*.ts"]' }, { glob: ['*.{py,ts}'] }])(
  'takes a list of globs: %j',
  async (args) => {
    expect(await filesOf(args, { files: { 'a.py': '', 'b.ts': '', 'c.go': '' } })).toEqual(['a.py', 'b.ts']);
  },
);

test('takes a name that is a list in JSON as a name', async () => {
  expect(await filesOf({ pattern: '["a"]' }, { files: { '["a"]': '', a: '' } })).toEqual(['["a"]']);
});

test('names the globs of a list that do not match', async () => {
  expect(await find({ pattern: ['src', '*.nope'] })).toMatchObject({
    hint: expect.stringContaining('src is a directory'),
  });
});

test('gives no hint with an answer', async () => {
  expect(await find({ pattern: '*.go' })).not.toHaveProperty('hint');
  expect(await find({ pattern: '*.nope', no_ignore: true })).toMatchObject({ hint: 'no file matches the pattern' });
});
