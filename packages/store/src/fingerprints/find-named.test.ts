import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findNamed, toPathPattern } from './find-named.ts';

const TREE = {
  'build.rs': '',
  'x/BUILD.RS': '',
  'x/build.rs.txt': '',
  '.hidden/.env.d/build.rs': '',
  '.git/build.rs': '',
  'node_modules/a/build.rs': '',
  'a/.cargo/config.toml': '',
  'b/config.toml': '',
  'c/.cargo': { symlink: '../b' },
  'd/Some.csproj': '',
  'd/csproj': '',
  'e/.cargo/': '',
  'f/gone.csproj': { symlink: 'nowhere' },
  'g/plugins/one.js': '',
  'g/plugins/two.ts': '',
} as const;

async function find(names: readonly string[]): Promise<string[]> {
  const root = makeTempDirectory();
  makeTree(root, TREE);
  const found = (await findNamed(root, names)) ?? [];
  return found.filter((file) => file.startsWith(root)).map((file) => file.slice(root.length + 1));
}

test.for<readonly [names: readonly string[], found: readonly string[]]>([
  [['build.rs'], ['.git/build.rs', '.hidden/.env.d/build.rs', 'build.rs', 'node_modules/a/build.rs', 'x/BUILD.RS']],
  [['.cargo/config.toml'], ['a/.cargo/config.toml', 'c/.cargo/config.toml']],
  [['*.csproj'], ['d/Some.csproj', 'f/gone.csproj']],
  [['g/plugins/'], ['g/plugins']],
  [['.cargo/'], ['a/.cargo', 'c/.cargo', 'e/.cargo']],
  [['plugins/*.js'], ['g/plugins/one.js']],
  [['node_modules/none/'], []],
])('finds %j wherever it lies', async ([names, expected]) => {
  expect(await find(names)).toEqual(expected);
});

test('finds what lies in a directory above, and not what lies beside that', async () => {
  const root = makeTempDirectory();
  makeTree(root, {
    'mark.xyz': '',
    'beside/mark.xyz': '',
    'top/middle/a': '',
    '.cargo/config.xyz': '',
    'top/mark.xyz/a': '',
  });
  const expected = [`${root}/.cargo/config.xyz`, `${root}/mark.xyz`];
  expect(await findNamed(`${root}/top/middle`, ['mark.xyz', '.cargo/config.xyz'])).toEqual(expected);
  expect(await findNamed(`${root}/top/middle`, ['*.xyz', '.cargo/*.xyz'])).toEqual(expected);
});

test('gives nothing for more than 5,000 files', async () => {
  const root = makeTempDirectory();
  makeTree(root, Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [`${i}.xyz`, ''])));
  expect(await findNamed(root, ['*.xyz'])).toBeUndefined();
  expect(await findNamed(root, ['*.xyz'], { first: true })).not.toHaveLength(0);
});

test.for<readonly [path: string, names: readonly string[], isMeant: boolean]>([
  ['build.rs', ['build.rs'], true],
  ['a/b/Build.rs', ['build.rs'], true],
  ['a/mybuild.rs', ['build.rs'], false],
  ['a/.cargo/config.toml', ['.cargo/config.toml'], true],
  ['a/config.toml', ['.cargo/config.toml'], false],
  ['a/X.csproj', ['*.csproj'], true],
  ['a/X.csproj/b', ['*.csproj'], false],
  ['buildSrc/src/a.kt', ['buildSrc/src/'], true],
  ['a/plugins/b/c.js', ['plugins/*.js'], false],
  ['a', [], false],
])('the path %s is named by %j: %s', ([path, names, isMeant]) => {
  expect(toPathPattern(names).test(path)).toBe(isMeant);
});
