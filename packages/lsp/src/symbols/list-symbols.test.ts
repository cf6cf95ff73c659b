import { expect, test } from 'vitest';
import { findSymbol } from './find-symbol.ts';
import { openProject } from './fixture/project.ts';
import { listSymbols } from './list-symbols.ts';
import { removeSymbol } from './remove-symbol.ts';

test('lists what a file declares, with one level of members', async () => {
  const { data } = openProject();
  expect(await data(listSymbols, { path: 'src/store.ts', include_docs: true })).toEqual({
    file: 'src/store.ts',
    symbols: [
      {
        name: 'Store',
        name_path: 'Store',
        kind: 'class',
        signature: 'export class Store',
        doc: 'Keeps items.',
        start_line: 3,
        end_line: 15,
        children: [
          {
            name: '#items',
            name_path: 'Store/#items',
            kind: 'field',
            signature: '#items: string[] = []',
            start_line: 5,
            end_line: 5,
          },
          {
            name: 'add',
            name_path: 'Store/add',
            kind: 'method',
            signature: 'add(item: string): void',
            doc: 'Adds an item.',
            start_line: 7,
            end_line: 10,
          },
          {
            name: 'addAll',
            name_path: 'Store/addAll',
            kind: 'method',
            signature: 'addAll(items: string[]): void',
            start_line: 12,
            end_line: 14,
          },
        ],
      },
    ],
  });
});

test('lists the code of the project, without data', async () => {
  const { data } = openProject();
  const { directory, files } = await data(listSymbols, {});
  expect(directory).toBe('.');
  expect(
    files.map(({ file, symbols }: { file: string; symbols: { name: string }[] }) => [file, symbols.length]),
  ).toEqual([
    ['src/parse.ts', 1],
    ['src/store.ts', 1],
    ['tools/use.py', 1],
  ]);
});

test('lists only the files directly in another directory', async () => {
  const { data } = openProject({ 'src/a.ts': 'class A {}\n', 'src/deep/b.ts': 'class B {}\n' });
  const { files } = await data(listSymbols, { path: 'src' });
  expect(files.map(({ file }: { file: string }) => file)).toEqual(['src/a.ts']);
});

test('lists what a glob matches, data too', async () => {
  const { data } = openProject();
  const { pattern, files } = await data(listSymbols, { path: '*.json' });
  expect(pattern).toBe('*.json');
  expect(files).toMatchObject([{ file: 'config.json', symbols: [{ name: 'parse', kind: 'key' }] }]);
});

test('numbers the overloads of a name', async () => {
  const { data } = openProject({ 'a.java': 'class A {\n  void run() {}\n  void run(int a) {}\n}\n' });
  const { symbols } = await data(listSymbols, { path: 'a.java' });
  const paths = symbols[0].children.map((child: { name_path: string }) => child.name_path);
  expect(paths).toEqual(['A/run[0]', 'A/run[1]']);
});

test('caps what it shows unasked, and pages through all', async () => {
  const many = Array.from({ length: 130 }, (_, i) => `function f${i}() {}\n`).join('');
  const { data, ask } = openProject({ 'a.ts': many });
  const first = await data(listSymbols, { path: 'a.ts' });
  expect(first.symbols).toHaveLength(100);
  expect(first).toMatchObject({ total: 130, overflow: { shown: 100, total: 130, next_offset: 100 } });
  expect(await ask(listSymbols, { path: 'a.ts' })).toMatchObject({ truncated: true, total_count: 130 });
  const page = await data(listSymbols, { path: 'a.ts', detail_level: 'full', offset: 100, limit: 100 });
  expect(page.symbols.map(({ name }: { name: string }) => name)[0]).toBe('f100');
  expect(page.symbols).toHaveLength(30);
  expect(page.overflow.next_offset).toBeUndefined();
});

test('shows at most 150 symbols with their members', async () => {
  const members = Array.from({ length: 60 }, (_, i) => `  m${i}() {}\n`).join('');
  const { data } = openProject({
    'a.ts': ['A', 'B', 'C', 'D'].map((name) => `class ${name} {\n${members}}\n`).join(''),
  });
  const { symbols, overflow } = await data(listSymbols, { path: 'a.ts' });
  const count = symbols.reduce((sum: number, { children }: { children: unknown[] }) => sum + 1 + children.length, 0);
  expect(count).toBeLessThanOrEqual(150);
  expect(overflow).toMatchObject({ total: 4, next_offset: 3 });
});

test('caps the files of a directory', async () => {
  const files = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}.ts`, 'class A {}\n']));
  const { data } = openProject(files);
  const { files: shown, total, overflow } = await data(listSymbols, {});
  expect(shown).toHaveLength(50);
  expect([total, overflow.next_offset]).toEqual([60, 50]);
});

test.for([
  ['a.txt', 'words\n', 'invalid_args', /a\.txt has no symbols: no syntax tree for files of this kind/],
  ['b.ts', Buffer.from('a\0b'), 'invalid_args', /b\.ts has no symbols: it holds a NUL/],
  ['c.ts', ' '.repeat(2 * 1024 * 1024 + 1), 'file_too_large', /c\.ts has no symbols: it is larger than 2 MiB/],
] as const)('refuses %s', async ([path, content, code, message]) => {
  const { ask } = openProject({ [path]: content });
  expect(await ask(listSymbols, { path })).toMatchObject({
    ok: false,
    error_code: code,
    error: expect.stringMatching(message),
  });
});

test('refuses a path where nothing is, if it is no glob', async () => {
  const { ask } = openProject();
  for (const [tool, args] of [
    [listSymbols, {}],
    [findSymbol, { pattern: 'parse' }],
  ] as const) {
    expect(await ask(tool, { path: 'src/missing.ts', ...args })).toMatchObject({ error_code: 'file_not_found' });
    expect(await ask(tool, { path: 'src/missing*.ts', ...args })).toMatchObject({ ok: true });
  }
});

test('refuses what lies outside, and secrets', async () => {
  const { ask } = openProject({ '.env': 'A=1\n' });
  for (const path of ['../x.ts', '/etc/passwd', '.env']) {
    expect(await ask(listSymbols, { path })).toMatchObject({ ok: false, error_code: 'path_outside_sandbox' });
  }
});

test('never shows what lies in a secret, by a directory or a glob', async () => {
  const { data, ask } = openProject({
    '.env.d/a.ts': 'class A {}\n',
    '.ssh/b.ts': 'class B {}\n',
    'c.ts': 'class C {}\n',
  });
  for (const path of ['.', '**/*.ts']) {
    const { files } = await data(listSymbols, { path });
    expect(files.map(({ file }: { file: string }) => file)).toEqual(['c.ts']);
  }
  expect(await ask(listSymbols, { path: '.ssh/*.ts' })).toMatchObject({ error_code: 'path_outside_sandbox' });
});

test('says that an outline has not all of a file', async () => {
  const text = Array.from({ length: 20_100 }, (_, i) => `let a${i};`).join('\n');
  const { ask, data } = openProject({ 'a.js': text });
  expect(await data(listSymbols, { path: 'a.js' })).toMatchObject({ at_least: true });
  const warnings = [expect.stringContaining('at least')];
  expect(await ask(findSymbol, { path: 'a.js', name_path: 'a20050' })).toMatchObject({ meta: { warnings } });
  expect(await ask(removeSymbol, { path: 'a.js', name_path: 'a20050' })).toMatchObject({
    error: 'symbol not found: a20050 in a.js, of which there is no whole outline',
  });
});
