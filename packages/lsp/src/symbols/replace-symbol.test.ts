import { expect, test } from 'vitest';
import { findSymbol } from './find-symbol.ts';
import { openProject } from './fixture/project.ts';
import { removeSymbol } from './remove-symbol.ts';
import { replaceSymbol } from './replace-symbol.ts';

const CLASS = `class A:
    @cached
    def run(self):
        # Why.
        return 1

    def stop(self):
        pass
`;

test('replaces the whole declaration, and says which lines these were', async () => {
  const { data, read } = openProject();
  const new_body = '/** Adds one. */\nadd(item: string): number {\n  return this.#items.push(item);\n}';
  expect(await data(replaceSymbol, { path: 'src/store.ts', name_path: 'Store/add', new_body })).toEqual({
    status: 'ok',
    replaced_lines: '7-10',
  });
  expect(read('src/store.ts')).toContain(
    '[] = [];\n\n  /** Adds one. */\n  add(item: string): number {\n    return this.#items.push(item);\n  }\n\n  addAll',
  );
});

test('takes what find_symbol gave, and changes no byte', async () => {
  const { data, read } = openProject({ 'a.py': CLASS });
  const { symbols } = await data(findSymbol, { name_path: 'A/run', include_body: true });
  await data(replaceSymbol, { path: 'a.py', name_path: 'A/run', new_body: symbols[0].body });
  expect(read('a.py')).toBe(CLASS);
});

test.for([
  ['with the indentation of the file', '    def run(self):\n        return 2\n'],
  ['without any', 'def run(self):\n    return 2'],
  ['with that of the first line stripped', 'def run(self):\n        return 2'],
  ['with tabs in other places', '\n\n  def run(self):\n      return 2\n\n'],
] as const)('keeps the indentation of a body %s', async ([, new_body]) => {
  const { data, read } = openProject({ 'a.py': CLASS });
  await data(replaceSymbol, { path: 'a.py', name_path: 'A/run', new_body });
  expect(read('a.py')).toBe('class A:\n    def run(self):\n        return 2\n\n    def stop(self):\n        pass\n');
});

test('keeps CRLF, a byte order mark and bytes that are no UTF-8 elsewhere', async () => {
  const before = Buffer.from('\ufeff// caf\xe9\r\nfunction a() {\r\n}\r\nfunction b() {\r\n}\r\n', 'latin1');
  const { data, root } = openProject({ 'a.js': before });
  await data(replaceSymbol, { path: 'a.js', name_path: 'b', new_body: 'function b() {\n  return 1;\n}' });
  const { readFileSync } = await import('node:fs');
  const text = before.toString('latin1').replace('function b() {\r\n}', 'function b() {\r\n  return 1;\r\n}');
  expect(readFileSync(`${root}/a.js`, 'latin1')).toBe(text);
});

test.for(['return 1;', '  this.#items.push(item);\n', '{\n  return 1;\n}', 'remove(item: string): void {}'])(
  'refuses %j, which lost the definition',
  async (new_body) => {
    const { ask, read } = openProject();
    const before = read('src/store.ts');
    expect(await ask(replaceSymbol, { path: 'src/store.ts', name_path: 'Store/add', new_body })).toMatchObject({
      ok: false,
      error_code: 'invalid_args',
      error: 'new_body does not declare add, so that Store/add would be lost (nothing was changed)',
    });
    expect(read('src/store.ts')).toBe(before);
  },
);

test('says that a doc comment is gone', async () => {
  const { ask } = openProject();
  const new_body = 'add(item: string): void {}';
  expect(await ask(replaceSymbol, { path: 'src/store.ts', name_path: 'Store/add', new_body })).toMatchObject({
    ok: true,
    meta: { warnings: ['the doc comment of Store/add is gone, since new_body has none'] },
  });
});

test('says which syntax error it brought in, and not those that were there', async () => {
  const { ask, data } = openProject({ 'a.ts': 'function a() {}\nconst x = = 1;\n' });
  const answer = await ask(replaceSymbol, { path: 'a.ts', name_path: 'a', new_body: 'function a() { return (1; }' });
  const errors = [{ line: 1, message: 'missing )' }];
  expect(JSON.parse(answer.result ?? '').syntax_errors).toEqual(errors);
  expect(answer.meta).toMatchObject({ syntax: { errors: [{ file: 'a.ts', ...errors[0] }] } });
  const next = await data(replaceSymbol, { path: 'a.ts', name_path: 'a', new_body: 'function a() {}' });
  expect(next).toEqual({ status: 'ok', replaced_lines: '1-1' });
});

test('replaces one of several overloads by its index, and refuses the name of all', async () => {
  const { ask, data, read } = openProject({ 'A.java': 'class A {\n  void run() {}\n  void run(int a) {}\n}\n' });
  expect(await ask(replaceSymbol, { path: 'A.java', name_path: 'A/run', new_body: 'void run() {}' })).toMatchObject({
    ok: false,
    error_code: 'invalid_args',
    error: '2 symbols of A.java are called A/run: A/run[0] (line 2), A/run[1] (line 3)',
  });
  await data(replaceSymbol, { path: 'A.java', name_path: 'A/run[1]', new_body: 'void run(long a) {}' });
  expect(read('A.java')).toBe('class A {\n  void run() {}\n  void run(long a) {}\n}\n');
});

test('refuses a declaration that declares other names too', async () => {
  const { ask } = openProject({ 'a.c': 'int a = 1, b = 2;\n' });
  expect(await ask(replaceSymbol, { path: 'a.c', name_path: 'a', new_body: 'int a = 3;' })).toMatchObject({
    ok: false,
    error: 'the declaration of a declares other names too',
  });
});

test('refuses another version, and names the nearest symbol', async () => {
  const { ask } = openProject();
  const args = { path: 'src/store.ts', new_body: 'add() {}' };
  expect(await ask(replaceSymbol, { ...args, name_path: 'Store/add', if_version: '1-x' })).toMatchObject({
    ok: false,
    error_code: 'stale_file',
  });
  expect(await ask(replaceSymbol, { ...args, name_path: 'Store/addAl' })).toMatchObject({
    ok: false,
    error_code: 'not_found',
    error: 'symbol not found: Store/addAl in src/store.ts',
    suggestion: expect.stringMatching(
      /^did you mean Store\/addAll\? src\/store\.ts declares Store\/addAll \(line 12\), /,
    ),
  });
});

test('refuses a file that is not there', async () => {
  const { ask } = openProject();
  expect(await ask(replaceSymbol, { path: 'no.ts', name_path: 'a', new_body: 'const a = 1;' })).toMatchObject({
    ok: false,
    error_code: 'file_not_found',
    error: 'file not found: no.ts',
  });
});

test('can be undone, and answers with the new version', async () => {
  const { ask } = openProject();
  const answer = await ask(replaceSymbol, { path: 'src/parse.ts', name_path: 'parse', new_body: 'const parse = 1;' });
  expect(answer.meta).toMatchObject({ version: expect.any(String), undo_id: expect.any(String) });
});

test.for([
  [
    'a.ts',
    'class T {\n  other() {}\n}\n',
    'T/other',
    'other() {\n  return `a\n  b\n   \nc`;\n}',
    '  other() {\n    return `a\n  b\n   \nc`;\n  }',
  ],
  [
    'a.py',
    'class T:\n    def other(self):\n        pass\n',
    'T/other',
    'def other(self):\n    q = """\nSELECT 2\n"""\n    return q',
    '    def other(self):\n        q = """\nSELECT 2\n"""\n        return q',
  ],
  [
    'a.py',
    'class T:\n    def other(self):\n        pass\n',
    'T/other',
    'def other(self):\n    """One.\n\n    Two.\n    """',
    '    def other(self):\n        """One.\n\n        Two.\n        """',
  ],
  [
    'a.rb',
    'class T\n  def other\n  end\nend\n',
    'T/other',
    'def other\n  <<-E\n  b\n  E\nend',
    '  def other\n    <<-E\n  b\n  E\n  end',
  ],
] as const)('moves no line of %s that begins within a string', async ([path, text, name_path, new_body, expected]) => {
  const { data, read } = openProject({ [path]: text });
  await data(replaceSymbol, { path, name_path, new_body });
  expect(read(path)).toContain(expected);
});

test.for([
  ['a.ts', 'export const LIMIT = 10, OTHER = 11;\n', 'LIMIT', 'export const LIMIT = 11;'],
  ['A.java', 'class A {\n  int LIMIT = 1, b = 2;\n}\n', 'A/LIMIT', 'int LIMIT = 3;'],
] as const)('refuses one of the names that a declaration of %s declares', async ([path, text, name_path, new_body]) => {
  const { ask, read } = openProject({ [path]: text });
  for (const tool of [replaceSymbol, removeSymbol]) {
    const args = tool === replaceSymbol ? { path, name_path, new_body } : { path, name_path };
    expect(await ask(tool, args)).toMatchObject({
      ok: false,
      error: `the declaration of ${name_path} declares other names too`,
    });
  }
  expect(read(path)).toBe(text);
});

test('takes a member of an object with the comma behind it', async () => {
  const { data, read } = openProject({ 'a.ts': 'const conf = {\n  a: () => 1,\n  b: () => 2,\n};\n' });
  await data(replaceSymbol, { path: 'a.ts', name_path: 'conf/a', new_body: 'a: () => 5,' });
  expect(read('a.ts')).toBe('const conf = {\n  a: () => 5,\n  b: () => 2,\n};\n');
});

test.for([
  [
    'a.py',
    'class P:\n    x = 1\n    # note\n    @property\n    def norm(self):\n        pass\n',
    'P/norm',
    'def norm(self):\n    return 1',
    '@property',
  ],
  ['a.rs', '#[derive(Debug)]\nstruct P;\n', 'P', 'struct P(u8);', '#[derive(Debug)]'],
  ['a.ts', 'class P {\n  @dec()\n  norm() {}\n}\n', 'P/norm', '/** Doc. */\nnorm() {}', '@dec()'],
] as const)(
  'says that decorators, attributes and comments of %s are gone',
  async ([path, text, name_path, new_body, lost]) => {
    const { ask } = openProject({ [path]: text });
    expect(await ask(replaceSymbol, { path, name_path, new_body })).toMatchObject({
      ok: true,
      meta: {
        warnings: expect.arrayContaining([
          `the lines above ${name_path} are gone, because new_body does not have them: ${lost}`,
        ]),
      },
    });
  },
);

test.for([
  ['a: () => 1 /* c */,', 'a: () => 5,', 'a: () => 5 /* c */,'],
  ['a: () => 1\n  ,', 'a: () => 5, // hi', 'a: () => 5 // hi\n  ,'],
  ['a: () => 1,', 'a: () => 5 // hi', 'a: () => 5, // hi'],
  ['a: () => 1 /* c */,', 'a: () => 5, // hi', 'a: () => 5 /* c */, // hi'],
] as const)('keeps one comma behind %j', async ([member, new_body, expected]) => {
  const text = `const o = {\n  ${member}\n  b: () => 2,\n};\n`;
  const { data, read } = openProject({ 'a.ts': text });
  expect(await data(replaceSymbol, { path: 'a.ts', name_path: 'o/a', new_body })).not.toHaveProperty('syntax_errors');
  expect(read('a.ts')).toBe(text.replace(member, expected));
});

test('leaves the end of a heredoc at the margin', async () => {
  const { data, read } = openProject({ 'a.rb': 'class A\n  def f\n    1\n  end\nend\n' });
  await data(replaceSymbol, { path: 'a.rb', name_path: 'A/f', new_body: 'def f\n  <<S\n text\nS\nend' });
  expect(read('a.rb')).toBe('class A\n  def f\n    <<S\n text\nS\n  end\nend\n');
});

test.for([
  [
    'a.c',
    'struct S {\n  size_t len;            /* used bytes */\n};\n',
    'S/len',
    'size_t len; /* how many */',
    'struct S {\n  size_t len; /* how many */\n};\n',
  ],
  [
    'a.c',
    'struct S {\n  int len; /* used bytes */\n};\n',
    'S/len',
    'size_t len;',
    'struct S {\n  size_t len; /* used bytes */\n};\n',
  ],
  [
    'a.c',
    'struct S {\n  int len; /* used\n            bytes */\n  int size;\n};\n',
    'S/len',
    'size_t len; /* how\n               many */',
    'struct S {\n  size_t len; /* how\n               many */\n  int size;\n};\n',
  ],
  [
    'a.rs',
    'struct S {\n    len: u8, // bytes\n}\n',
    'S/len',
    'len: u16, // how many',
    'struct S {\n    len: u16, // how many\n}\n',
  ],
  [
    'a.c',
    'enum E {\n  A, /* one */\n  B,\n};\n',
    'E/A',
    'A = 1, /* first */',
    'enum E {\n  A = 1, /* first */\n  B,\n};\n',
  ],
  [
    'a.ts',
    'const suite = new Suite()\n\n;[a, b].forEach((x) => x())\n',
    'suite',
    'const suite = new Suite(1)',
    'const suite = new Suite(1)\n\n;[a, b].forEach((x) => x())\n',
  ],
] as const)('one comment is left behind a declaration of %s: %j', async ([path, text, name_path, new_body, after]) => {
  const { data, read } = openProject({ [path]: text });
  const { symbols } = await data(findSymbol, { name_path, include_body: true });
  await data(replaceSymbol, { path, name_path, new_body: symbols[0].body });
  expect(read(path)).toBe(text);
  await data(replaceSymbol, { path, name_path, new_body });
  expect(read(path)).toBe(after);
});
