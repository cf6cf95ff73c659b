import { expect, test } from 'vitest';
import { openProject } from './fixture/project.ts';
import { renameSymbol } from './rename-symbol.ts';

const PARSE = { path: 'src/parse.ts', name_path: 'parse', new_name: 'parseText' };

test('renames a function and its uses, and says where the name stands in text', async () => {
  const { data, read } = openProject();
  expect(await data(renameSymbol, PARSE)).toEqual({
    status: 'ok',
    old_name: 'parse',
    new_name: 'parseText',
    files_changed: 2,
    total_edits: 3,
    textual_matches: [
      { file: 'src/parse.ts', line: 1, count: 1, preview: '/** Reads a text; see parse. */' },
      { file: 'src/store.ts', line: 1, count: 1, preview: "import { parse } from './parse.ts';" },
    ],
  });
  expect(read('src/store.ts')).toContain("import { parseText } from './parse.ts';");
  expect(read('src/store.ts')).toContain('this.#items.push(parseText(item));');
  expect(read('src/parse.ts')).toBe(
    '/** Reads a text; see parse. */\nexport function parseText(text: string): string {\n  return text.trim();\n}\n',
  );
  expect(read('tools/use.py')).toContain('def parse(text)');
});

test('says that it went by the name, and gives one undo for all files', async () => {
  const { ask } = openProject();
  const { meta } = await ask(renameSymbol, PARSE);
  expect(meta).toMatchObject({
    textual: true,
    operation_id: expect.any(String),
    files: [{ path: 'src/parse.ts' }, { path: 'src/store.ts' }],
    warnings: [expect.stringContaining('without a language server')],
  });
});

test('renames a method where it is called on this', async () => {
  const { data, read } = openProject();
  await data(renameSymbol, { path: 'src/store.ts', name_path: 'Store/add', new_name: 'addItem' });
  expect(read('src/store.ts')).toContain('  addItem(item: string): void {');
  expect(read('src/store.ts')).toContain('this.addItem(item);');
});

test('renames all overloads of a function together', async () => {
  const text = 'function run(): void;\nfunction run(a?: number): void {}\nrun();\n';
  const { data, read } = openProject({ 'a.ts': text });
  await data(renameSymbol, { path: 'a.ts', name_path: 'run[0]', new_name: 'start' });
  expect(read('a.ts')).toBe(text.replaceAll('run', 'start'));
});

test('takes a use of a module that is imported', async () => {
  const { data, read } = openProject({
    'a.py': 'def run():\n    pass\n',
    'b.py': 'import a\n\na.run()\n',
  });
  await data(renameSymbol, { path: 'a.py', name_path: 'run', new_name: 'start' });
  expect(read('b.py')).toBe('import a\n\na.start()\n');
});

test('keeps the key of an object that has the name as its value', async () => {
  const { data, read } = openProject({ 'a.ts': 'function run() {}\nexport const o = { run };\n' });
  await data(renameSymbol, { path: 'a.ts', name_path: 'run', new_name: 'start' });
  expect(read('a.ts')).toBe('function start() {}\nexport const o = { run: start };\n');
});

const DOUBTS = [
  [
    'another symbol of that name',
    { 'b.ts': 'class B {\n  run() {}\n}\n' },
    'other symbols have the same name: B/run (b.ts:2)',
  ],
  ['a member of something else', { 'b.ts': 'other.run();\n' }, 'these may mean something else: b.ts:1'],
  ['the key of an object', { 'b.ts': 'call({ run: 1 });\n' }, 'these may mean something else: b.ts:1'],
  ['a member of a call', { 'b.ts': 'make().run();\n' }, 'these may mean something else: b.ts:1'],
] as const;

test.for(DOUBTS)('refuses where there is %s, and changes nothing', async ([, files, why]) => {
  const { ask, read } = openProject({ 'a.ts': 'export function run() {}\nrun();\n', ...files });
  expect(await ask(renameSymbol, { path: 'a.ts', name_path: 'run', new_name: 'start' })).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
    error: `run cannot be renamed by its name alone, since ${why}; nothing was changed`,
  });
  expect(read('a.ts')).toBe('export function run() {}\nrun();\n');
});

test.for([
  ['an argument by its name', 'a.py', 'def run():\n    pass\n\ncall(run=1)\n', 4],
  ['a field of a literal', 'a.rs', 'fn run() {}\nfn b() { T { run: 1 }; }\n', 2],
  ['a hash key', 'a.rb', 'def run\nend\ncall(run: 1)\n', 3],
] as const)('refuses where the name is %s', async ([, path, text, line]) => {
  const { ask } = openProject({ [path]: text });
  expect(await ask(renameSymbol, { path, name_path: 'run', new_name: 'start' })).toMatchObject({
    ok: false,
    error: `run cannot be renamed by its name alone, since these may mean something else: ${path}:${line}; nothing was changed`,
  });
});

test('refuses to rename a method that is called on something', async () => {
  const { ask } = openProject({ 'a.ts': 'class A {\n  run() {}\n}\nnew A().run();\n' });
  expect(await ask(renameSymbol, { path: 'a.ts', name_path: 'A/run', new_name: 'start' })).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
  });
});

test('refuses a name that is in use in one of the files', async () => {
  const { ask } = openProject({ 'a.ts': 'function run() {}\nconst start = run;\n' });
  expect(await ask(renameSymbol, { path: 'a.ts', name_path: 'run', new_name: 'start' })).toMatchObject({
    ok: false,
    error: 'start is in use already, at a.ts:2; nothing was changed',
  });
});

test.for(['', 'a b', '1a', 'a-b', 'parse', 'a;b'])('refuses the new name %j', async (new_name) => {
  const { ask } = openProject();
  expect(await ask(renameSymbol, { ...PARSE, new_name })).toMatchObject({ ok: false, error_code: 'invalid_args' });
});

test('refuses what is not declared by an identifier', async () => {
  const { ask } = openProject({ 'a.json': '{ "long": 1 }\n' });
  expect(await ask(renameSymbol, { path: 'a.json', name_path: 'long', new_name: 'other' })).toMatchObject({
    ok: false,
    error: 'long is not declared by an identifier',
  });
});

test('refuses another version', async () => {
  const { ask, read } = openProject();
  expect(await ask(renameSymbol, { ...PARSE, if_version: '1-x' })).toMatchObject({
    ok: false,
    error_code: 'stale_file',
  });
  expect(read('src/parse.ts')).toContain('parse(text');
});

test('leaves out the search in texts for a short name', async () => {
  const { data } = openProject({ 'a.ts': '// run\nfunction run() {}\n' });
  const answer = await data(renameSymbol, { path: 'a.ts', name_path: 'run', new_name: 'start' });
  expect(answer).toMatchObject({ sweep_skipped: true });
  expect(answer).not.toHaveProperty('textual_matches');
});

test('refuses the name that the symbol has', async () => {
  const { ask } = openProject();
  expect(await ask(renameSymbol, { ...PARSE, new_name: 'parse' })).toMatchObject({
    ok: false,
    error_code: 'invalid_args',
    error: 'parse is called parse already',
  });
});

test('refuses a name that more than a thousand files use, and changes none', async () => {
  const uses = Array.from({ length: 1_000 }, (_, i) => [`u${i}.ts`, 'run();\n'] as const);
  const { ask, read } = openProject({ 'a.ts': 'export function run() {}\n', ...Object.fromEntries(uses) });
  expect(await ask(renameSymbol, { path: 'a.ts', name_path: 'run', new_name: 'start' })).toMatchObject({
    ok: false,
    error_code: 'resource_limit',
    error: 'the name is used in 1001 files; nothing was changed',
  });
  expect(read('u0.ts')).toBe('run();\n');
}, 30_000);
