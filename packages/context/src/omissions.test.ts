import { execFileSync } from 'node:child_process';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { listFiles } from './list.ts';
import type { CollectOptions } from './targets/collect.ts';
import { planNamedTargets } from './targets/targets.ts';
import { estimate } from './tokens/tokens.ts';

type Files = Readonly<Record<string, string>>;

async function listIn(cwd: string, { paths = ['.'], ...options }: Partial<CollectOptions> & { paths?: string[] } = {}) {
  const plan = planNamedTargets({ paths, root: undefined, cwd });
  const found: string[] = [];
  const told: string[] = [];
  const base = { opensNamed: true, checkpoint: async () => {}, warn: () => {}, counter: estimate };
  const onOmissions = (sentence: string) => void told.push(sentence);
  await listFiles(plan, { ...base, onOmissions, ...options }, { take: ({ path }) => void found.push(path) });
  plan.close();
  return { found, told };
}

async function list(files: Files, options: Parameters<typeof listIn>[1] = {}) {
  const cwd = makeTempDirectory();
  makeTree(cwd, files);
  return listIn(cwd, options);
}

function makeRepository(files: Files, tracked = ['.']): string {
  const cwd = makeTempDirectory();
  makeTree(cwd, files);
  execFileSync('git', ['init', '-q'], { cwd });
  execFileSync('git', ['add', '--force', ...tracked], { cwd });
  return cwd;
}

const LOCK = '{"name":"left-pad","version":"1.3.0"},\n'.repeat(200);
const PROJECT: Files = {
  'index.js': 'start();\n',
  'package-lock.json': LOCK,
  'lib/Cargo.lock': LOCK,
  'go.sum': LOCK,
  'conan.lock': LOCK,
  'Manifest.toml': 'julia_version = "1.11.0"\n'.repeat(50),
  'dist.min.js': 'x',
  'app.js.map': '{}',
  'api.pb.go': 'package api',
  'small.svg': '<svg/>',
  'large.svg': `<svg>${'<path/>'.repeat(2_000)}</svg>`,
  'vendor/modules.txt': 'x',
  'vendor/github.com/a/b.go': 'package a',
  'src/vendor/model.ts': 'export class Vendor {}',
  'third_party/parties.ts': 'export class Party {}',
};
const WANTED = ['index.js', 'small.svg', 'src/vendor/model.ts', 'third_party/parties.ts'];

describe('what tells next to nothing', () => {
  test('is left out, with one sentence that says how much it was', async () => {
    const { found, told } = await list(PROJECT);
    expect(found).toEqual(WANTED);
    expect(told).toHaveLength(1);
    const [, files, tokens] = /^omitted (\d+) lock, .*files \(about (\d+) tokens\)$/.exec(told[0] ?? '') ?? [];
    expect(Number(files)).toBe(11);
    const all = Object.entries(PROJECT).filter(([name]) => !WANTED.includes(name));
    const counted = all.reduce((sum, [, text]) => sum + estimate.count(Buffer.from(text)), 0);
    expect(Number(tokens)).toBeGreaterThan(counted * 0.95);
    expect(Number(tokens)).toBeLessThan(counted * 1.05);
  });

  test('is left out of a large tree too, which is listed by its names', async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`d/${i}.js`, 'x']));
    const { found, told } = await list({ ...PROJECT, ...many });
    expect(found.filter((path) => !path.startsWith('d/'))).toEqual(WANTED);
    expect(told[0]).toContain('omitted 11 ');
  });

  test.for<[string, Partial<CollectOptions> & { paths?: string[] }, string[]]>([
    ['without the built-in rules', { noDefaults: true }, Object.keys(PROJECT)],
    [
      'named by a rule',
      { overrides: { file: 'o', content: Buffer.from('go.sum\nvendor/') } },
      [...WANTED, 'go.sum', 'vendor/modules.txt', 'vendor/github.com/a/b.go'],
    ],
    ['asked for by its glob', { include: ['*.svg'] }, ['small.svg', 'large.svg']],
    ['asked for by its name', { include: ['lib/Cargo.lock', 'go.sum'] }, ['go.sum', 'lib/Cargo.lock']],
    ['kept by its name', { keepOnly: ['dist.min.js'] }, ['dist.min.js']],
    ['not asked for by a wider glob', { include: ['*.js', '*.go', '*'] }, WANTED],
    [
      'named as a target',
      { paths: ['go.sum', 'vendor'] },
      ['go.sum', 'vendor/modules.txt', 'vendor/github.com/a/b.go'],
    ],
  ])('is taken in %s', async ([, options, expected]) => {
    const { found, told } = await list(PROJECT, options);
    expect(found.toSorted()).toEqual(expected.toSorted());
    if (options.noDefaults) expect(told).toEqual([]);
  });

  test('is what .gitattributes says, file by file', async () => {
    const { found, told } = await list({
      'api/client.ts': 'x',
      'api/hand.ts': 'x',
      'lib/jquery.js': 'x',
      'own.lock/a': 'x',
      'Cargo.lock': 'x',
      'sub/gen.ts': 'x',
      'sub/deep/gen.ts': 'x',
      'quoted name': 'x',
      '.gitattributes': [
        '# a comment',
        '[attr]macro linguist-generated',
        '* text=auto eol=lf',
        'api/** linguist-generated',
        'api/hand.ts -linguist-generated',
        'lib/*.js text linguist-vendored=true',
        'Cargo.lock linguist-generated=false',
        'own.lock linguist-generated',
      ].join('\n'),
      'sub/.gitattributes': '/gen.ts linguist-generated\r\n',
    });
    expect(found).toEqual(['Cargo.lock', 'quoted name', 'api/hand.ts', 'own.lock/a', 'sub/deep/gen.ts']);
    expect(told[0]).toContain('omitted 3 ');
  });

  test('is not read from the .gitattributes of a target’s own files with --no-defaults', async () => {
    const files = { 'a.ts': 'x', '.gitattributes': 'a.ts linguist-generated' };
    expect((await list(files, { noDefaults: true })).found).toEqual(['.gitattributes', 'a.ts']);
  });
});

describe('what git tracks', () => {
  const FILES: Files = {
    'src/core/output/format.ts': 'x',
    'src/core/output/deep/write.ts': 'x',
    'src/bin/tool.rs': 'x',
    'build/out.js': 'x',
    'error.log': 'x',
    LICENSE: 'MIT',
    '.github/workflows/ci.yml': 'on: push',
  };

  test('is taken in from directories whose names the built-in rules leave out', async () => {
    const tracked = ['src', 'error.log', 'LICENSE', '.github'];
    const { found, told } = await listIn(makeRepository(FILES, tracked));
    expect(found).toEqual([
      'error.log',
      'src/bin/tool.rs',
      'src/core/output/format.ts',
      'src/core/output/deep/write.ts',
    ]);
    expect(told).toEqual(['skipped by name, although git tracks them: .* (1), LICENSE (1)']);
  });

  test('is taken in from hidden names and LICENSE where a rule names it, or without the built-in rules', async () => {
    const cwd = makeRepository(FILES);
    const rules = { file: 'o', content: Buffer.from('LICENSE\n.github/') };
    for (const options of [{ overrides: rules }, { noDefaults: true }]) {
      expect((await listIn(cwd, options)).found).toEqual(
        expect.arrayContaining(['LICENSE', '.github/workflows/ci.yml']),
      );
    }
  });

  test('is named in a line that has room for the advice of the caller', async () => {
    const rules = [
      'LICENSE',
      'COPYING',
      '.a',
      'a.log',
      'a.zip',
      'a.tar',
      'a.gz',
      'a.tmp',
      'a.bak',
      'a.swp',
      'logs/a',
      'tmp/a',
    ];
    const { told } = await listIn(makeRepository(Object.fromEntries(rules.map((name) => [name, 'x']))));
    expect(told).toHaveLength(1);
    expect(told[0]?.length).toBeLessThanOrEqual(70);
    expect(told[0]).toMatch(/^skipped by name, although git tracks them: .* and \d+ more$/);
  });

  test('takes in nothing beside it', async () => {
    const cwd = makeRepository(FILES, ['build/out.js']);
    makeTree(cwd, { 'build/untracked.js': 'x', 'build/d/untracked.js': 'x' });
    expect((await listIn(cwd)).found).toEqual(['build/out.js']);
    expect((await list({ ...FILES })).found).toEqual([]);
  });

  test('is known below the top of the repository, and in one that lies below', async () => {
    const cwd = makeRepository({ ...FILES, 'sub/bin/x.rs': 'x' });
    expect((await listIn(`${cwd}/src`)).found).toEqual([
      'bin/tool.rs',
      'core/output/format.ts',
      'core/output/deep/write.ts',
    ]);
    const outer = makeTempDirectory();
    makeTree(outer, { 'bin/none.rs': 'x' });
    makeTree(`${outer}/inner`, FILES);
    execFileSync('git', ['init', '-q'], { cwd: `${outer}/inner` });
    execFileSync('git', ['add', 'src'], { cwd: `${outer}/inner` });
    expect((await listIn(outer)).found).toEqual([
      'inner/src/bin/tool.rs',
      'inner/src/core/output/format.ts',
      'inner/src/core/output/deep/write.ts',
    ]);
  });

  test('stays out where an exclusion says so', async () => {
    const cwd = makeRepository(FILES);
    expect((await listIn(cwd, { not: ['output,bin'] })).found).toEqual(['error.log', 'build/out.js']);
  });
});
