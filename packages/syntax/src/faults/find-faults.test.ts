import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { isOutline, openSyntax, reportFaults } from '../index.ts';

const syntax = openSyntax();

/** The errors of a text, each as its line and message. */
async function errorsOf(text: string, language = 'python'): Promise<string[]> {
  const content = Buffer.from(text);
  const outline = await syntax.outline(content, language);
  if (!isOutline(outline)) throw new Error(outline.message);
  return reportFaults(content, outline.faults).map(({ line, message }) => `${line}: ${message}`);
}

const EMPTY = 'missing an indented block';
const MISFIT = 'the indentation does not fit the lines around it';

test.for([
  ['a block without lines', 'if x:\ntotal\n', [`1: ${EMPTY}`]],
  ['a block of comments', 'def f(a,\n      b):\n    # c\nd\n', [`1: ${EMPTY}`]],
  ['a method without lines', 'class A:\n    def f(self):\n    x = 1\n', [`2: ${EMPTY}`]],
  ['a clause without lines', 'try:\n    a\nexcept E:\nb\n', [`3: ${EMPTY}`]],
  ['a line that is deeper than the one before', 'a = 1\n    b = 2\n', [`2: ${MISFIT}`]],
  ['a line deeper than the end of a block', 'if x: a; b\n    c\n', [`2: ${MISFIT}`]],
  ['a line that comes back to no block', 'if x:\n        a\n    b\nc\n', [`3: ${MISFIT}`]],
  ['a clause that comes back to no statement', 'if x:\n    a\n  else:\n    b\n', [`3: ${MISFIT}`]],
  ['a function beside its decorator', '@d\n  def f(): pass\n', [`2: ${MISFIT}`]],
  ['a file that begins with a blank', ' a = 1\n', [`1: ${MISFIT}`]],
  ['tabs that are deeper only if they are wide', 'if x:\n        if y:\n\t\ta\n', [`3: ${MISFIT}`]],
  ['tabs that stand for blanks', 'if x:\n\ta\n        b\n', [`3: ${MISFIT}`]],
] as const)('finds %s', async ([, text, errors]) => {
  expect(await errorsOf(text)).toEqual(errors);
});

test.for([
  ['lines within brackets and strings', 'x = (1,\n2)\nif x:\n    """a\nb"""\n    f(\n1)\n'],
  ['lines that go on', 'if x and \\\n   y:\n  a = \\\n1; \\\n b = 2\n  c\n'],
  ['comments anywhere', '  # a\nif x:\n # b\n    c\n  # d\n'],
  ['blocks of different widths', 'if x:\n a\nelse:\n\tb\n\tif c:\n\t  d\n'],
  ['a form feed', 'if x:\n    a\n\f\n\fb\n'],
  ['lines that end with CR and LF', 'if x:\r\n    a\r\n    b\r\n'],
  ['a byte order mark', '\ufeffif x:\n    a\nb\n'],
  ['a match', 'match x:\n  case 1:\n    y\n  case 2: z\n'],
])('takes %s', async ([, text]) => {
  expect(await errorsOf(text as string)).toEqual([]);
});

test('tells a hundred errors', async () => {
  expect(await errorsOf('if x:\ny\n'.repeat(150))).toHaveLength(100);
});

test('takes blocks that nest as deeply as the grammar allows', async () => {
  const nested = Array.from({ length: 500 }, (_, i) => `${' '.repeat(i)}if x:\n`).join('');
  expect(await errorsOf(`${nested}${' '.repeat(500)}y\n`)).toEqual([]);
});

const PYTHON = `
import json, sys
def fails(text):
    try:
        compile(text, 'f', 'exec')
    except SyntaxError as error:
        return 'indentation' if isinstance(error, IndentationError) else 'syntax'
    return ''
print(json.dumps([fails(text) for text in json.load(sys.stdin)]))`;

test.skipIf(spawnSync('python3', ['--version']).status !== 0)('refuses what Python refuses', async () => {
  const indent = fc.constantFrom('', ' ', '  ', '    ', '\t', '\t ', ' \t', '        ', '\f', '    \f');
  const words = ['a', 'b', 'if x:', 'if x: a', 'else:', 'for y in x:', 'def f():', '@d', '# c', '', 'class A:', 'try:'];
  const line = fc.tuple(indent, fc.constantFrom(...words, 'finally:', 'while x:', 'f(1,', ')', 'x = \\'));
  const text = fc.array(line, { maxLength: 7 }).map((lines) => lines.map((parts) => `${parts.join('')}\n`).join(''));
  const texts = fc.sample(text, 2_000 / inject('runsDivisor'));
  const { stdout } = spawnSync('python3', ['-c', PYTHON], { input: JSON.stringify(texts), encoding: 'utf8' });
  const refused = JSON.parse(stdout) as string[];
  for (const [i, each] of texts.entries()) {
    const errors = await errorsOf(each);
    const isOurs = errors.some((error) => error.endsWith(EMPTY) || error.endsWith(MISFIT));
    // Where the grammar finds other errors, the indentation is not looked at.
    if (isOurs) expect([each, refused[i]]).not.toEqual([each, '']);
    else if (errors.length === 0) expect([each, refused[i]]).not.toEqual([each, 'indentation']);
  }
});

test.for([
  ['a recipe', 'make', 'all:\n\techo a\n    echo b\n', 'unexpected echo b'],
  ['a first line of a recipe', 'make', 'all:\n    $(CC) -o x x.c\n', 'unexpected $(CC) -o x x.c'],
  ['a mapping', 'yaml', 'a:\n  b: 1\n c: 2\n', 'something is missing here'],
  ['a tab in a mapping', 'yaml', 'a:\n\tb: 1\n', 'something is missing here'],
])('the grammar sees the wrong indentation of %s', async ([, language, text, message]) => {
  expect(await errorsOf(text as string, language)).toEqual([expect.stringContaining(message as string)]);
});
