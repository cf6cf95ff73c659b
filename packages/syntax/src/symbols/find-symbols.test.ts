import { describe, expect, test } from 'vitest';
import { findSymbols, isOutline, type Outline, openSyntax, symbolAt, symbolAtLine } from '../index.ts';

const syntax = openSyntax();

async function outlineOf(text: string, language: string): Promise<Outline> {
  const outline = await syntax.outline(Buffer.from(text), language);
  if (!isOutline(outline)) throw new Error(outline.message);
  return outline;
}

const TEXT = `class Outer {
  inner() {}
  run(a) {}
  run(a, b) {}
}
class Other {
  inner() {}
}
function inner() {}
`;

describe('findSymbols', async () => {
  const outline = await outlineOf(TEXT, 'javascript');
  const lines = (path: string) => findSymbols(outline, path).map(({ startLine }) => startLine);

  test.each([
    ['Outer', [1]],
    ['Outer/inner', [2]],
    ['inner', [9]],
    ['/inner', [9]],
    ['run', [3, 4]],
    ['Outer/run[0]', [3]],
    ['run[1]', [4]],
    ['run[2]', []],
    ['uter', []],
    ['Outer/', []],
    ['', []],
    ['Other<T>/inner', [7]],
    ['Outer.inner', [2]],
    ['Outer::inner', [2]],
    ['Outer#inner', [2]],
    ['Outer->inner', [2]],
    ['Outer.run[1]', [4]],
    ['Outer.run(a)', [3, 4]],
    ['Other<std::string>::inner()', [7]],
    ['#inner', [9]],
    ['uter.inner', []],
    ['.', []],
    ['()', []],
  ])('%s is at the lines %j', (path, expected) => {
    expect(lines(path)).toEqual(expected);
  });

  test('finds members of an implementation by their type and by the trait', async () => {
    const rust = await outlineOf(
      'struct A;\nimpl X for A {\n  fn f() {}\n}\nimpl Y<u8> for A {\n  fn f() {}\n}\n',
      'rust',
    );
    expect(findSymbols(rust, 'A').map(({ kind }) => kind)).toEqual(['struct']);
    expect(findSymbols(rust, 'A/f').map(({ startLine }) => startLine)).toEqual([3, 6]);
    expect(findSymbols(rust, 'impl Y for A').map(({ startLine }) => startLine)).toEqual([5]);
    expect(findSymbols(rust, 'impl Y<u8> for A/f').map(({ startLine }) => startLine)).toEqual([6]);
  });

  test('finds methods of Go by their receiver', async () => {
    const go = await outlineOf(
      'package a\ntype List[T any] struct{}\nfunc (l *List[T]) Push() {}\nfunc Push() {}\n',
      'go',
    );
    for (const path of ['(*List).Push', '(*List[T]).Push', '(List).Push', 'List.Push', 'List[T].Push', 'List/Push'])
      expect(findSymbols(go, path).map(({ startLine }) => startLine)).toEqual([3]);
    expect(findSymbols(go, 'Push').map(({ startLine }) => startLine)).toEqual([4]);
  });

  test('prefers names that are written so, and finds those by other separators too', async () => {
    const page = await outlineOf('# 1.2 a\n# 1/2 b\n# A.B\n## c\n# end.\n', 'markdown');
    expect(findSymbols(page, '()')).toEqual([]);
    expect(findSymbols(page, '1.2 a').map(({ startLine }) => startLine)).toEqual([1]);
    expect(findSymbols(page, 'A.B.c').map(({ startLine }) => startLine)).toEqual([4]);
  });

  test('finds a method by the prototype that it was put on', async () => {
    const script = await outlineOf(
      'var run = 1;\nfunction View() {}\nView.prototype.run = function () {};\n',
      'javascript',
    );
    expect(findSymbols(script, 'View.prototype.run').map(({ startLine }) => startLine)).toEqual([3]);
  });

  test('a name with brackets is not an index', async () => {
    const page = await outlineOf('# a[1]\n', 'markdown');
    expect(findSymbols(page, 'a[1]')).toHaveLength(1);
  });
});

describe('the symbol at a place', async () => {
  const outline = await outlineOf('let a = 1;\n/** Doc. */\nclass B {\n  run() {\n    a;\n  }\n}\n\n', 'javascript');

  test('is the innermost one, and a doc comment belongs to its symbol', () => {
    const paths = [1, 2, 3, 4, 5, 6, 7, 8].map((line) => symbolAtLine(outline, line)?.path);
    expect(paths).toEqual(['a', 'B', 'B', 'B/run', 'B/run', 'B/run', 'B', undefined]);
  });

  test('is found by a byte, and the byte behind it is outside', () => {
    expect(symbolAt(outline, 0)?.path).toBe('a');
    expect(symbolAt(outline, 'let a = 1;'.length)).toBeUndefined();
  });
});
