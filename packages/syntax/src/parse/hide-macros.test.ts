import { expect, test } from 'vitest';
import { createOutlines, isOutline, type Outline, unreadLines } from '../index.ts';
import { hideMacros } from './hide-macros.ts';

async function outlineOf(text: string, path = 'a.c'): Promise<Outline> {
  const outline = await createOutlines().read({ path, content: Buffer.from(text), version: text });
  if (!isOutline(outline)) throw new Error(outline.message);
  return outline;
}

const shown = ({ symbols }: Outline) =>
  symbols.map(({ path, startLine, endLine }) => `${path} ${startLine}-${endLine}`);

test.for([
  ['a specifier', 'a.c', 'LUAI_FUNC Proto *f (State *L);\nAPI_FUNC void g (void);\n', ['f 1-1', 'g 2-2']],
  [
    'a specifier with a type',
    'a.h',
    'CJSON_PUBLIC(const char *) f(void);\nPUBLIC(int) g(int a) { return a; }\n',
    ['f 1-1', 'g 2-2'],
  ],
  [
    'a name in parentheses',
    'a.c',
    'LUALIB_API int (f) (State *L, int t);\nLUALIB_API void (g) (void);\n',
    ['f 1-1', 'g 2-2'],
  ],
  ['a calling convention', 'a.c', 'int STDCALL main(void)\n{\n  return 0;\n}\nint b;\n', ['main 1-4', 'b 5-5']],
  [
    'a statement on a line',
    'a.c',
    'void f(void)\n{\n  BEGIN_TEST\n  g(1);\n  END_TEST\n}\n\nvoid h(void) {\n  int x[] = {1};\n}\n',
    ['f 1-6', 'h 8-10'],
  ],
  [
    'a namespace',
    'a.hpp',
    'LIB_BEGIN_NAMESPACE\n\nLIB_EXPORT\nenum class e { a };\n\nLIB_END_NAMESPACE\n',
    ['e 3-4', 'e/a 4-4'],
  ],
  [
    'a label',
    'a.hpp',
    'class A {\n private:\n  int a;\n\n PRIVATE_UNLESS_TESTED:\n  int b;\n};\n',
    ['A 1-7', 'A/a 3-3', 'A/b 6-6'],
  ],
  [
    'the name of a class',
    'a.hpp',
    'class LIB_API A : public B {\n  int a;\n};\nstruct LIB_API S { int b; };\n',
    ['A 1-3', 'A/a 2-2', 'S 4-4', 'S/b 4-4'],
  ],
  [
    'a parameter of a template',
    'a.hpp',
    'template <typename T, ENABLE_IF(is<T>::value)>\nLIB_INLINE auto f(T a) -> T { return a; }\nint b;\n',
    ['f 1-2', 'b 3-3'],
  ],
  [
    'a constructor',
    'a.hpp',
    'class A {\n  LIB_INLINE A(int a) : b(a) {}\n  int b;\n};\n',
    ['A 1-4', 'A/A 2-2', 'A/b 3-3'],
  ],
  [
    'an enum',
    'a.c',
    'enum E {\n  A,\n  LAST\n};\nAPI_FUNC void g (void);\n',
    ['E 1-4', 'E/A 2-2', 'E/LAST 3-3', 'g 5-5'],
  ],
  ['a function in tests', 'a.c', 'TEST_BEGIN(test_a) {\n  f();\n}\nTEST_END\n\nint b;\n', ['test_a 1-3', 'b 6-6']],
  ['the type of a function', 'a.c', 'WORD_T\nf(void)\n{\n}\nint b;\n', ['f 1-4', 'b 5-5']],
  [
    'a conditional that opens a block twice',
    'a.c',
    '#if A\nint f(int a) {\n#else\nint f(void) {\n#endif\n  return 1;\n}\nint g(void) { return 2; }\n',
    ['f 2-7', 'g 8-8'],
  ],
  [
    'a conditional in a list',
    'a.c',
    'const char *a[] = {\n"b",\n#ifdef X\n"c",\n#endif\n};\nint d;\n',
    ['a 1-6', 'd 7-7'],
  ],
] as const)('reads %s', async ([, path, text, expected]) => {
  const outline = await outlineOf(text, path);
  expect(shown(outline)).toEqual(expected);
});

test('a macro in front belongs to its declaration, with the comment above', async () => {
  const text =
    '/** Doc. */\nLIB_EXPORT\nenum class e { a };\n\nAPI_FUNC Proto *f (State *L);\nAPI_FUNC void g (void);\n';
  const { symbols } = await outlineOf(text, 'a.hpp');
  const texts = symbols.filter(({ depth }) => depth === 0).map(({ start, end }) => text.slice(start, end));
  expect(texts).toEqual(text.split(/\n\n|\n(?=API)/).map((part) => part.trim()));
  expect(symbols[0]?.doc).toBeDefined();
});

test('keeps the length and the lines of a text', () => {
  const text =
    '#if A\nint f(int a) {\n#else\nint f(void) {\n#endif\n}\nAPI_FUNC void g (void); // API_FUNC void\nchar *s = "API_FUNC void";\n';
  const hidden = hideMacros(text);
  expect(hidden.text).toHaveLength(text.length);
  expect(hidden.text.split('\n').map((line) => line.trim())).toEqual([
    '',
    'int f(int a) {',
    '',
    '',
    '',
    '}',
    'void g (void); // API_FUNC void',
    'char *s = "API_FUNC void";',
    '',
  ]);
  expect(hidden.dropped.map(({ start, end }) => text.slice(start, end).trim())).toEqual(['int f(void) {']);
});

test('says which lines around an error may declare more', async () => {
  const text = 'int a;\nint f(void) {\n  return oddly int;\n}\n\nlower_macro int b;\n\nint c;\n';
  expect(unreadLines(await outlineOf(text))).toBe('2-4, 6');
});
