import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { programVersion } from './program-version.ts';

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
