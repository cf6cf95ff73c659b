import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { listFiles } from './list.ts';
import type { Explanation } from './rules/classify-entry.ts';
import type { CollectOptions } from './targets/collect.ts';
import { planNamedTargets } from './targets/targets.ts';

interface Scene extends Partial<CollectOptions> {
  readonly files: Readonly<Record<string, string>>;
  readonly paths?: readonly string[];
  readonly root?: string | undefined;
  readonly rules?: string | undefined;
}

/** Lists the files that a run takes in, in its order. A file's content is its own name unless given. */
async function list({ files, paths = ['.'], root, rules, ...options }: Scene) {
  const cwd = makeTempDirectory();
  makeTree(cwd, Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text || `${name}\n`])));
  return listIn(cwd, { paths, root, rules, ...options });
}

async function listIn(cwd: string, { paths = ['.'], root, rules, ...options }: Omit<Scene, 'files'>) {
  const plan = planNamedTargets({ paths, root, cwd });
  const found: string[] = [];
  const warnings: string[] = [];
  await listFiles(
    plan,
    {
      overrides: rules === undefined ? undefined : { file: 'overrides', content: Buffer.from(rules) },
      opensNamed: true,
      checkpoint: async () => {},
      warn: (sentence) => void warnings.push(sentence),
      ...options,
    },
    {
      take: (file) => void found.push(file.path),
      takeAll: (prefix, names) => void found.push(...names.map((name) => prefix + name)),
    },
  );
  plan.close();
  return { found, warnings };
}

const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, '']));

describe('the lists of rules', () => {
  test.for<[string, Scene, string[]]>([
    [
      'leaves out what is built in, at any depth',
      { files: named('a', 'LICENSE', 'x.log', '.h/a', 's/node_modules/p/i.js', 's/dist/o.js', 's/b~', 's/c.zip') },
      ['a'],
    ],
    [
      'opens no built-in exclusion below what a name takes in, with a star behind it or not',
      {
        files: {
          ...named('a/build/x', 'a/b/dist/y', 'c/build/z'),
          '.contextfiles': 'a\n*\n',
          'a/b/.contextfiles': '*\n',
        },
      },
      ['.contextfiles', 'a/b/.contextfiles'],
    ],
    [
      'finds what follows !* at any depth, but not in what is built in or ignored',
      {
        files: {
          ...named('top.py', 'src/a.py', 'src/deep/b.py', 'node_modules/x.py', 'gen/y.py', 'a.md', 'src/c.md'),
          '.gitignore': 'gen/',
          '.contextfiles': '!*\n*.py',
        },
      },
      ['top.py', 'src/a.py', 'src/deep/b.py'],
    ],
    [
      'takes in a file that git ignores by its own name, unless a later line leaves it out',
      {
        files: {
          ...named('a.py', 'kept_settings.py', 'local_settings.py'),
          '.gitignore': '*_settings.py',
          '.contextfiles': '!*\n*.py\n!local_settings.py',
        },
      },
      ['a.py', 'kept_settings.py'],
    ],
    [
      'finds a path that follows !*',
      {
        files: { ...named('top.py', 'src/a.py', 'src/d/b.py', 'lib/c.py'), '.contextfiles': '!*\nsrc/**/*.py' },
      },
      ['src/a.py', 'src/d/b.py'],
    ],
    [
      'takes in a directory that follows !*, but not what is built in or ignored below it',
      {
        files: {
          ...named('a', 'src/a', 'src/d/b', 'src/node_modules/p/i.js', 'src/.h/x', 'src/gen/y'),
          '.gitignore': 'gen/',
          '.contextfiles': '!*\nsrc/',
        },
      },
      ['src/a', 'src/d/b'],
    ],
    [
      'opens what follows !* from a deeper file too',
      {
        files: {
          ...named('a.py', 'p/a.py', 'p/q/r/b.py', 'p/q/c.md'),
          'p/.contextfiles': '!*\n*.py',
        },
      },
      ['a.py', 'p/a.py', 'p/q/r/b.py'],
    ],
    [
      'matches lines of many stars',
      {
        files: {
          ...named('x/1/a/2/b/3/c/f', 'x/a/b/c/g', 'x/a/c', 'a.b.c.d', 'a.b.c'),
          '.contextfiles': '!x/**/a/**/b/**/c/\n!*[a]*.*.*.?\n',
        },
      },
      ['a.b.c', 'x/a/c'],
    ],
    [
      'takes in what is not excluded, whatever is included',
      { files: { ...named('a.py', 'b.md'), '.contextfiles': '*.py' } },
      ['a.py', 'b.md'],
    ],
    [
      'lets a gitignore negation bring back what is built in',
      { files: { ...named('build/a', 'x.log'), '.gitignore': '!build/\n!x.log' } },
      ['x.log', 'build/a'],
    ],
    [
      'lets an allow-list in gitignore bring back nothing that is built in',
      {
        files: {
          ...named('a.py', 'd/b.py', 'd/c', 'node_modules/x.py', '.hid/x.py', '.env'),
          '.gitignore': '*\n!*/\n!*.py',
        },
      },
      ['a.py', 'd/b.py'],
    ],
    [
      'lets .contextfiles go before gitignore',
      { files: { ...named('out.txt', 'd/gen.txt'), '.contextfiles': 'gen.txt', 'd/.gitignore': '*.txt' } },
      ['out.txt', 'd/gen.txt'],
    ],
    [
      'opens an ignored directory that .contextfiles takes in, with all below',
      { files: { ...named('gen/a', 'gen/d/b'), '.gitignore': 'gen/', '.contextfiles': 'gen/' } },
      ['gen/a', 'gen/d/b'],
    ],
    [
      'opens an excluded directory for what is named in it',
      {
        files: {
          ...named('build/a', 'build/c', 'gen/b'),
          '.gitignore': 'gen/',
          '.contextfiles': 'build/a\n*.x\ngen/b',
        },
      },
      ['build/a', 'gen/b'],
    ],
    [
      'opens no built-in exclusion for a bare star',
      { files: { ...named('a', 'LICENSE', 'node_modules/x', '.hid/y'), '.contextfiles': '*\n**' } },
      ['.contextfiles', 'LICENSE', 'a'],
    ],
    [
      'opens it for its name, in spite of a star after it',
      { files: { ...named('build/a'), '.contextfiles': 'build/\n*\n!.*' } },
      ['build/a'],
    ],
    ['lets the last rule win', { files: { ...named('a', 'b'), '.contextfiles': '!a\na\nb\n!b' } }, ['a']],
    [
      'lets deeper files win',
      {
        files: {
          ...named('x', 'a/x', 'a/b/x'),
          '.contextfiles': '!x',
          'a/.contextfiles': 'x',
          'a/b/.contextfiles': '!x',
        },
      },
      ['a/x'],
    ],
    ['matches all below what is matched', { files: { ...named('d/a', 'd/e/b', 'f'), '.contextfiles': '!d' } }, ['f']],
    [
      'anchors a rule where its file lies',
      { files: { ...named('g.py', 's/g.py', 's/t/g.py', 't/u.sh', 's/t/u.sh'), 's/.contextfiles': '!/g.py\n!t/*.sh' } },
      ['g.py', 's/t/g.py', 't/u.sh'],
    ],
    [
      'keeps git to its own anchors',
      { files: { ...named('t/u', 's/t/u', 's/u'), 's/.gitignore': 't/u\n/v' } },
      ['s/u', 't/u'],
    ],
    [
      'takes name/** for name/',
      { files: { ...named('a/x', 'b/x', 'c'), '.contextfiles': '!*\nc\nb/**' } },
      ['c', 'b/x'],
    ],
    [
      'knows wildcards',
      { files: { ...named('a1', 'b1', 'c1', 'd/e/f.x', 'd/f.x', 'ab.y'), '.contextfiles': '!/[ab]1\n!d/*.x\n!?b.*' } },
      ['c1', 'd/e/f.x'],
    ],
    ['compares letters by case', { files: { ...named('A', 'a'), '.contextfiles': '!a' } }, ['A']],
    [
      'takes characters beyond ASCII for what they are',
      { files: { ...named('é', 'ü', 'ab'), '.contextfiles': '!é\n!??' } },
      ['ü'],
    ],
    ['ignores a byte order mark', { files: { ...named('a'), '.contextfiles': '\ufeff!a' } }, []],
  ])('%s', async ([, scene, expected]) => {
    expect((await list(scene)).found).toEqual(expected);
  });

  test('visits files before directories, by their names', async () => {
    const { found } = await list({ files: named('b', 'a/z', 'a.b', 'B', 'c/d/e', 'c/f') });
    expect(found).toEqual(['B', 'a.b', 'b', 'a/z', 'c/f', 'c/d/e']);
  });

  test('warns of a bad line by file and line, and heeds the others', async () => {
    const files = { ...named('a', 'b', 's/c'), '.contextfiles': '!a\n!\n[x\n', 's/.gitignore': '[z-a]\nx\\\n   \nc\n' };
    const { found, warnings } = await list({ files });
    expect(found).toEqual(['b']);
    expect(warnings).toEqual([
      '.contextfiles: line 2 has no pattern',
      '.contextfiles: line 3 has a [ that is never closed (it matches nothing)',
      's/.gitignore: line 1 has a range that runs backwards (it matches nothing)',
      's/.gitignore: line 2 ends in a backslash (it matches nothing)',
    ]);
  });

  test('never takes in a secret by a rule', async () => {
    const files = {
      ...named('.env', 's/.ENV.local', '.ssh/id', '.git/config', 'a'),
      '.contextfiles': '.env\n.ssh/\n.git/\n*',
    };
    expect((await list({ files, rules: '.*\n**/.env' })).found).toEqual(['.contextfiles', 'a']);
  });

  test.skipIf(process.platform === 'darwin')('leaves out links and what is no file', async () => {
    const cwd = makeTempDirectory();
    makeTree(cwd, {
      a: 'a',
      'd/b': 'b',
      l: { symlink: 'a' },
      e: { symlink: 'd' },
      dead: { symlink: 'x' },
      f: { fifo: true },
    });
    expect((await listIn(cwd, {})).found).toEqual(['a', 'd/b']);
  });
});

describe('overrides', () => {
  test.for<[string, Scene, string[]]>([
    [
      'win over all files',
      { files: { ...named('a.py', 'b.md'), '.contextfiles': '!*.py' }, rules: '*.py\n!*.md' },
      ['a.py'],
    ],
    ['keep what is built in', { files: named('a', 'node_modules/b', '.h'), rules: '!zzz' }, ['a']],
    [
      'find what they name below what they leave out',
      { files: named('a.md', 's/b.py', 's/t/c.py', 's/d'), rules: '!*\n**/*.py' },
      ['s/b.py', 's/t/c.py'],
    ],
    ['do so without two stars', { files: named('a.md', 's/b.py', 's/d'), rules: '!*\n*.py' }, ['s/b.py']],
    [
      'open no node_modules for that',
      { files: named('node_modules/x.py', '.h/x.py', 'a.py'), rules: '!*\n**/*.py' },
      ['a.py'],
    ],
    [
      'open no ignored directory for that',
      { files: { ...named('gen/x.py', 'a.py'), '.gitignore': 'gen/' }, rules: '!*\n*.py' },
      ['a.py'],
    ],
    [
      'open it for a path that names it',
      { files: named('build/k', 'build/o', 'node_modules/p/i.js'), rules: '/build/k\nnode_modules/*/i.js' },
      ['build/k', 'node_modules/p/i.js'],
    ],
    ['do not open it for a path that has a star there', { files: named('build/k'), rules: '*/k\n**/k' }, []],
    [
      'open no node_modules below what a path names before its stars',
      { files: named('p/q/node_modules/i.ts', 'p/q/.h/i.ts', 'p/q/a.ts'), rules: '!*\np/**/*.ts' },
      ['p/q/a.ts'],
    ],
    [
      'open what a path names, however it is written, and what lies in it',
      {
        files: named('build/k', 'a/build/k', 'b/dist/d/e/k', 'c/out/k', 'c/node_modules/x/build/k'),
        rules: '[b]uild/k\n**/a/?uild/k\nb/d*/**/k',
      },
      ['a/build/k', 'b/dist/d/e/k', 'build/k'],
    ],
    [
      'open each closed directory only by its name',
      { files: named('build/node_modules/k', 'build/a/k'), rules: 'build/**/k' },
      ['build/a/k'],
    ],
    [
      'take in what a name opens, but not what is built in below it',
      { files: named('build/x', 'build/d/y', 'build/node_modules/y', 'a/build/x'), rules: '/build\na\n*' },
      ['build/x', 'build/d/y'],
    ],
  ])('%s', async ([, scene, expected]) => {
    expect((await list(scene)).found).toEqual(expected);
  });
});

describe('exclusions', () => {
  const project = named(
    'main.py',
    'domain.py',
    'src/a.ts',
    'src/a.test.ts',
    'src/tests/b.ts',
    'src/gen/c.ts',
    'docs/d.md',
    'vendor/e.js',
    'examples/f.js',
  );
  test.for<[string, Partial<Scene>, string[]]>([
    [
      '--not with a known word',
      { not: ['Tests', 'doc', 'vendors'] },
      ['domain.py', 'main.py', 'examples/f.js', 'src/a.ts', 'src/gen/c.ts'],
    ],
    ['--not with another word', { not: ['main', 'src', 'e.js', 'f.'] }, ['docs/d.md']],
    [
      '--not-in',
      { notIn: ['src:tests,gen', 'docs:d.md'] },
      ['domain.py', 'main.py', 'examples/f.js', 'src/a.ts', 'vendor/e.js'],
    ],
    [
      '--not-in from a target below the root',
      { notIn: ['./src/:tests'], paths: ['src'] },
      ['src/a.ts', 'src/gen/c.ts'],
    ],
    ['--not-files', { notFiles: ['*.ts', 'docs/*.md'] }, ['domain.py', 'main.py', 'examples/f.js', 'vendor/e.js']],
    [
      '--keep-only',
      { keepOnly: ['src', 'd.md'] },
      ['docs/d.md', 'src/a.test.ts', 'src/a.ts', 'src/gen/c.ts', 'src/tests/b.ts'],
    ],
    ['--keep-only of what lies at the root', { keepOnly: ['/docs', './d.md'] }, ['docs/d.md']],
    [
      '--keep-only with all',
      { keepOnly: ['.'], not: ['src'] },
      ['domain.py', 'main.py', 'docs/d.md', 'examples/f.js', 'vendor/e.js'],
    ],
    ['--keep-only with globs', { keepOnly: ['*.md', 'src/t*/**'] }, ['docs/d.md', 'src/tests/b.ts']],
    [
      '--keep-only with a path, beside other exclusions',
      { keepOnly: ['src/gen', 'src/tests/'], not: ['gen'] },
      ['src/tests/b.ts'],
    ],
    [
      '--keep-only inside what it names',
      { keepOnly: ['src'], notFiles: ['*.test.ts'], paths: ['src/gen', 'docs'] },
      ['src/gen/c.ts'],
    ],
  ])('%s', async ([, options, expected]) => {
    expect((await list({ files: project, ...options })).found).toEqual(expected);
  });

  const routes = named('app/[id]/a.tsx', 'app/i/a.tsx', 'src/old/b.ts', 'src/c.{d,e}.ts', 'x,y.md');
  test.for<[Partial<CollectOptions>, string[]]>([
    [{ include: ['app/[id]/a.tsx'] }, ['app/[id]/a.tsx']],
    [{ include: ['app/[id]/*.tsx', 'x,y.md'] }, ['x,y.md', 'app/[id]/a.tsx']],
    [{ include: ['src/**/*.{ts,tsx},!old'] }, ['src/c.{d,e}.ts']],
    [{ include: ['!src', '!*.md'] }, ['app/[id]/a.tsx', 'app/i/a.tsx']],
    [{ keepOnly: ['app/[id],x,y.md', './src/old'] }, ['app/[id]/a.tsx', 'src/old/b.ts']],
    [{ not: ['./src/old,app/[id]', 'x,y.md'] }, ['app/i/a.tsx', 'src/c.{d,e}.ts']],
    [{ not: ['*.{ts,md}'] }, ['app/[id]/a.tsx', 'app/i/a.tsx']],
    [{ notIn: ['src:old,*.tsx', 'app:[id]'] }, ['x,y.md', 'app/i/a.tsx', 'src/c.{d,e}.ts']],
    [{ notFiles: ['*.ts,*.md', './app/[id]/**'] }, ['app/i/a.tsx']],
    [{ notFiles: ['src/../app', '/src/'] }, ['x,y.md']],
  ])('take globs as tools do: %j', async ([options, expected]) => {
    expect((await list({ files: routes, ...options })).found).toEqual(expected);
  });

  test('take the path of the root', async () => {
    const cwd = makeTempDirectory();
    makeTree(cwd, routes);
    expect((await listIn(cwd, { include: [`${cwd}/src/*.ts`] })).found).toEqual(['src/c.{d,e}.ts']);
    expect((await listIn(cwd, { not: [`${cwd}/src`, `${cwd}/x,y.md`, 'app/i'] })).found).toEqual(['app/[id]/a.tsx']);
  });

  test('warn of each pattern that matches nothing, over all targets', async () => {
    const flags = { include: ['app,*.zz,!*.qq'], not: ['tests,src/old'], notFiles: ['x/*'], notIn: ['src:gen'] };
    expect((await list({ files: routes, ...flags, paths: ['app/i', 'src'] })).warnings).toEqual([
      '--not tests matches nothing',
      '--not-in src:gen matches nothing',
      '--not-files x/* matches nothing',
      '--include !*.qq matches nothing',
      '--include *.zz matches nothing',
    ]);
    expect((await list({ files: routes, include: ['*.tsx,app,a.tsx,src/**,*.ts'] })).warnings).toEqual([]);
  });

  test('refuse to take back an exclusion', async () => {
    await expect(list({ files: routes, notFiles: ['*.ts,!c.ts'] })).rejects.toMatchObject({
      code: 'invalid_args',
      message: '--not-files !c.ts: this excludes already, so "!" has no meaning here',
    });
  });

  test('keep what is built in out of what --keep-only keeps', async () => {
    expect((await list({ files: named('s/a', 's/node_modules/b', 's/.h', 'x'), keepOnly: ['s'] })).found).toEqual([
      's/a',
    ]);
  });

  test.for(['..', '../x', 'a/../../b'])('refuse to keep %j, which lies outside', async (entry) => {
    await expect(list({ files: named('a'), keepOnly: [entry] })).rejects.toMatchObject({
      code: 'invalid_args',
      message: `--keep-only takes files below the root, not ${JSON.stringify(entry)}`,
    });
  });

  test.for(['src', ':x', '../src:x'])('refuse the scope %j', async (notIn) => {
    if (notIn === ':x') expect((await list({ files: named('x', 'y'), notIn: [notIn] })).found).toEqual(['y']);
    else await expect(list({ files: named('a'), notIn: [notIn] })).rejects.toMatchObject({ code: 'invalid_args' });
  });
});

describe('targets', () => {
  const tree = {
    ...named('src/a.py', 'src/b.csv', 'build/c', 'build/d/e.csv', 'f.csv', 'main'),
    '.gitignore': '*.csv\n/build/',
  };
  test.for<[string, Partial<Scene>, string[]]>([
    ['shows paths from what all have in common', { paths: ['src', 'main'] }, ['src/a.py', 'main']],
    ['shows one directory from the working directory', { paths: ['src'] }, ['src/a.py']],
    ['shows one file from the working directory', { paths: ['src/a.py'] }, ['src/a.py']],
    ['takes in a file whatever the rules say', { paths: ['f.csv', 'build/d/e.csv'] }, ['f.csv', 'build/d/e.csv']],
    ['walks a directory that is excluded, by the other rules', { paths: ['build'] }, ['build/c']],
    ['takes in no file twice', { paths: ['.', 'src', 'src/a.py', './main'] }, ['main', 'src/a.py']],
    [
      'finds other targets on its way',
      { paths: ['.', 'build', 'src/b.csv'] },
      ['main', 'src/a.py', 'src/b.csv', 'build/c'],
    ],
    ['shows paths from the root', { paths: ['src'], root: '.' }, ['src/a.py']],
  ])('%s', async ([, options, expected]) => {
    expect((await list({ files: tree, ...options })).found).toEqual(expected);
  });

  test('begin rules at themselves outside the working directory', async () => {
    const cwd = makeTempDirectory();
    makeTree(cwd, {
      'ws/.contextfiles': '!only\n!ext.txt',
      'out/.contextfiles': '!a.md',
      'out/ext/.contextfiles': '!only',
      'out/ext/.gitignore': '*.dat',
      'out/ext/only': '1',
      'out/ext/ext.txt': '1',
      'out/ext/a.md': '1',
      'out/ext/b.dat': '1',
      'ws/a': '1',
    });
    const { found } = await listIn(path.join(cwd, 'ws'), { paths: ['../out/ext'] });
    expect(found).toEqual(['a.md', 'ext.txt']);
    const both = await listIn(path.join(cwd, 'ws'), { paths: ['../out/ext', '.'] });
    expect(both.found).toEqual(['out/ext/a.md', 'out/ext/ext.txt', 'ws/a']);
  });

  test('read no .contextfiles above the root, but the .gitignore of a repository', async () => {
    const cwd = makeTempDirectory();
    makeTree(cwd, {
      '.git/HEAD': 'x',
      '.gitignore': '*.txt',
      'sub/a.txt': 'a',
      'sub/b.md': 'b',
      '.contextfiles': '!b.md',
    });
    expect((await listIn(path.join(cwd, 'sub'), {})).found).toEqual(['b.md']);
    fs.rmSync(path.join(cwd, '.git'), { recursive: true });
    expect((await listIn(path.join(cwd, 'sub'), {})).found).toEqual(['a.txt', 'b.md']);
  });

  test('show paths from the working directory, however many targets there are', async () => {
    const files = named('src/a', 'src/d/b', 'lib/c');
    expect((await list({ files, paths: ['src/d/b'] })).found).toEqual(['src/d/b']);
    expect((await list({ files, paths: ['src/a', 'src/d'] })).found).toEqual(['src/a', 'src/d/b']);
    expect((await list({ files, paths: ['src'] })).found).toEqual(['src/a', 'src/d/b']);
  });

  test('follow a link that is named, and show the path that it leads to', async () => {
    const cwd = makeTempDirectory();
    makeTree(cwd, { 'd/a': 'a', l: { symlink: 'd' }, m: { symlink: 'd/a' } });
    expect((await listIn(cwd, { paths: ['l', '.'] })).found).toEqual(['d/a']);
    expect((await listIn(cwd, { paths: ['m'] })).found).toEqual(['d/a']);
  });

  test.for<[string, string[], string | undefined, string]>([
    ['what is not there', ['nope'], undefined, 'Target path does not exist: nope (resolved to '],
    ['a root that is not there', ['.'], 'nope', "Provided project root 'nope' does not exist or is not a directory."],
    ['a root that is a file', ['.'], 'a', "Provided project root 'a' does not exist or is not a directory."],
    ['a target outside of the root', ['a'], 'd', ' is outside the specified project root '],
    ['a NUL', ['a\0b'], undefined, 'Target path does not exist'],
    ['a directory of secrets', ['.ssh'], undefined, 'holds secrets and is never taken in as a whole'],
  ])('refuse %s', async ([, paths, root, message]) => {
    const scene = { files: named('a', 'd/b', '.ssh/id'), paths, ...(root !== undefined && { root }) };
    await expect(list(scene)).rejects.toThrow(message);
  });

  test('refuse a directory of secrets outside, and take in its files by name', async () => {
    const cwd = makeTempDirectory();
    makeTree(cwd, { 'ws/a': 'a', '.aws/credentials': 'key' });
    const ws = path.join(cwd, 'ws');
    await expect(listIn(ws, { paths: ['../.aws'] })).rejects.toThrow('holds secrets');
    expect((await listIn(ws, { paths: ['../.aws/credentials'] })).found).toEqual(['credentials']);
    makeTree(cwd, { '.aws/sub/k': '' });
    await expect(listIn(ws, { paths: ['../.aws/sub'] })).rejects.toThrow('holds secrets');
    await expect(listIn(path.join(cwd, '.aws/sub'), {})).rejects.toThrow('holds secrets');
  });
});

test('explains every file and directory by rule, file and line', async () => {
  const told: Explanation[] = [];
  const files = {
    ...named('a', 'x.log', 'node_modules/y', 's/b.csv', 's/c', 's/gen/z', '.env', 'build/k', 'o/q'),
    '.gitignore': '\n/s/gen/',
    's/.gitignore': '*.csv',
    '.contextfiles': '# c\n!o/q',
  };
  await list({ files, rules: 'build/k', explain: (explanation) => void told.push(explanation) });
  const lines = Object.fromEntries(told.map(({ path: name, included, reason }) => [name, `${included} ${reason}`]));
  expect(lines).toMatchObject({
    a: 'true no rule matches',
    'x.log': 'false rule "!*.log" of built-in rules, line 20',
    node_modules: 'false rule "!node_modules/" of built-in rules, line 3',
    s: 'true no rule matches',
    's/gen': 'false rule "/s/gen/" of .gitignore, line 2',
    's/b.csv': 'false rule "*.csv" of s/.gitignore, line 1',
    'o/q': 'false rule "!o/q" of .contextfiles, line 2',
    '.env': 'false secret: no rule includes it',
    build: 'false rule "!build/" of built-in rules, line 12; excluded, but entered for a later rule',
    'build/k': 'true rule "build/k" of overrides, line 1',
  });
});

test('explains what lies below an ignored directory by the rule of that directory', async () => {
  const told: Explanation[] = [];
  const files = { ...named('gen/a/k', 'gen/a/b', 'gen/c'), '.gitignore': 'gen/' };
  await list({ files, rules: 'gen/a/k', explain: (explanation) => void told.push(explanation) });
  const lines = Object.fromEntries(told.map(({ path: name, included, reason }) => [name, `${included} ${reason}`]));
  const rule = 'rule "gen/" of .gitignore, line 1';
  expect(lines).toMatchObject({
    gen: `false ${rule}; excluded, but entered for a later rule`,
    'gen/a': `false ${rule}; excluded, but entered for a later rule`,
    'gen/a/k': 'true rule "gen/a/k" of overrides, line 1',
    'gen/a/b': `false ${rule}`,
    'gen/c': `false ${rule}`,
  });
});

const hasGit = spawnSync('git', ['--version']).status === 0;
const name = fc.constantFrom('a', 'b', 'ab', 'c.x', 'd.y', 'a.x');
const filePath = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '!', '/', '!/', '**/'),
    fc.constantFrom('a', 'b', 'ab', '*.x', 'a*', '*', 'a/b', 'a/*', 'a/**', '*/b', 'a/**/b', '?', '[ab]', '*b', 'c.?'),
    fc.constantFrom('', '', '/'),
  )
  .map((parts) => parts.join(''));
const ruleFile = fc.array(pattern, { maxLength: 6 }).map((lines) => lines.join('\n'));

test.skipIf(!hasGit)('lists what git does not ignore, from the top and from any directory', async () => {
  const cwd = makeTempDirectory();
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  const git = (...args: string[]) => spawnSync('git', args, { cwd, env, encoding: 'utf8' }).stdout;
  git('init', '-q');
  const scene = fc.record({
    files: fc.uniqueArray(filePath, { minLength: 1, maxLength: 15 }),
    rules: ruleFile,
    nested: fc.array(fc.tuple(filePath, ruleFile), { maxLength: 2 }),
  });
  const put = (file: string, text: string) => {
    try {
      makeTree(cwd, { [file]: text });
    } catch (error) {
      if (!['EEXIST', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  };
  await fc.assert(
    fc.asyncProperty(scene, async ({ files, rules, nested }) => {
      for (const entry of fs.readdirSync(cwd))
        if (entry !== '.git') fs.rmSync(path.join(cwd, entry), { recursive: true });
      for (const file of files) put(file, 'x');
      put('.gitignore', rules);
      for (const [file, text] of nested) put(`${path.dirname(file)}/.gitignore`, text);
      const wanted = git('ls-files', '-o', '-z', '--exclude-standard').split('\0').filter(Boolean);
      const visible = wanted.filter((file) => !file.endsWith('.gitignore'));
      const isVisible = (file: string) => !file.endsWith('.gitignore'); // Which is built in.
      expect((await listIn(cwd, {})).found.filter(isVisible).toSorted()).toEqual(visible.toSorted());
      const start = visible.find((file) => file.includes('/'))?.split('/')[0];
      if (start === undefined) return;
      const below = visible.filter((file) => file.startsWith(`${start}/`));
      expect((await listIn(cwd, { paths: [start] })).found.filter(isVisible).toSorted()).toEqual(below.toSorted());
    }),
    { numRuns: 80 / inject('runsDivisor') },
  );
});
