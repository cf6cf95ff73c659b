import { expect, test } from 'vitest';
import { Glob } from './glob.ts';

test.each([
  ['*', 'abc', true],
  ['*', 'a/b', false],
  ['a*c', 'abbc', true],
  ['a*c', 'abcd', false],
  ['?', 'a', true],
  ['?', '/', false],
  ['?', '', false],
  ['a?', 'a', false],
  ['**/a', 'a', true],
  ['**/a', 'x/y/a', true],
  ['**/a', 'xa', false],
  ['a/**/b', 'a/b', true],
  ['a/**/b', 'a/x/y/b', true],
  ['a/**/b', 'ab', false],
  ['a/**', 'a/x/y', true],
  ['a/**', 'a', false],
  ['a**/b', 'ax/y/b', true],
  ['a**b', 'axb', true],
  ['a**b', 'a/b', false],
  ['x/*a*b/**/c', 'x/zazb/q/c', true],
  ['a/**\\/b', 'a/x/b', true],
  ['a/**\\/b', 'a/b', false],
  ['[a-c]', 'b', true],
  ['[!a-c]', 'b', false],
  ['[^a]', 'b', true],
  ['[]]', ']', true],
  ['[]-a]', '^', true],
  ['[a-]', '-', true],
  ['[\\]]', ']', true],
  ['[\\a-\\c]', 'b', true],
  ['[c-a]', 'c', true],
  ['[c-a]', 'b', false],
  ['[!a]', '/', false],
  ['[[:digit:]x]', '7', true],
  ['[[:digit:]x]', ':', false],
  ['[[:x]', ':', true],
  ['[[:]', '[', true],
  ['\\*', '*', true],
  ['\\*', 'a', false],
])('%s against %s is %s', (pattern, text, expected) => {
  expect(Glob.parse(pattern)?.matches(text)).toBe(expected);
});

test.each(['[', '[]', '[!', '[a', '[a-', '[\\', 'a\\', '[[:alpha:]', '[[:nothing:]]', '[[::]]', '[[:constructor:]]'])(
  '%s matches nothing',
  (pattern) => {
    expect(Glob.parse(pattern)).toBeUndefined();
  },
);

test('takes no power of the length of a hostile pattern', () => {
  const stars = Glob.parse(`${'*a'.repeat(100)}*b`);
  const depths = Glob.parse(`${'**/a/'.repeat(100)}b`);
  expect(stars?.matches('a'.repeat(250))).toBe(false);
  expect(depths?.matches(`${'a/'.repeat(250)}c`)).toBe(false);
});
