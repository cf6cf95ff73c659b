import { expect, test } from 'vitest';
import { openProject } from './fixture/project.ts';
import { insertCode } from './insert-code.ts';

async function inserted(file: string, content: string, args: object): Promise<string> {
  const { data, read } = openProject({ [file]: content });
  await data(insertCode, { path: file, ...args });
  return read(file);
}

test('inserts after a member at its indentation, with one blank line', async () => {
  const { data, read } = openProject();
  const code = 'clear(): void {\n  this.#items = [];\n}\n';
  expect(await data(insertCode, { path: 'src/store.ts', name_path: 'Store/add', code })).toEqual({
    status: 'ok',
    inserted_at_line: 12,
    position: 'after',
  });
  expect(read('src/store.ts').split('\n').slice(9, 17)).toEqual([
    '  }',
    '',
    '  clear(): void {',
    '    this.#items = [];',
    '  }',
    '',
    '  addAll(items: string[]): void {',
    '    for (const item of items) this.add(item);',
  ]);
});

test('inserts before the doc comment and the decorators', async () => {
  const { data, read } = openProject();
  const answer = await data(insertCode, {
    path: 'src/store.ts',
    name_path: 'Store/add',
    code: 'a() {\n}',
    position: 'before',
  });
  expect(answer.inserted_at_line).toBe(7);
  expect(read('src/store.ts')).toContain('[] = [];\n\n  a() {\n  }\n\n  /** Adds an item. */\n  add(');
  const python = await inserted('a.py', '@cached\n# Why.\ndef b():\n    pass\n', {
    name_path: 'b',
    code: 'X = 1',
    position: 'before',
  });
  expect(python).toBe('X = 1\n\n@cached\n# Why.\ndef b():\n    pass\n');
});

test('keeps lines of single declarations together', async () => {
  const text = await inserted('a.ts', 'class A {\n  a = 1;\n  b = 2;\n}\n', { name_path: 'A/a', code: 'c = 3;' });
  expect(text).toBe('class A {\n  a = 1;\n  c = 3;\n  b = 2;\n}\n');
});

test('leaves a comment and a separator with what they belong to', async () => {
  const object = 'const o = {\n  a() {\n    return 1;\n  }, // one\n  b() {},\n};\n';
  const text = await inserted('a.ts', object, { name_path: 'o/a', code: 'c() {\n  return 2;\n},' });
  expect(text).toBe(
    'const o = {\n  a() {\n    return 1;\n  }, // one\n\n  c() {\n    return 2;\n  },\n\n  b() {},\n};\n',
  );
});

test('inserts at the end of a file without a last line end', async () => {
  expect(await inserted('a.ts', 'function a() {\n}', { name_path: 'a', code: 'function b() {\n}' })).toBe(
    'function a() {\n}\n\nfunction b() {\n}',
  );
});

test('keeps what follows on the same line', async () => {
  expect(await inserted('a.ts', 'function a() {} run();\n', { name_path: 'a', code: 'const b = 1;' })).toBe(
    'function a() {}\nconst b = 1;\n run();\n',
  );
});

test('adds no blank line before the end of a block, or where there is one', async () => {
  const code = 'b() {\n}';
  expect(await inserted('a.ts', 'class A {\n  a() {\n  }\n}\n', { name_path: 'A/a', code })).toBe(
    'class A {\n  a() {\n  }\n\n  b() {\n  }\n}\n',
  );
  expect(await inserted('a.ts', 'class A {\n  a() {\n  }\n\n  c() {\n  }\n}\n', { name_path: 'A/a', code })).toBe(
    'class A {\n  a() {\n  }\n\n  b() {\n  }\n\n  c() {\n  }\n}\n',
  );
});

test('uses the line ends of the file', async () => {
  expect(await inserted('a.ts', 'const a = 1;\r\nconst b = 2;\r\n', { name_path: 'a', code: 'const c = 3;\n' })).toBe(
    'const a = 1;\r\nconst c = 3;\r\nconst b = 2;\r\n',
  );
});

test.for([
  ['a.ts', 'enum E {\n  A,\n  B\n}\n', 'E/B', 'C', 'enum E {\n  A,\n  B,\n  C\n}\n'],
  ['a.ts', 'enum E {\n  A,\n  B // last\n}\n', 'E/B', 'C', 'enum E {\n  A,\n  B, // last\n  C\n}\n'],
  ['a.ts', 'enum E {\n  A,\n  B,\n}\n', 'E/A', 'C', 'enum E {\n  A,\n  C,\n  B,\n}\n'],
  [
    'a.ts',
    'const o = {\n  a() {},\n  b() {}\n};\n',
    'o/b',
    'c() {}',
    'const o = {\n  a() {},\n  b() {},\n  c() {}\n};\n',
  ],
  ['E.java', 'enum E {\n  A,\n  B;\n}\n', 'E/B', 'C', 'enum E {\n  A,\n  B,\n  C;\n}\n'],
] as const)('keeps the commas of a list in %s: %j', async ([path, text, name_path, code, expected]) => {
  const { data, read } = openProject({ [path]: text });
  expect(await data(insertCode, { path, name_path, code })).toMatchObject({ status: 'ok' });
  expect(read(path)).toBe(expected);
});

test('moves no line that begins within a string', async () => {
  const { data, read } = openProject({ 'a.ts': 'class A {\n  a() {}\n}\n' });
  const code = 'b() {\n  return `x\n y`;\n}';
  for (const position of ['before', 'after'])
    await data(insertCode, { path: 'a.ts', name_path: 'A/a', code, position });
  const placed = '  b() {\n    return `x\n y`;\n  }';
  expect(read('a.ts')).toBe(`class A {\n${placed}\n\n  a() {}\n\n${placed}\n}\n`);
});

test.for([
  ['  a() {},\n', 'c() {} // hi', '  a() {},\n  c() {}, // hi\n'],
  ['  a() {} /* c */,\n', 'c() {}', '  a() {} /* c */,\n  c() {},\n'],
  ['  a() {} // x\n  ,\n', 'c() {}', '  a() {} // x\n  ,\n  c() {},\n'],
  ['  a() {},\n', "c: 'http://x'", "  a() {},\n  c: 'http://x',\n"],
] as const)('puts commas outside of comments: %j', async ([members, code, expected]) => {
  const text = `const o = {\n${members}  b() {},\n};\n`;
  expect(await inserted('a.ts', text, { name_path: 'o/a', code })).toBe(text.replace(members, expected));
});

test('leaves the end of a heredoc at the margin', async () => {
  const text = 'class A\n  def a\n  end\nend\n';
  const code = 'def f\n  <<S\n text\nS\nend';
  expect(await inserted('a.rb', text, { name_path: 'A/a', code })).toBe(
    'class A\n  def a\n  end\n\n  def f\n    <<S\n text\nS\n  end\n\nend\n',
  );
});
