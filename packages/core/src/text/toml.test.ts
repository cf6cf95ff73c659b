import { expect, test } from 'vitest';
import { parseToml } from './toml.ts';

test('parses TOML', () => {
  expect(parseToml('[tool.a]\nb = [1, "c"]\n')).toEqual({ tool: { a: { b: [1, 'c'] } } });
});

test.for([
  ['what is not TOML', 'a = \n'],
  ['a key that stands twice', 'a = 1\na = 2\n'],
  ['what nests too deeply', `a = ${'['.repeat(101)}${']'.repeat(101)}\n`],
])('refuses %s', ([, text]) => {
  expect(() => parseToml(text as string)).toThrow();
});
