import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findSymbol } from './find-symbol.ts';
import { openProject } from './fixture/project.ts';
import { listSymbols } from './list-symbols.ts';

interface Found {
  readonly file: string;
  readonly name_path: string;
  readonly body?: string;
}

const places = (found: { symbols: readonly Found[] }) =>
  found.symbols.map((symbol) => `${symbol.file} ${symbol.name_path}`);

test('finds a part of a name in the whole project, whatever its case', async () => {
  const { data } = openProject();
  expect(places(await data(findSymbol, { pattern: 'PARS' }))).toEqual(['src/parse.ts parse', 'tools/use.py parse']);
});

test('says once which files are too large, each time', async () => {
  const large = `class Deep {}\n${'// x\n'.repeat(500_000)}`;
  const { ask } = openProject({ 'l/a.ts': large, 'l/b.ts': large, 'l/c.txt': large, 'l/d.ts': 'class Deep {}\n' });
  const meta = { warnings: ['too large (over 2 MiB), not searched: l/a.ts, l/b.ts'] };
  for (let i = 0; i < 2; i++) expect(await ask(findSymbol, { pattern: 'Deep' })).toMatchObject({ ok: true, meta });
  expect(await ask(listSymbols, { path: 'l' })).toMatchObject({ ok: true, meta });
});

test('finds by a part of the name path, but not all members of what it names', async () => {
  const { data } = openProject();
  expect(places(await data(findSymbol, { pattern: 'store/add' }))).toEqual([
    'src/store.ts Store/add',
    'src/store.ts Store/addAll',
  ]);
  expect(places(await data(findSymbol, { pattern: 'store' }))).toEqual(['src/store.ts Store']);
});

test('finds the exact name path, with the text of the whole declaration', async () => {
  const { data } = openProject();
  expect(await data(findSymbol, { name_path: 'Store/add', include_body: true })).toEqual({
    symbols: [
      {
        file: 'src/store.ts',
        name: 'add',
        name_path: 'Store/add',
        kind: 'method',
        signature: 'add(item: string): void',
        start_line: 7,
        end_line: 10,
        body: '  /** Adds an item. */\n  add(item: string): void {\n    this.#items.push(parse(item));\n  }',
      },
    ],
    total: 1,
  });
});

test('finds exact names first', async () => {
  const { data } = openProject({ 'a.ts': 'class Adder {}\nfunction add() {}\n', 'b.ts': 'class Add {}\n' });
  expect(places(await data(findSymbol, { pattern: 'add' }))).toEqual(['a.ts add', 'b.ts Add', 'a.ts Adder']);
});

test('finds one of several of the same path by its index', async () => {
  const { data } = openProject({ 'a.java': 'class A {\n  void run() {}\n  void run(int a) {}\n}\n' });
  const { symbols } = await data(findSymbol, { name_path: 'A/run[1]' });
  expect(symbols).toMatchObject([{ name_path: 'A/run[1]', start_line: 3 }]);
});

test('filters by kind and by path', async () => {
  const { data } = openProject({ 'a.ts': 'class Run {}\nfunction run() {}\n', 'd/b.ts': 'class Run {}\n' });
  expect(places(await data(findSymbol, { pattern: 'run', kind: 'class' }))).toEqual(['a.ts Run', 'd/b.ts Run']);
  expect(places(await data(findSymbol, { pattern: 'run', kind: ['function', 'enum'] }))).toEqual(['a.ts run']);
  expect(places(await data(findSymbol, { pattern: 'run', path: 'd' }))).toEqual(['d/b.ts Run']);
  expect(places(await data(findSymbol, { pattern: 'run', path: 'a.ts' }))).toEqual(['a.ts run', 'a.ts Run']);
  expect(places(await data(findSymbol, { pattern: 'run', path: '**/b.*' }))).toEqual(['d/b.ts Run']);
});

test('adds doc lines', async () => {
  const { data } = openProject();
  const { symbols } = await data(findSymbol, { name_path: 'Store', include_docs: true, depth: 1 });
  expect(symbols).toMatchObject([{ doc: 'Keeps items.', children: [{}, { doc: 'Adds an item.' }, {}] }]);
});

test('adds members down to a depth', async () => {
  const { data } = openProject();
  const { symbols } = await data(findSymbol, { name_path: 'Store', depth: 1 });
  expect(symbols[0].children).toHaveLength(3);
});

test('shows 50 unasked with counts by file, and pages through all with the bodies of 5', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `function item${i}() {}\n`).join('');
  const { data, ask } = openProject({ 'a.ts': many(20), 'b.ts': many(40) });
  const first = await data(findSymbol, { pattern: 'item' });
  expect(first.symbols).toHaveLength(50);
  expect(first.overflow).toMatchObject({
    shown: 50,
    total: 60,
    next_offset: 50,
    by_file: [
      { file: 'b.ts', count: 40 },
      { file: 'a.ts', count: 20 },
    ],
  });
  expect(await ask(findSymbol, { pattern: 'item' })).toMatchObject({ truncated: true, total_count: 60 });
  const page = await data(findSymbol, { pattern: 'item', detail_level: 'full', offset: 50 });
  expect(page.symbols.filter(({ body }: Found) => body !== undefined)).toHaveLength(5);
  expect(page.symbols).toHaveLength(10);
});

test('sees at once what others changed, made and removed', async () => {
  const { data, root, write } = openProject();
  expect((await data(findSymbol, { name_path: 'parse' })).total).toBe(2);
  write('src/parse.ts', 'export const other = 1;\n');
  write('src/new.ts', 'function parse() {}\n');
  fs.rmSync(path.join(root, 'tools/use.py'));
  expect(places(await data(findSymbol, { name_path: 'parse' }))).toEqual(['src/new.ts parse']);
});

test('leaves out what git ignores, and what is excluded', async () => {
  const { data, root } = openProject({
    '.gitignore': 'out/\n',
    'out/a.ts': 'class Run {}\n',
    'node_modules/b/b.ts': 'class Run {}\n',
    'c.ts': 'class Run {}\n',
  });
  fs.mkdirSync(path.join(root, '.git'));
  expect(places(await data(findSymbol, { pattern: 'Run' }))).toEqual(['c.ts Run']);
});

test('finds names of two letters, and of other scripts', async () => {
  const { data } = openProject({ 'a.ts': 'function io() {}\nfunction größe() {}\n' });
  expect(places(await data(findSymbol, { pattern: 'io' }))).toEqual(['a.ts io']);
  expect(places(await data(findSymbol, { pattern: 'GRÖSSE' }))).toEqual([]);
  expect(places(await data(findSymbol, { pattern: 'größ' }))).toEqual(['a.ts größe']);
});

test('finds nothing without an error', async () => {
  const { data } = openProject();
  expect(await data(findSymbol, { pattern: 'nowhere' })).toEqual({ symbols: [], total: 0 });
});

test.for([{}, { pattern: 'a', name_path: 'b' }])('refuses %j, which says not what to find', async (args) => {
  const { ask } = openProject();
  expect(await ask(findSymbol, args)).toMatchObject({ ok: false, error_code: 'invalid_args' });
});

test('parallel calls of a session do not mix up the files that they read', async () => {
  const names = Array.from({ length: 30 }, (_, i) => `name${i}of`);
  const files = names.map((name) => [`${name}.ts`, `export function ${name}(): void {}\n`] as const);
  const { data } = openProject(Object.fromEntries(files));
  const found = await Promise.all(names.map((name) => data(findSymbol, { pattern: name })));
  expect(found.map(places)).toEqual(names.map((name) => [`${name}.ts ${name}`]));
});

test('finds by all parts of a name path that answers show', async () => {
  const { data } = openProject({ 'a.ts': 'class Store {\n  add(a: 1): void;\n  add(a: 2): void;\n}\n' });
  expect(places(await data(findSymbol, { pattern: 'Store/' }))).toEqual(['a.ts Store/add[0]', 'a.ts Store/add[1]']);
  expect(places(await data(findSymbol, { pattern: 'add[1]' }))).toEqual(['a.ts Store/add[1]']);
});

test.for([
  [{ pattern: 'Store.add' }, 'did you mean Store/add (src/store.ts), Store/addAll (src/store.ts)?'],
  [{ pattern: 'Store::addAll' }, 'did you mean Store/addAll (src/store.ts)?'],
  [{ pattern: 'Store.addAll()' }, 'did you mean Store/addAll (src/store.ts)?'],
  [{ name_path: 'Store/ad' }, 'did you mean Store/add (src/store.ts), Store/addAll (src/store.ts)?'],
  [{ name_path: 'Other/addAll' }, 'did you mean Store/addAll (src/store.ts)?'],
] as const)('says what may be meant by %j', async ([args, hint]) => {
  const { data } = openProject();
  expect(await data(findSymbol, args)).toEqual({ symbols: [], total: 0, hint });
});

test.for(['relative_path', 'file_path', 'file'])('takes the path as %s', async (alias) => {
  const { ask, data } = openProject();
  expect(places(await data(findSymbol, { pattern: 'pars', [alias]: 'tools' }))).toEqual(['tools/use.py parse']);
  expect(await ask(findSymbol, { pattern: 'pars', path: 'src', [alias]: 'tools' })).toMatchObject({ ok: false });
});

test('finds functions in objects in objects', async () => {
  const { data } = openProject({
    'a.ts': 'const api = { users: { get() {}, del() {} }, posts: { get() {} }, n: { x: 1 } };\n',
    'b.ts': 'export default { methods: { go() {} } };\n',
  });
  expect(places(await data(findSymbol, { pattern: 'api/' }))).toEqual(['a.ts api/users', 'a.ts api/posts']);
  const inner = [
    ...(await data(findSymbol, { pattern: 'api/users/' })).symbols,
    ...(await data(findSymbol, { pattern: 'posts/' })).symbols,
  ];
  expect(inner.map(({ name_path }) => name_path)).toEqual(['api/users/get', 'api/users/del', 'api/posts/get']);
  expect(places(await data(findSymbol, { name_path: 'default/methods/go' }))).toEqual(['b.ts default/methods/go']);
});

test('hints at overloads once', async () => {
  const { data } = openProject({ 'a.ts': 'class Store {\n  add(a: 1): void;\n  add(a: 2): void;\n}\n' });
  expect(await data(findSymbol, { name_path: 'Shop.add' })).toMatchObject({ hint: 'did you mean Store/add (a.ts)?' });
});
