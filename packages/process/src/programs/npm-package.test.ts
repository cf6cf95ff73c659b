import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { installedVersion, packageOf, programVersion, withDependencies } from './npm-package.ts';

const SCRIPT = (target: string) => ({
  content: `#!/bin/sh\nbasedir=$(dirname "$0")\nexec node "$basedir/${target}" "$@"\n`,
  mode: 0o755,
});

function scene(): string {
  const root = makeTempDirectory();
  makeTree(root, {
    'node_modules/one/package.json': '{"name":"one","version":"1.2.3","dependencies":{"two":"*","missing":"*"}}',
    'node_modules/one/bin/one.js': '',
    'node_modules/one/node_modules/two/package.json': '{"name":"two","peerDependencies":{"@x/three":"*","one":"*"}}',
    'node_modules/two/package.json': '{"name":"two"}',
    'node_modules/@x/three/package.json': '[',
    'node_modules/@x/three/cli.js': '',
    'node_modules/.bin/one': { symlink: '../one/bin/one.js' },
    'node_modules/.bin/three': SCRIPT('../@x/three/cli.js'),
    'node_modules/.bin/none': SCRIPT('../gone/cli.js'),
    'tool.sh': SCRIPT('../one/bin/one.js'),
  });
  return root;
}

test.for([
  ['a link', '.bin/one', 'one'],
  ['a script of pnpm', '.bin/three', '@x/three'],
  ['the program itself', 'one/bin/one.js', 'one'],
] as const)('finds the package of a program behind %s', ([, program, expected]) => {
  const root = scene();
  expect(packageOf(`${root}/node_modules/${program}`)).toBe(`${root}/node_modules/${expected}`);
});

test('finds no package for other programs', () => {
  const root = scene();
  for (const name of ['tool.sh', 'node_modules/.bin/none', 'gone'])
    expect(packageOf(`${root}/${name}`)).toBeUndefined();
});

test('finds what a package depends on as Node does, once each', () => {
  const root = `${scene()}/node_modules`;
  expect(withDependencies(`${root}/one`)).toEqual([`${root}/one`, `${root}/one/node_modules/two`, `${root}/@x/three`]);
});

test('tells the version of a package of the name alone', () => {
  const root = `${scene()}/node_modules`;
  expect(['one', 'two'].map((name) => installedVersion(`${root}/one/bin/one.js`, name))).toEqual(['1.2.3', undefined]);
  expect(installedVersion(`${root}/@x/three/cli.js`, 'three')).toBeUndefined();
});

const SAYS = (version: string) => ({ content: `#!/bin/sh\necho "Version ${version}"\n`, mode: 0o755 });

test('the package of a program says its version', async () => {
  const root = makeTempDirectory();
  makeTree(root, {
    'pkg/package.json': '{"name":"thing","version":"7.1.2"}',
    'pkg/bin/thing': SAYS('1.0.0'),
    thing: { symlink: 'pkg/bin/thing' },
  });
  expect(await programVersion(`${root}/thing`, 'thing', {})).toBe('7.1.2');
  expect(await programVersion(`${root}/thing`, 'other', {})).toBe('1.0.0');
});

test('a program without a package is asked', async () => {
  const root = makeTempDirectory();
  makeTree(root, { thing: SAYS('5.9.3'), silent: { content: '#!/bin/sh\nexit 1\n', mode: 0o755 } });
  expect(await programVersion(`${root}/thing`, 'thing', {})).toBe('5.9.3');
  expect(await programVersion(`${root}/silent`, 'silent', {})).toBeUndefined();
});
