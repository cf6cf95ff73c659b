import { isSensitiveSegment } from '@jinn/core';
import fc from 'fast-check';
import createIgnore from 'ignore';
import { expect, test } from 'vitest';
import { compileExtensionFilter, compileNameFilter, DirectoryNames, FileNames } from './names.ts';

const atom = fc.constantFrom('a', 'b', '.', '*', '**', '?', '[ab]', '[!a]', '\\\\', '\\a', '+', '(', '$', '-');
const pattern = fc.array(atom, { minLength: 1, maxLength: 5 }).map((atoms) => atoms.join(''));
const name = fc
  .array(fc.constantFrom('a', 'b', '.', '+', '(', '$', '-', '\\'), { minLength: 1, maxLength: 4 })
  .map((atoms) => atoms.join(''))
  .filter((text) => text !== '.' && text !== '..');

test('a filter lets every name through that a pattern matches', () => {
  const matches = (text: string, file: string) =>
    createIgnore({ ignorecase: false, allowRelativePaths: true }).add(text).ignores(file);
  fc.assert(
    fc.property(
      fc.array(pattern, { maxLength: 3 }),
      fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
      (patterns, names) => {
        const matched = names.filter((file) => patterns.some((text) => matches(text, file)));
        const found = FileNames.of(names).thatMightMatch(compileNameFilter(patterns));
        expect(found).toEqual(expect.arrayContaining(matched));
        expect(names).toEqual(expect.arrayContaining(found));
      },
    ),
    { numRuns: 500 },
  );
});

test.for<[string, string[], string[]]>([
  ['*.log', ['a.ts', 'b.md'], []],
  ['*.log', ['a.log', 'b', '.log'], ['a.log', '.log']],
  ['log.*', ['log', 'alog.x'], []],
  ['log.*', ['log.x', 'log.y'], ['log.x', 'log.y']],
  ['*.py[cod]', ['a.py', 'b.pyc', 'c.rs'], ['a.py', 'b.pyc']],
  ['a?c', ['abc', 'b'], ['abc']],
  ['*b*', ['abc', 'bb', 'a', 'b'], ['abc', 'bb', 'b']],
  ['LICENSE', ['LICENSES', 'LICENSE'], ['LICENSE']],
  ['*', ['a', 'b'], ['a', 'b']],
  ['*', [], []],
  ['a', [], []],
])('the filter of %s lets through, of %j, %j', ([text, names, expected]) => {
  expect(FileNames.of(names).thatMightMatch(compileNameFilter([text]))).toEqual(expected);
});

test('a filter of no pattern lets nothing through', () => {
  expect(FileNames.of(['a']).thatMightMatch(compileNameFilter([]))).toEqual([]);
});

test('plain names are no secrets', () => {
  const secret = fc.constantFrom('.git', '.GIT', '.env', '.env.local', '.g\u00adit', '\uff0egit', '.ſsh', 'git', 'env');
  fc.assert(
    fc.property(fc.oneof(secret, fc.string(), name), (text) => {
      const one = text.replaceAll('/', '');
      if (one !== '' && isSensitiveSegment(one)) expect(FileNames.of(['a', one]).isPlain).toBe(false);
    }),
    { numRuns: 1_000 },
  );
  expect(['a.b', '.a', 'é', 'a\n'].map((one) => FileNames.of([one]).isPlain)).toEqual([true, false, false, false]);
  expect(DirectoryNames.of([{ name: '.a', kind: 'directory' }]).isPlain).toBe(false);
});

test('names answer questions about all of them at once', () => {
  const names = FileNames.of(['a.ts', 'b.md', 'c.ts']);
  expect(names.endingIn('.ts')).toEqual(['a.ts', 'c.ts']);
  expect(names.without(new Set(['a.ts', 'x'])).toArray()).toEqual(['b.md', 'c.ts']);
  expect(['b.md', 'b', 'md'].map((one) => names.has(one))).toEqual([true, false, false]);
  expect([names.count, FileNames.NONE.count]).toEqual([3, 0]);
  expect(names.allHave(compileExtensionFilter(['ts', 'md']))).toBe(true);
  expect(names.allHave(compileExtensionFilter(['ts']))).toBe(false);
  expect(FileNames.of(['ts']).allHave(compileExtensionFilter(['ts']))).toBe(false);
});
