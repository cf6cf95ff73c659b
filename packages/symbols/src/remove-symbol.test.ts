import { expect, test } from 'vitest';
import { openProject } from './fixture/project.ts';
import { removeSymbol } from './remove-symbol.ts';

async function removed(file: string, content: string, name_path: string): Promise<string> {
  const { data, read } = openProject({ [file]: content });
  await data(removeSymbol, { path: file, name_path });
  return read(file);
}

test('removes a symbol with its doc comment, and says which lines', async () => {
  const { data, read } = openProject();
  expect(await data(removeSymbol, { path: 'src/store.ts', name_path: 'Store/add' })).toEqual({
    status: 'ok',
    removed_lines: '7-10',
    line_count: 4,
  });
  expect(read('src/store.ts')).toContain('  #items: string[] = [];\n\n  addAll(');
});

test.for([
  ['the first of a file', 'a.ts', 'function a() {\n}\n\nfunction b() {\n}\n', 'a', 'function b() {\n}\n'],
  ['the last of a file', 'a.ts', 'function a() {\n}\n\nfunction b() {\n}\n', 'b', 'function a() {\n}\n'],
  [
    'the last of a class',
    'a.ts',
    'class A {\n  a() {\n  }\n\n  b() {\n  }\n}\n',
    'A/b',
    'class A {\n  a() {\n  }\n}\n',
  ],
  [
    'the first of a class',
    'a.ts',
    'class A {\n  a() {\n  }\n\n  b() {\n  }\n}\n',
    'A/a',
    'class A {\n  b() {\n  }\n}\n',
  ],
  ['a member of an object', 'a.ts', 'const o = {\n  a() {},\n  b() {},\n};\n', 'o/a', 'const o = {\n  b() {},\n};\n'],
  ['one of two on a line', 'a.ts', 'function a() {} function b() {}\n', 'a', ' function b() {}\n'],
  [
    'a decorated method',
    'a.py',
    'class A:\n    @x\n    def a(self):\n        pass\n\n    b = 1\n',
    'A/a',
    'class A:\n    b = 1\n',
  ],
  ['a line with CRLF', 'a.ts', 'const a = 1;\r\nconst b = 2;\r\n', 'a', 'const b = 2;\r\n'],
  ['a statement before another', 'a.py', 'n = 1; m = 2\n', 'n', 'm = 2\n'],
  [
    'a member with a comma behind a comment',
    'a.ts',
    'const o = {\n  a() {} /* c */,\n  b() {},\n};\n',
    'o/a',
    'const o = {\n  b() {},\n};\n',
  ],
  ['the only symbol', 'a.ts', 'const a = 1;', 'a', ''],
] as const)('removes %s', async ([, file, content, namePath, after]) => {
  expect(await removed(file, content, namePath)).toBe(after);
});

test.for([
  ['a.c', 'int a = 1, b = 2;\n'],
  ['a.py', 'a = b = 1\n'],
] as const)('refuses one of several names of a declaration of %s', async ([path, text]) => {
  const { ask, read } = openProject({ [path]: text });
  for (const name_path of ['a', 'b']) {
    expect(await ask(removeSymbol, { path, name_path })).toMatchObject({
      ok: false,
      error: `the declaration of ${name_path} declares other names too`,
    });
  }
  expect(read(path)).toBe(text);
});

test('says which syntax error it left', async () => {
  const { data } = openProject({ 'a.js': 'if (x)\n  function a() {}\n' });
  expect(await data(removeSymbol, { path: 'a.js', name_path: 'a' })).toMatchObject({ syntax_errors: [{ line: 1 }] });
});
