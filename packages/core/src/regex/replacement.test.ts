// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it stands for a group in a replacement

import { expect, test } from 'vitest';
import { ToolError } from '../errors/index.ts';
import { compilePattern } from './compile-pattern.ts';
import { parseReplacement } from './replacement.ts';

function parse(text: string, pattern = '(a)(?P<n>b)') {
  return parseReplacement(text, compilePattern({ pattern, caseInsensitive: false, lines: 'across', suggestion: '' }));
}

function refusal(text: string, pattern?: string): string {
  try {
    parse(text, pattern);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'invalid_args') return `${error.message}; ${error.suggestion}`;
    throw error;
  }
  throw new Error(`${text} was taken`);
}

test.for([
  ['$1', [1]],
  ['x$2y$1', ['x', 2, 'y', 1]],
  ['${1}0', [1, '0']],
  ['$<n>${n}$<2>', [2, 2, 2]],
  ['$$1', ['$', 1]],
  ['', []],
] as const)('takes the groups of %s', ([text, parts]) => {
  expect(parse(text)).toEqual(parts);
});

test('takes numbers of two digits', () => {
  expect(parse('$11$100', '()'.repeat(12))).toEqual([11, 10, '0']);
  expect(parse('$99', '()'.repeat(99))).toEqual([99]);
});

test.for([
  "$'",
  '$`',
  '$$',
  '$',
  '$x',
  '$n',
  '${}',
  '${a b}',
  '${n:-x}',
  '${$',
  '$<n',
  '${n',
  '\\x',
  '\\\\',
  '\\$',
  '\\k<n>',
])('takes %s as text', (text) => {
  expect(parse(`a${text}`)).toEqual([`a${text}`]);
});

const LITERAL = ', or pass literal_replacement: true if the replacement is plain text (nothing was changed)';

test.for([
  ['\\1', 'replacement: \\1 stands for no group here; write $1 instead'],
  ['\\\\2', 'replacement: \\2 stands for no group here; write $2 instead'],
  ['\\g<1>', 'replacement: \\g<1> stands for no group here; write $1 instead'],
  ['\\g<n>', 'replacement: \\g<n> stands for no group here; write ${n} instead'],
  ['\\g<0>', 'replacement: \\g<0> has no meaning here; put ( ) around the whole pattern, and write $1 for the match'],
  ['$&', 'replacement: $& has no meaning here; put ( ) around the whole pattern, and write $1 for the match'],
  ['$0', 'replacement: $0 has no meaning here; put ( ) around the whole pattern, and write $1 for the match'],
  ['${0}', 'replacement: ${0} has no meaning here; put ( ) around the whole pattern, and write $1 for the match'],
  ['\\0', 'replacement: \\0 has no meaning here; put ( ) around the whole pattern, and write $1 for the match'],
  ['\\&', 'replacement: \\& has no meaning here; put ( ) around the whole pattern, and write $1 for the match'],
  ['a\\nb', 'replacement: \\n has no meaning here; write a real line break, which is \\n once in JSON, not \\\\n'],
  [
    '\\r\\n',
    'replacement: \\r has no meaning here; write a real line break, which is \\n once in JSON, not \\\\n: it becomes the line end of the file',
  ],
  ['\\t', 'replacement: \\t has no meaning here; write a real tab, which is \\t once in JSON, not \\\\t'],
  ['\\gx', 'replacement: \\g has no meaning here; write $1 or ${name} for a group'],
  ['$3', 'replacement: $3: the pattern has no such group; its groups are $1 ${n}'],
  ['\\3', 'replacement: \\3: the pattern has no such group; its groups are $1 ${n}'],
  ['$<m>', 'replacement: $<m>: the pattern has no such group; its groups are $1 ${n}'],
  ['${constructor}', 'replacement: ${constructor}: the pattern has no such group; its groups are $1 ${n}'],
  ['US$100', 'replacement: $10: the pattern has no such group; write ${1}0 for group 1 before a 0'],
] as const)('refuses %s', ([text, message]) => {
  expect(refusal(text)).toBe(message + LITERAL);
});

test('says how to make a group, and names no more than ten', () => {
  expect(refusal('$1', 'a')).toContain('; put ( ) around a part of the pattern, and write $1 for it,');
  expect(refusal('$13', '()'.repeat(12))).toContain('write ${1}3 for group 1 before a 3');
  expect(refusal('$<x>', '()'.repeat(12))).toContain('its groups are $1 $2 $3 $4 $5 $6 $7 $8 $9 $10,');
  expect(refusal(`\${${'x'.repeat(1_000)}}`).length).toBeLessThan(300);
});
