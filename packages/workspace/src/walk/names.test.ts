import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { isSensitiveSegment } from '../secrets/secret-names.ts';
import { DirectoryNames } from './names.ts';

const namesOf = (...files: readonly string[]) => new DirectoryNames(files.map((name) => ({ name, kind: 'file' })));

test('plain names are no secrets', () => {
  const secret = fc.constantFrom('.git', '.GIT', '.env', '.env.local', '.g\u00adit', '\uff0egit', '.ſsh', 'git', 'env');
  fc.assert(
    fc.property(fc.oneof(secret, fc.string()), (text) => {
      const one = text.replaceAll('/', '');
      if (one !== '' && isSensitiveSegment(one)) expect(namesOf('a', one).oddFiles).toEqual([one]);
    }),
    { numRuns: 1_000 / inject('runsDivisor') },
  );
  expect(namesOf('a.b', '.a', '#a', 'é', 'a\n', 'a#~').oddFiles).toEqual(['#a', '.a', 'a\n', 'é']);
});

test('a directory knows its names, whatever they look like', () => {
  const names = new DirectoryNames([
    { name: 'b.ts', kind: 'file' },
    { name: '.git', kind: 'directory' },
    { name: '.a', kind: 'file' },
    { name: 'l', kind: 'link' },
  ]);
  expect(['b.ts', '.git', '.a', 'l', 'b', '.ts', 'a'].filter((name) => names.has(name))).toEqual([
    'b.ts',
    '.git',
    '.a',
    'l',
  ]);
  expect(names.files).toEqual(['.a', 'b.ts']);
  expect(names.inOrder.map(({ name }) => name)).toEqual(['.a', '.git', 'b.ts', 'l']);
  expect(names.count).toBe(4);
});
