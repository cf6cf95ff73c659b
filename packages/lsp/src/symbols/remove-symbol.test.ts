import { expect, test } from 'vitest';
import { openProject } from './fixture/project.ts';
import { TYPESCRIPT } from './fixture/servers.ts';
import { insertCode } from './insert-code.ts';
import { listSymbols } from './list-symbols.ts';
import { removeSymbol } from './remove-symbol.ts';
import { replaceSymbol } from './replace-symbol.ts';

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
    remaining_uses: 1,
    used_at: ['src/store.ts:13'],
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
  [
    'a statement, and leaves the semicolon of the next one',
    'a.ts',
    'const base = make()\nconst suite = new Suite()\n\n;[a, b].forEach((x) => x())\n',
    'suite',
    'const base = make()\n\n;[a, b].forEach((x) => x())\n',
  ],
  [
    'a field with its comment',
    'a.c',
    'struct S {\n  int len; /* bytes */\n  char *buf;\n};\n',
    'S/len',
    'struct S {\n  char *buf;\n};\n',
  ],
  [
    'a field with its comment of two lines',
    'a.c',
    'struct S {\n  int len; /* how\n              many */\n  char *buf;\n};\n',
    'S/len',
    'struct S {\n  char *buf;\n};\n',
  ],
  [
    'a field with its comment',
    'a.go',
    'type S struct {\n\tLen int // bytes\n\tBuf int\n}\n',
    'S/Len',
    'type S struct {\n\tBuf int\n}\n',
  ],
  [
    'a field with its comment',
    'a.rs',
    'struct S {\n    len: u8, // bytes\n    buf: u8,\n}\n',
    'S/len',
    'struct S {\n    buf: u8,\n}\n',
  ],
  [
    'a member with its comment',
    'a.ts',
    'interface S {\n  len: number; // bytes\n  buf: string;\n}\n',
    'S/len',
    'interface S {\n  buf: string;\n}\n',
  ],
  ['a private member beside it never', 'a.js', 'class A { a = 1; #b = 2 }\n', 'A/a', 'class A { #b = 2 }\n'],
  ['the only field of a line', 'a.go', 'type E struct{ error }\n', 'E/error', 'type E struct{}\n'],
  [
    'the only method of a class of Python',
    'a.py',
    'class B:\n    def only(self):\n        return 1\n\nx = 1\n',
    'B/only',
    'class B:\n    pass\n\nx = 1\n',
  ],
  [
    'the only name of an if of Python',
    'a.py',
    'if x:\n    # Why.\n\n    a = 1  # one\nelse:\n    b = 1\n',
    'a',
    'if x:\n    # Why.\n\n    pass  # one\nelse:\n    b = 1\n',
  ],
  ['what follows the colon of a class of Python', 'a.py', 'class B: x = 1\n', 'B/x', 'class B: pass\n'],
  [
    'a method beside a doc string of Python',
    'a.py',
    'class B:\n    """Doc."""\n\n    def only(self):\n        return 1\n',
    'B/only',
    'class B:\n    """Doc."""\n',
  ],
  [
    'the only command of an if of Bash',
    'a.sh',
    'if x; then\n  # Why.\n\n  A=1\nfi\n',
    'A',
    'if x; then\n  # Why.\n\n  :\nfi\n',
  ],
  ['a command beside another of Bash', 'a.sh', 'if x; then\n  A=1\n  b\nfi\n', 'A', 'if x; then\n  b\nfi\n'],
  ['the only name of a group of Bash', 'a.sh', '{ A=1; }\n', 'A', '{ :; }\n'],
  [
    'a private method of Ruby',
    'a.rb',
    'class A\n  private def b(c)\n    c\n  end\n\n  def d; end\nend\n',
    'A/b',
    'class A\n\n  def d; end\nend\n',
  ],
  ['both names of a type of C', 'a.c', 'typedef struct X {\n  int a;\n} X;\nint b;\n', 'X', 'int b;\n'],
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

test('refuses the only constant of an enum of C', async () => {
  const text = 'enum {\n  A, // one\n};\nenum F { B, C };\n';
  const { ask, read } = openProject({ 'a.c': text });
  expect(await ask(removeSymbol, { path: 'a.c', name_path: 'A' })).toMatchObject({
    ok: false,
    error: 'A is the only constant of its enum, which C does not allow to be empty',
  });
  expect(await ask(removeSymbol, { path: 'a.c', name_path: 'F/C' })).toMatchObject({ ok: true });
  expect(read('a.c')).toBe(text.replace('B, C', 'B, '));
});

test('says which syntax error it left', async () => {
  const { data } = openProject({ 'a.js': 'if (x)\n  function a() {}\n' });
  expect(await data(removeSymbol, { path: 'a.js', name_path: 'a' })).toMatchObject({ syntax_errors: [{ line: 1 }] });
});

test('refuses the type in a declaration that declares another name', async () => {
  const text = 'typedef struct inner {\n  int a;\n} outer;\n';
  const { ask, read } = openProject({ 'a.c': text });
  expect(await ask(removeSymbol, { path: 'a.c', name_path: 'inner' })).toMatchObject({ ok: false });
  expect(read('a.c')).toBe(text);
});

const CUT = `interface Set<E> {
  <K extends keyof E['v']>(key: K, value: E['v'][K]): void
  <K extends keyof M>(key: K, value: M[K]): void
}
`;

test('refuses a symbol that the syntax tree cuts short, and lists say so', async () => {
  const { ask, data, read } = openProject({ 'a.ts': CUT });
  const edits = [
    [removeSymbol, {}],
    [replaceSymbol, { new_body: 'interface Set {}' }],
    [insertCode, { code: 'let a;' }],
  ] as const;
  for (const [tool, more] of edits) {
    expect(await ask(tool as typeof removeSymbol, { path: 'a.ts', name_path: 'Set', ...more })).toMatchObject({
      ok: false,
      error:
        'the syntax tree of a.ts has errors at Set (lines 1-2), so that it is not known where it ends (nothing was changed)',
    });
  }
  expect(read('a.ts')).toBe(CUT);
  const note = expect.stringContaining('it may end elsewhere');
  expect(await data(listSymbols, { path: 'a.ts' })).toMatchObject({ symbols: [{ name: 'Set', note }] });
});

test('takes the extent of a language server where the syntax tree has errors', async () => {
  const { data, read } = openProject({ 'a.ts': `let a = 1;\n\n${CUT}let b = 2;\n` }, TYPESCRIPT);
  await data(removeSymbol, { path: 'a.ts', name_path: 'Set' });
  expect(read('a.ts')).toBe('let a = 1;\n\nlet b = 2;\n');
});

test('removes what is unused, and names the uses of what is not', async () => {
  const { ask, data, read } = openProject();
  const used = { path: 'src/parse.ts', name_path: 'parse', only_if_unused: true };
  expect(await ask(removeSymbol, used)).toMatchObject({
    error_code: 'invalid_args',
    error: 'parse has 2 uses (src/store.ts:1, src/store.ts:9) (nothing was changed)',
    suggestion: expect.stringContaining('others of that name are among them'),
  });
  expect(read('src/parse.ts')).toContain('function parse');
  const unused = { path: 'src/store.ts', name_path: 'Store/addAll', only_if_unused: true };
  expect(await data(removeSymbol, unused)).toMatchObject({ status: 'ok', remaining_uses: 0 });
});

test('does not count the uses of a symbol in itself, nor those of keys', async () => {
  const { ask, data } = openProject({ 'a.py': 'def f(n):\n    return f(n - 1)\n', 'a.json': '{ "k": 1 }\n' });
  expect(await data(removeSymbol, { path: 'a.py', name_path: 'f' })).toMatchObject({ remaining_uses: 0 });
  const key = { path: 'a.json', name_path: 'k' };
  expect(await ask(removeSymbol, { ...key, only_if_unused: true })).toMatchObject({ error_code: 'invalid_args' });
  expect(await data(removeSymbol, key)).not.toHaveProperty('remaining_uses');
});
