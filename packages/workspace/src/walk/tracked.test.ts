import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { openWorkspace } from '../guard/index.ts';
import { walk } from './walk.ts';
import { EXCLUDED_DIRECTORIES, type WalkOptions } from './walk-options.ts';

function git(cwd: string, ...args: string[]) {
  const settings = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...settings, ...args], { cwd, stdio: 'pipe' }).toString();
}

function makeRepository(files: Record<string, string>, tracked: readonly string[]) {
  const root = makeTempDirectory();
  git(root, 'init', '-q');
  makeTree(root, files);
  if (tracked.length > 0) git(root, 'add', '-f', '--', ...tracked);
  return root;
}

async function listed(root: string, more: Partial<WalkOptions> = {}, start = '.') {
  const workspace = openWorkspace({ root });
  const names: string[] = [];
  try {
    const options = { gitignore: true, checkpoint: async () => {}, ...more };
    const { warnings } = await walk(workspace, start, options, ({ path: name, kind }) => {
      names.push(kind === 'directory' ? `${name}/` : name);
      return undefined;
    });
    return { names, warnings };
  } finally {
    workspace.close();
  }
}

const FILES = {
  '.gitignore': '*.gen.ts\nout/\n',
  'a.ts': '',
  'b.gen.ts': '',
  'c.gen.ts': '',
  'out/deep/x': '',
  'out/y': '',
};

test('shows ignored files that git tracks, and enters ignored directories for these alone', async () => {
  const root = makeRepository(FILES, ['b.gen.ts', 'out/deep/x']);
  const names = ['a.ts', 'b.gen.ts', 'out/', 'out/deep/', 'out/deep/x'];
  expect((await listed(root)).names).toEqual(names);
  expect((await listed(root, {}, './out')).names).toEqual(['out/deep/', 'out/deep/x', 'out/y']);
  expect((await listed(path.join(root, 'out'))).names).toEqual(['deep/', 'deep/x', 'y']);
});

test('heeds a change of the index in the same process', async () => {
  const root = makeRepository(FILES, []);
  expect((await listed(root)).names).toEqual(['a.ts']);
  git(root, 'add', '-f', 'c.gen.ts');
  expect((await listed(root)).names).toEqual(['a.ts', 'c.gen.ts']);
  git(root, 'rm', '-q', '--cached', 'c.gen.ts');
  expect((await listed(root)).names).toEqual(['a.ts']);
});

test('takes files at once that git tracks', async () => {
  const root = makeRepository(FILES, ['b.gen.ts']);
  const taken: string[] = [];
  await listed(root, {
    takeFiles: (directory, { names }) => void taken.push(...names.map((one) => directory.pathOf(one))),
  });
  expect(taken).toEqual(['a.ts', 'b.gen.ts']);
});

test('enters an ignored submodule with its own rules, and no other repository that is ignored', async () => {
  const source = makeRepository({ f: '', '.gitignore': 'z\n' }, ['f', '.gitignore']);
  git(source, 'commit', '-q', '-m', 'x');
  const root = makeRepository({ a: '' }, ['a']);
  git(root, 'submodule', '--quiet', 'add', source, 'sub');
  fs.writeFileSync(path.join(root, '.gitignore'), 'sub\nclone\n');
  git(root, 'clone', '-q', source, 'clone');
  makeTree(root, { 'sub/z': '', 'sub/y': '' });
  expect((await listed(root)).names).toEqual(['a', 'sub/', 'sub/f', 'sub/y']);
});

test('says in one line which directories it left out by name though git tracks files there', async () => {
  const root = makeRepository({ 'vendor/a': '', 'dist/b': '', 'c/build/d': '', 'node_modules/e': '' }, [
    'vendor',
    'dist',
    'c',
  ]);
  const options = { excludeDirectories: EXCLUDED_DIRECTORIES };
  const { names, warnings } = await listed(root, options);
  expect([names, warnings]).toEqual([
    ['c/'],
    ['skipped by name, although git tracks files there: c/build, dist, vendor'],
  ]);
  expect(await listed(root, { ...options, entersTracked: true })).toEqual({
    names: ['c/', 'c/build/', 'c/build/d', 'dist/', 'dist/b', 'vendor/', 'vendor/a'],
    warnings: [],
  });
  expect((await listed(root, options, './c')).warnings).toEqual([
    'skipped by name, although git tracks files there: c/build',
  ]);
  expect((await listed(root)).warnings).toEqual([]);
  const long = 'l'.repeat(120);
  makeTree(root, Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}${long}/vendor/a`, ''])));
  git(root, 'add', '.');
  const [line = ''] = (await listed(root, options)).warnings;
  expect(line.length).toBeLessThanOrEqual(100);
  expect(line).toMatch(/^skipped by name, .*…l+\/vendor and 12 more$/);
});

test.each(['a FIFO', 'a directory', 'a link'])('passes over %s in the place of the index', async (what) => {
  const root = makeRepository(FILES, ['b.gen.ts']);
  const index = path.join(root, '.git/index');
  fs.renameSync(index, `${index}.real`);
  if (what === 'a FIFO') execFileSync('mkfifo', [index]);
  else if (what === 'a link') fs.symlinkSync('index.real', index);
  else fs.mkdirSync(index);
  expect((await listed(root)).names).toEqual(['a.ts']);
});

test('shows what git lists, whatever is tracked and ignored', async () => {
  const name = fc.constantFrom('a', 'b', 'c.x', 'd');
  const file = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const rule = fc.constantFrom('a', '/b', '*.x', 'd/', '!a', 'b/*', '!c.x', 'a/**');
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(file, { minLength: 1, maxLength: 12 }),
      fc.array(rule, { maxLength: 4 }),
      fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      async (files, rules, chosen) => {
        const kept = files.filter((one) => !files.some((other) => other !== one && other.startsWith(`${one}/`)));
        const tracked = kept.filter((_, i) => chosen[i]);
        const root = makeRepository(Object.fromEntries([...kept, '.gitignore'].map((one) => [one, ''])), tracked);
        fs.writeFileSync(path.join(root, '.gitignore'), rules.join('\n'));
        const byGit = git(root, '-c', 'core.excludesFile=', 'ls-files', '-co', '--exclude-standard', '-z').split('\0');
        const { names } = await listed(root, { hidden: true, excludeDirectories: new Set(['.git']) });
        expect(names.filter((one) => !one.endsWith('/'))).toEqual([...new Set(byGit)].filter(Boolean).sort());
      },
    ),
    { numRuns: 40 / inject('runsDivisor') },
  );
});
