import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeStripped, reindent, withLineEnds } from './code-text.ts';

test.for([
  ['the same indentation', '  a {\n    b\n  }', '  ', 'a {\n    b\n  }'],
  ['more', '      a {\n        b\n      }', '  ', 'a {\n    b\n  }'],
  ['less', '  a {\n    b\n  }', '    ', 'a {\n      b\n    }'],
  ['none', 'a {\n  b\n}', '    ', 'a {\n      b\n    }'],
  ['none, for the top', 'a {\n  b\n}', '', 'a {\n  b\n}'],
  ['none, without a closing line', 'def a():\n    b', '    ', 'def a():\n        b'],
  [
    'none, and a nested last line',
    'def a():\n    for b in c:\n        d',
    '    ',
    'def a():\n        for b in c:\n            d',
  ],
  ['none, and a parameter a line', 'def a(\n    b,\n):\n    c', '    ', 'def a(\n        b,\n    ):\n        c'],
  ['tabs', 'a {\n\tb\n}', '\t', 'a {\n\t\tb\n\t}'],
  ['blank lines around', '\n\na\n\n', '  ', 'a'],
  ['blank lines within', 'a {\n\n  b\n   \n}', '  ', 'a {\n\n    b\n\n  }'],
] as const)('takes code with %s', ([, code, indent, expected]) => {
  expect(reindent(code, indent)).toBe(expected);
});

test.for([
  ['a closing line', 'a {\n      b\n    }', 'likely'],
  ['a deeper body', 'def a():\n        b', 'likely'],
  ['a body at the level of the place', 'def a():\n    for b in c:\n        d', 'perhaps'],
  ['a decorator', '@a\n    def b():\n        c', 'perhaps'],
  ['a line further out', 'a {\n      b\n  }', 'none'],
  ['an indentation of its own', '    a {\n      b\n    }', 'none'],
  ['one line', 'a', 'none'],
] as const)('judges whether the indentation of the first line is lost: %s', ([, code, expected]) => {
  expect(judgeStripped(code, '    ')).toBe(expected);
});

test('changes nothing of code that has the indentation of its place', () => {
  const line = fc.stringMatching(/^ {0,6}[a-z{}]{0,4}$/);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.constantFrom('', '  ', '\t'), (lines, indent) => {
      const code = [`${indent}first`, ...lines, 'last'].join('\n');
      expect(indent + reindent(code, indent)).toBe(code);
    }),
  );
});

test('takes the line ends of the file', () => {
  expect(withLineEnds('a\nb', Buffer.from('x\r\ny\n'))).toBe('a\r\nb');
  expect(withLineEnds('a\nb', Buffer.from('x\ny\r\n'))).toBe('a\nb');
  expect(withLineEnds('a\nb', Buffer.from(''))).toBe('a\nb');
});
