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
      { file: 'src/store.ts', line: 1, count: 1, preview: "import { parseText } from './parse.ts';" },
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

const RUN = { path: 'a.ts', name_path: 'run', new_name: 'start' };
const DECLARES_RUN = 'export function run() {}\nrun();\n';
const PY_RUN = { path: 'a.py', name_path: 'run', new_name: 'start' };

test.for([
  ['a function of a library', 'a.ts', { 'b.ts': "import axios from 'axios';\naxios.run('/y');\n" }, 'b.ts:2'],
  [
    'a member of a namespace that cannot be found',
    'a.ts',
    { 'b.ts': "import * as b from '@/b';\nb.run();\n" },
    'b.ts:2',
  ],
  ['an import that cannot be found', 'a.ts', { 'b.ts': "import { run } from '@/a';\n" }, 'b.ts:1'],
  ['a name that nothing declares', 'a.ts', { 'b.ts': 'export {};\nrun();\n' }, 'b.ts:2'],
  [
    'a parameter in a file that imports it',
    'a.ts',
    { 'b.ts': "import { run } from './a';\nconst f = (run) => run;\n" },
    'b.ts:2',
  ],
  ['what is taken out of something', 'a.ts', { 'b.ts': "import('./a').then(({ run }) => run());\n" }, 'b.ts:1'],
  [
    'a use in the markup of a component',
    'a.ts',
    { 'b.vue': "<template>{{ run() }}</template>\n<script>\nimport { run } from './a';\n</script>\n" },
    'b.vue:1',
  ],
  [
    'a member by its text',
    'a.ts',
    { 'b.ts': "import { run } from './a';\nimport * as a from './a';\na['run'](run);\n" },
    'b.ts:3',
  ],
  ['an object that may be the module', 'a.py', { 'b.py': 'import a\nfor m in [a]:\n    m.run()\n' }, 'b.py:3'],
  ['a module that a parameter hides', 'a.py', { 'b.py': 'import a\ndef f(a):\n    a.run()\n' }, 'b.py:3'],
  [
    'a local variable behind an import of all',
    'a.py',
    { 'b.py': 'from a import *\ndef f(run):\n    run()\n' },
    'b.py:2',
  ],
  ['a list of what is exported', 'a.py', { 'b.py': "from a import run\n__all__ = ['run']\n" }, 'b.py:2'],
] as const)('refuses where there is %s, in another file', async ([, path, files, place]) => {
  const text = path === 'a.ts' ? DECLARES_RUN : 'def run():\n    pass\n';
  const { ask, read } = openProject({ [path]: text, ...files });
  expect(await ask(renameSymbol, { ...RUN, path })).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
    error: expect.stringContaining(`these may mean something else: ${place}`),
  });
  expect(read(path)).toBe(text);
});

test.for([
  ['a parameter', 'export function run() {}\nexport const f = (run: number) => run;\n', 2],
  ['a local variable', 'export function run() {}\nfunction f() {\n  const run = 1;\n  return run;\n}\n', 3],
  ['a type parameter', 'export class run {}\nexport class Store<run> {}\n', 2],
  ['a variable of a loop', 'export function run() {}\nfor (const run of []) {}\n', 2],
  ['what is caught', 'export function run() {}\ntry {} catch (run) {}\n', 2],
  ['what is taken out of an object', 'export function run() {}\nconst { run: { x }, y: run } = z;\n', 2],
] as const)('refuses where %s of the declaring file has the name', async ([, text, line]) => {
  const { ask, read } = openProject({ 'a.ts': text });
  expect(await ask(renameSymbol, { ...RUN, new_name: 'Start' })).toMatchObject({
    ok: false,
    error: expect.stringContaining(`these may mean something else: a.ts:${line}`),
  });
  expect(read('a.ts')).toBe(text);
});

test.for([
  ['the locals of a file that does not import it', { 'b.ts': 'export function f(run: number) { return run + 1; }\n' }],
  ['a file that imports the name from elsewhere', { 'b.ts': "import { run } from 'node:test';\nrun();\n" }],
  ['a member of a library', { 'b.ts': "import * as fs from 'node:fs';\nfs.run();\nJSON.run();\n" }],
  [
    'a file that imports it as something else',
    { 'b.ts': "import { run as go } from './a';\nconst f = (run: number) => go(run);\n" },
    1,
  ],
  ['a file that takes it by require', { 'b.js': "const { run } = require('./a');\nrun();\n" }, 1],
] as const)('leaves %s alone', async ([, files, imports = 0]) => {
  const { data, read } = openProject({ 'a.ts': DECLARES_RUN, ...files });
  expect(await data(renameSymbol, RUN)).toMatchObject({ total_edits: 2 + imports });
  const [[file, text]] = Object.entries(files) as [[string, string]];
  const imported = { 'b.ts': '{ start as go }', 'b.js': '{ start: run }' }[file];
  expect(read(file)).toBe(imports === 0 ? text : text.replace(/\{ run[^}]*\}/, imported ?? ''));
});

test('leaves the keyword arguments and members of other modules of Python alone', async () => {
  const other = 'import json\ndef other(run=None):\n    return json.run(run)\nother(run=1)\n';
  const { data, read } = openProject({ 'a.py': 'def run():\n    pass\n', 'n.py': other });
  expect(await data(renameSymbol, PY_RUN)).toMatchObject({ total_edits: 1 });
  expect(read('n.py')).toBe(other);
});

test('follows exports from file to file', async () => {
  const files = {
    'a.ts': DECLARES_RUN,
    'all.ts': "export * from './a';\n",
    'some.ts': "export { run } from './all';\n",
    'other.ts': "export { run as go } from './a';\n",
    'use.ts':
      "import { run } from './some';\nimport * as all from './all';\nrun();\nall.run();\nexport default { run };\n",
  };
  const { data, read } = openProject(files);
  await data(renameSymbol, RUN);
  expect(read('some.ts')).toBe("export { start } from './all';\n");
  expect(read('other.ts')).toBe("export { start as go } from './a';\n");
  expect(read('use.ts')).toBe(
    "import { start } from './some';\nimport * as all from './all';\nstart();\nall.start();\nexport default { run: start };\n",
  );
});

test('follows imports of packages of Python', async () => {
  const { data, read } = openProject({
    'pkg/__init__.py': 'from .a import run\n',
    'pkg/a.py': 'def run():\n    pass\n',
    'use.py': 'import pkg\nimport pkg.a as x\nfrom pkg import a, run\npkg.run(x.run, a.run, run)\n',
  });
  await data(renameSymbol, { ...PY_RUN, path: 'pkg/a.py' });
  expect(read('pkg/__init__.py')).toBe('from .a import start\n');
  expect(read('use.py')).toBe(
    'import pkg\nimport pkg.a as x\nfrom pkg import a, start\npkg.start(x.start, a.start, start)\n',
  );
});

test('refuses a new name that another file behind the same export has', async () => {
  const { ask } = openProject({
    'a.ts': DECLARES_RUN,
    'b.ts': 'export function start() {}\n',
    'all.ts': "export * from './a';\nexport * from './b';\n",
  });
  expect(await ask(renameSymbol, RUN)).toMatchObject({
    ok: false,
    error: 'start is in use already, at b.ts:1; nothing was changed',
  });
});

test.for([
  ['this of another class', 'class A {\n  run() {}\n}\nclass B {\n  go() {\n    this.run();\n  }\n}\n'],
  ['this of a function', 'class A {\n  run() {}\n  go() {\n    return function () { this.run(); };\n  }\n}\n'],
  ['a type that is extended', 'class A extends Z {\n  run() {}\n  go() {\n    this.run();\n  }\n}\n'],
] as const)('refuses to rename a method where there is %s', async ([, text]) => {
  const { ask, read } = openProject({ 'a.ts': text });
  expect(await ask(renameSymbol, { ...RUN, name_path: 'A/run' })).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
  });
  expect(read('a.ts')).toBe(text);
});

test.for([
  ['A.java', 'class A {\n  static int run() { return 1; }\n  int go(int run) { return run; }\n}\n', 'A/run'],
  ['a.go', 'package a\nfunc run() {}\nfunc f(run int) int { return run }\n', 'run'],
  ['a.go', 'package a\nfunc run() {}\nfunc f() { run, err := g(); h(run, err) }\n', 'run'],
  ['a.rs', 'fn run() {}\nfn f() { let run = 1; g(run); }\n', 'run'],
  ['a.c', 'int run(int a) { return a; }\nint f(int run) { return run; }\n', 'run'],
  ['a.c', 'int run(int a) { return a; }\n#define TWICE(x) run(run(x))\n', 'run'],
] as const)('refuses where a local of %s has the name', async ([path, text, name_path]) => {
  const { ask, read } = openProject({ [path]: text });
  expect(await ask(renameSymbol, { path, name_path, new_name: 'start' })).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
  });
  expect(read(path)).toBe(text);
});

test('renames a function of Go in the files of its package', async () => {
  const { data, read } = openProject({
    'a.go': 'package a\nfunc run() int { return 1 }\n',
    'b.go': 'package a\nfunc f() int { return g(run()) }\n',
  });
  await data(renameSymbol, { path: 'a.go', name_path: 'run', new_name: 'start' });
  expect(read('b.go')).toBe('package a\nfunc f() int { return g(start()) }\n');
});

test.for([
  ['a.ts', DECLARES_RUN, 'while'],
  ['a.ts', DECLARES_RUN, 'enum'],
  ['a.py', 'def run():\n    pass\n', 'None'],
  ['a.py', 'def run():\n    pass\n', 'lambda'],
  ['a.go', 'package a\nfunc run() {}\n', 'range'],
  ['a.rs', 'fn run() {}\n', 'match'],
  ['a.c', 'int run(int a) { return a; }\n', 'return'],
  ['a.php', '<?php\nfunction run() {}\n', 'while'],
  ['a.kt', 'fun run() {}\n', 'fun'],
  ['a.cs', 'class run {}\n', 'class'],
] as const)('refuses in %s %j the word %s of the language', async ([path, text, new_name]) => {
  const { ask, read } = openProject({ [path]: text });
  expect(await ask(renameSymbol, { path, name_path: 'run', new_name })).toMatchObject({
    ok: false,
    error_code: 'invalid_args',
  });
  expect(read(path)).toBe(text);
});

test('takes the path by the names that other tools have for it', async () => {
  const { data } = openProject();
  const { path, ...rest } = PARSE;
  expect(await data(renameSymbol, { ...rest, relative_path: path })).toMatchObject({ status: 'ok' });
});

test('refuses a name that Python itself goes by', async () => {
  const { ask } = openProject({ 'a.py': '__all__ = []\n' });
  expect(await ask(renameSymbol, { path: 'a.py', name_path: '__all__', new_name: 'names' })).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
  });
});

const LOAD = 'def load():\n    pass\n';

test.for([
  ['scripts/json.py', { 'other/n.py': 'import json\njson.load()\n' }],
  ['pkg/json.py', { 'pkg/__init__.py': '', 'pkg/n.py': 'from json import load\nload()\n' }],
  ['pkg/logging.py', { 'main.py': 'import logging as l\nl.load()\n' }],
] as const)('leaves the standard library alone where %s has the name of a module', async ([path, files]) => {
  const { data, read } = openProject({ [path]: LOAD, ...files });
  expect(await data(renameSymbol, { path, name_path: 'load', new_name: 'fetch' })).toMatchObject({ total_edits: 1 });
  for (const [file, text] of Object.entries(files)) expect(read(file)).toBe(text);
});

test.for([
  ['tools/a/utils.py', 'svc/n.py', 'from utils import load\n', 1],
  ['tools/a/utils.py', 'svc/n.py', 'import utils\nutils.load()\n', 2],
  ['src/json.py', 'svc/n.py', 'import json\njson.load()\n', 2],
  ['scripts/json.py', 'scripts/n.py', 'import json\njson.load()\n', 2],
  ['tools/a/b.py', 'svc/n.py', 'from a import b\nb.load()\n', 2],
] as const)('refuses where %s may not be what %s imports with %j', async ([path, file, text, line]) => {
  const { ask, read } = openProject({ [path]: LOAD, [file]: text });
  expect(await ask(renameSymbol, { path, name_path: 'load', new_name: 'fetch' })).toMatchObject({
    ok: false,
    error: expect.stringContaining(`these may mean something else: ${file}:${line}`),
  });
  expect(read(path)).toBe(LOAD);
});

test.for([
  ['utils.py', 'svc/n.py', 'utils'],
  ['src/a/utils.py', 'tests/n.py', 'a.utils'],
  ['lib/utils.py', 'tests/n.py', 'utils'],
  ['tools/utils.py', 'tools/n.py', 'utils'],
  ['json.py', 'n.py', 'json'],
] as const)('renames in Python what %s declares and %s imports', async ([path, file, module]) => {
  const { data, read } = openProject({ [path]: LOAD, [file]: `from ${module} import load\nload()\n` });
  await data(renameSymbol, { path, name_path: 'load', new_name: 'fetch' });
  expect(read(file)).toBe(`from ${module} import fetch\nfetch()\n`);
});

test('says of a rename by name that each use was judged', async () => {
  const { ask } = openProject();
  const { meta } = await ask(renameSymbol, PARSE);
  const warnings = (meta as { warnings: string[] }).warnings.join('\n');
  expect(warnings).toContain('each use of parse was judged by syntax trees');
  expect(warnings).not.toContain('others of that name');
});

test('says that a file is not among the sources', async () => {
  const { ask } = openProject({ 'vendor/a.ts': 'export function get() {}\n' });
  expect(await ask(renameSymbol, { path: 'vendor/a.ts', name_path: 'get', new_name: 'fetch' })).toMatchObject({
    ok: false,
    error: expect.stringContaining('vendor/a.ts is not among the source files of the project'),
  });
});

test.each([
  ['lines in front of a script', 'a.js', `${'\n'.repeat(200_000)}function run() {}\n`, 'run();\n'],
  ['lists of exports without an end', 'a.py', 'def run():\n    pass\n', `${'__all__\n'.repeat(100_000)}# run\n`],
  ['macros that go on', 'a.c', 'void run(void) {}\n', `${'#define a \\\n'.repeat(60_000)}\n/* run */\n`],
  ['blanks of an import', 'a.py', 'def run():\n    pass\n', `from${' '.repeat(20_000)}.import run\nrun()\n`],
])(
  'takes little time for many %s',
  async (_, file, declared, text) => {
    const other = `b${file.slice(1)}`;
    const { ask } = openProject({ [file]: `${declared}${text}`, [other]: text });
    const started = performance.now();
    await ask(renameSymbol, { path: file, name_path: 'run', new_name: 'start' });
    expect(performance.now() - started).toBeLessThan(15_000);
  },
  120_000,
);
