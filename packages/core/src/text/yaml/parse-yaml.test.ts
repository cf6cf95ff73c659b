import { expect, test } from 'vitest';
import { parseYaml } from './parse-yaml.ts';

test.for([
  ['nothing', '', undefined],
  ['a comment', ' # a', undefined],
  ['an empty document', '---\n', null],
  ['a list in brackets', 'a: [b, 1, ~]', { a: ['b', 1, null] }],
  ['merged keys', 'a: &x\n  b: 1\nc:\n  <<: *x\n  d: 2', { a: { b: 1 }, c: { b: 1, d: 2 } }],
] as const)('reads %s', ([, text, expected]) => {
  expect(parseYaml(text)).toEqual(expected);
});

test('leaves scalars as they are written', () => {
  expect(parseYaml('a: 1\nb: true\nc: [1.10, 2020-01-01]\nd: 0x1F\ne: ~', { onlyTexts: true })).toEqual({
    ...{ a: '1', b: 'true', c: ['1.10', '2020-01-01'], d: '0x1F', e: null },
  });
});

test.for([
  ['a key that comes twice', 'a: 1\na: 2'],
  ['a tag of a language', 'a: !!js/function "function () {}"'],
  ['a second document', 'a: b\n---\nc: d'],
  ['an alias of nothing', 'a: *b'],
  ['a value that nests too deeply', `a: ${'['.repeat(65)}${']'.repeat(65)}`],
])('refuses %s', ([, text = '']) => {
  expect(() => parseYaml(text)).toThrow();
});

test('reads aliases of aliases as shared values', () => {
  const lines = Array.from({ length: 60 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`);
  expect(parseYaml(`a0: &a0 [b]\n${lines.join('\n')}`)).toHaveProperty('a0', ['b']);
});

test('sets __proto__ as a key of its own', () => {
  const value = parseYaml('__proto__: {b: 1}') as object;
  expect(Object.keys(value)).toEqual(['__proto__']);
  expect(value).not.toHaveProperty('b');
});
