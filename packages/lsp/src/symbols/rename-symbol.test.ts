import fs from 'node:fs';
import path from 'node:path';
import { countProcessorTime } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { DECLARES_RUN, openProject, RUN } from './fixture/project.ts';
import { renameSymbol } from './rename-symbol.ts';

const TEXT = `/** Reads a text; see parse. */
function parse(text: string): string {
  return text.trim();
}

export const all = (texts: string[]) => texts.map((text) => parse(text));
`;
const FILES = {
  'src/parse.ts': TEXT,
  'src/other.ts': '// parse is elsewhere\nexport const name = "parse";\n',
  'tools/use.py': 'def parse(text):\n    return text\n',
};

const PARSE = { path: 'src/parse.ts', name_path: 'parse', new_name: 'parseText' };

test('renames a function and its uses in its file, and says where the name stands in text', async () => {
  const { data, read } = openProject(FILES);
  expect(await data(renameSymbol, PARSE)).toEqual({
    status: 'ok',
    old_name: 'parse',
    new_name: 'parseText',
    files_changed: 1,
    total_edits: 2,
    textual_matches: [
      { file: 'src/other.ts', line: 1, count: 2, preview: '// parse is elsewhere' },
      { file: 'src/parse.ts', line: 1, count: 1, preview: '/** Reads a text; see parse. */' },
    ],
  });
  expect(read('src/parse.ts')).toBe(TEXT.replaceAll('parse(', 'parseText('));
  for (const file of ['src/other.ts', 'tools/use.py'] as const) expect(read(file)).toBe(FILES[file]);
});

test('says that no server was asked, and gives an undo', async () => {
  const { ask } = openProject(FILES);
  const { meta } = await ask(renameSymbol, { ...PARSE, path: './src/parse.ts' });
  expect(meta).toMatchObject({
    textual: true,
    operation_id: expect.any(String),
    files: [{ path: 'src/parse.ts' }],
    warnings: [expect.stringMatching(/without a language server .*: no other source file has parse in its code$/)],
  });
});

test('a name that another file has is refused with the places and the ways to go on', async () => {
  const files = {
    'src/parse.ts': `export ${TEXT.slice(TEXT.indexOf('function'))}`,
    'src/store.ts': "import { parse } from './parse.ts';\n\nparse('a');\nparse('b');\n",
  };
  const { ask, read } = openProject(files);
  const answer = await ask(renameSymbol, PARSE);
  expect(answer).toMatchObject({ ok: false, error_code: 'lsp_unavailable' });
  expect(answer.error).toMatch(
    /^parse cannot be renamed without a language server \(no language server for TypeScript: .*\), since other files \(1\) have the name in their code; nothing was changed; places \(5\): src\/parse\.ts:1,5; src\/store\.ts:1,3,4$/,
  );
  expect(answer.suggestion).toMatch(/^install with: npm .*; or, if all places mean it, search_replace \{/);
  for (const [file, text] of Object.entries(files)) expect(read(file)).toBe(text);
});

/** The arguments of the call of search_replace that a refusal names. */
function callIn(suggestion = '') {
  const [, call = '{}'] = /search_replace (\{.*\})/.exec(suggestion) ?? [];
  return JSON.parse(call);
}

test('the call of search_replace has just these files, and a pattern of whole names', async () => {
  const { ask } = openProject({
    'a.ts': 'export const $run = 1;\n',
    '[b].ts': "import { $run } from './a';\nconst x$run = $run1 + $run;\n",
    'c.ts': '// $run\n',
  });
  const { suggestion } = await ask(renameSymbol, { path: 'a.ts', name_path: '$run', new_name: '$1' });
  const call = callIn(suggestion);
  expect(call).toMatchObject({ replacement: '$1', literal_replacement: true, files: ['a.ts', '[b].ts'] });
  const replaced = '$run x$run $run1 $run'.replace(new RegExp(call.pattern, 'g'), () => '$1');
  expect(replaced).toBe('$1 x$run $run1 $1');
});

test('the list of places is cut, and says how much is left', async () => {
  const uses = Array.from(
    { length: 60 },
    (_, i) => [`u${String(i).padStart(2, '0')}.ts`, 'run();\n'.repeat(8)] as const,
  );
  const { ask, read } = openProject({ 'a.ts': DECLARES_RUN, ...Object.fromEntries(uses) });
  const { error, suggestion } = await ask(renameSymbol, RUN);
  expect(error).toContain('other files (60) have the name');
  expect(error).toContain('places (482): a.ts:1,2; u00.ts:1,2,3,4,5 and 3 more lines; u01.ts:');
  expect(error).toMatch(/u18\.ts:1,2,3,4,5 and 3 more lines; and 41 more files$/);
  expect(callIn(suggestion).files).toHaveLength(50);
  expect(suggestion).toMatch(/then the same in the other 11 files, which find_references lists$/);
  expect(read('u00.ts')).toBe('run();\n'.repeat(8));
});

test('a name of a file that holds a line break stays on one line', async () => {
  const { ask, root } = openProject({ 'a.ts': DECLARES_RUN });
  fs.writeFileSync(path.join(root, 'b\n\u001b[2J.ts'), 'run();\n');
  const { error, suggestion } = await ask(renameSymbol, RUN);
  expect(error).toContain('b\\n\\u001b[2J.ts:1');
  expect(`${error}${suggestion}`).not.toMatch(/\p{Cc}/u);
  expect(callIn(suggestion).files).toEqual(['a.ts', 'b\n\u001b[2J.ts']);
});

test.for([
  ['imports it', 'a.ts', { 'b.ts': "import { run } from './a';\n" }],
  ['has a local of that name', 'a.ts', { 'b.ts': 'export const f = (run: number) => 1;\n' }],
  ['has a member of that name', 'a.ts', { 'b.ts': 'other.run();\n' }],
  ['has a key of that name', 'a.ts', { 'b.js': 'call({ run: 1 });\n' }],
  ['declares another', 'a.ts', { 'b.ts': 'class B {\n  run() {}\n}\n' }],
  ['names a member by its text', 'a.ts', { 'b.ts': "import * as a from './a';\na['run']();\n" }],
  ['names it in the markup of a component', 'a.ts', { 'b.vue': '<template>{{ run() }}</template>\n' }],
  ['names it in a page', 'a.js', { 'b.html': '<button onclick="run()">\n' }],
  ['lists it for export', 'a.py', { 'b.py': "from a import *\n__all__ = ['run']\n" }],
  ['is in the same package', 'a.go', { 'b.go': 'package a\nfunc f() int { return g(run()) }\n' }],
  ['has a macro with it', 'a.c', { 'a.h': '#define TWICE(x) \\\n  run(run(x))\n' }],
  ['declares it in another language', 'a.c', { 'b.rs': 'extern "C" {\n    fn run(a: i32) -> i32;\n}\n' }],
] as const)('refuses where another file %s', async ([, own, files]) => {
  const text = {
    ts: DECLARES_RUN,
    js: 'function run() {}\n',
    py: 'def run():\n    pass\n',
    go: 'package a\nfunc run() int { return 1 }\n',
    c: 'int run(int a) { return a; }\n',
  }[own.slice(2)] as string;
  const { ask, read } = openProject({ [own]: text, ...files });
  const [file] = Object.keys(files) as [string];
  expect(await ask(renameSymbol, { ...RUN, path: own })).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
    error: expect.stringContaining(`${file}:`),
  });
  expect(read(own)).toBe(text);
});

test.for([
  ['a comment', { 'b.ts': '// run\n' }],
  ['a string', { 'b.ts': "describe('run', f);\n" }],
  ['another language', { 'b.py': 'def run():\n    pass\n' }],
  ['a page without code', { 'b.md': '# run\n' }],
] as const)('renames where another file has the name in %s', async ([, files]) => {
  const { data } = openProject({ 'a.ts': DECLARES_RUN, ...files });
  expect(await data(renameSymbol, RUN)).toMatchObject({ files_changed: 1, total_edits: 2 });
});

test.for([
  ['an exported function', 'a.ts', 'export function run() {}\n', true],
  ['an export by list', 'a.ts', 'function run() {}\nexport { run as go };\n', true],
  ['a local function of a module', 'a.ts', 'function run() {}\nexport const a = run();\n', false],
  ['what CommonJS exports', 'a.js', 'function run() {}\nmodule.exports = { run };\n', true],
  ['a function in a function', 'a.ts', 'export function f() {\n  function run() {}\n}\n', false],
  ['a name of Python', 'a.py', 'def run():\n    pass\n', true],
  ['a private name of Python', 'a.py', 'def _run():\n    pass\n', false],
  ['a name of Go in upper case', 'a.go', 'package a\nfunc Run() {}\n', true],
  ['a name of Go in lower case', 'a.go', 'package a\nfunc run() {}\n', false],
  ['what Rust makes public', 'a.rs', 'pub fn run() {}\n', true],
  ['what Rust does not', 'a.rs', 'fn run() {}\n', false],
  ['a function of C', 'a.c', 'int run(int a) { return a; }\n', true],
  ['a static function of C', 'a.c', 'static int run(int a) { return a; }\n', false],
  ['a method', 'a.ts', 'class A {\n  run() {}\n}\n', true],
  ['a private method', 'a.ts', 'class A {\n  private run() {}\n}\n', false],
] as const)('tells of %s in %s %j whether others may use it', async ([, file, text, isPublic]) => {
  const { ask } = openProject({ [file]: text });
  const name_path = /_?[Rr]un/.exec(text)?.[0] ?? '';
  const answer = await ask(renameSymbol, { path: file, name_path, new_name: 'begin' });
  expect(answer).toMatchObject({ ok: true });
  const warnings = (answer.meta as { warnings: string[] }).warnings.join('\n');
  expect(warnings.includes('others outside of the project may use it')).toBe(isPublic);
});

test.for([
  ['a method that is called on this', 'a.ts', 'class A {\n  run() {}\n  go() {\n    this.run();\n  }\n}\n'],
  [
    'a method of Java that is called alone',
    'A.java',
    'class A {\n  int run() { return 1; }\n  int go() { return run(); }\n}\n',
  ],
  ['a member of an enum', 'a.ts', 'enum A { run }\nconst a = A.run;\n'],
  ['all overloads', 'a.ts', 'function run(): void;\nfunction run(a?: number): void {}\nrun();\n'],
  ['a type', 'a.ts', 'interface run {}\nconst a: run[] = [] as Array<run>;\nclass B implements run {}\n'],
  ['a component', 'a.tsx', 'function Run() { return <p />; }\nexport default () => <Run><Run /></Run>;\n'],
  ['what a template and a list use', 'a.js', 'let run = 1;\nrun += 1;\nf(`$\u007brun}`, [run, ...run], { a: run });\n'],
  [
    'a class of Python',
    'a.py',
    'class Run:\n    pass\n\ndef f(a: Run, b: list[Run]) -> Run:\n    return [Run(), f"{Run}"], Run\n',
  ],
  [
    'a function of Go',
    'a.go',
    'package a\nfunc run() int { return 1 }\nfunc f() (int, int) { return run(), 1 + run() }\n',
  ],
  ['a function of Rust', 'a.rs', 'fn run() -> u8 { 1 }\nfn f() -> u8 { g(run()) + run() }\n'],
  ['a function of C', 'a.c', 'int run(int a);\nint run(int a) { return a; }\nint f(void) { return g(run(1)); }\n'],
] as const)('renames within a file %s', async ([, file, text]) => {
  const { data, read } = openProject({ [file]: text });
  const [, old = ''] = /\b([Rr]un)\b/.exec(text) ?? [];
  const owner = /^(?:class|enum) A\b/.test(text) ? 'A/' : '';
  const overload = text.startsWith('function run():') || file === 'a.c' ? '[0]' : '';
  await data(renameSymbol, { path: file, name_path: `${owner}${old}${overload}`, new_name: 'Start' });
  expect(read(file)).toBe(text.replaceAll(new RegExp(`\\b${old}\\b`, 'g'), 'Start'));
});

test.for([
  ['a.ts', 'function run() {}\nexport const o = { run };\n', 'function start() {}\nexport const o = { run: start };\n'],
  [
    'a.rs',
    'static run: u8 = 1;\nfn f() { g(T { run }); }\n',
    'static start: u8 = 1;\nfn f() { g(T { run: start }); }\n',
  ],
] as const)('keeps the key of an object in %s that has the name as its value', async ([path, text, after]) => {
  const { data, read } = openProject({ [path]: text });
  await data(renameSymbol, { ...RUN, path });
  expect(read(path)).toBe(after);
});

const LOCALS = [
  ['a parameter', 'a.ts', 'export const f = (run: number) => run;\n', 2],
  ['a local variable', 'a.ts', 'function f() {\n  const run = 1;\n  return run;\n}\n', 3],
  ['a type parameter', 'a.ts', 'export class Store<run> {}\n', 2],
  ['a variable of a loop', 'a.ts', 'for (const run of []) {}\n', 2],
  ['what is caught', 'a.ts', 'try {} catch (run) {}\n', 2],
  ['what is taken out of an object', 'a.ts', 'const { run: { x }, y: run } = z;\n', 2],
  ['what is taken out of it by its name', 'a.ts', 'const f = ({ run }) => 1;\n', 2],
  ['a label', 'a.js', 'run: for (;;) break run;\n', 2],
  ['a member of something else', 'a.ts', 'axios.run();\n', 2],
  ['a member of this', 'a.ts', 'this.run();\n', 2],
  ['the key of an object', 'a.ts', 'call({ run: 1 });\n', 2],
  ['another symbol of that name', 'a.ts', 'class B {\n  run() {}\n}\n', 3],
  ['a name of another module that is exported', 'a.js', "export { run } from 'pkg';\n", 2],
  ['an export by that name', 'a.js', 'const f = 1;\nexport { f as run };\n', 3],
  ['a member by its text', 'a.ts', "self['run']();\n", 2],
  ['a parameter', 'a.py', 'def f(run):\n    return run\n', 3],
  ['a parameter of a type', 'a.py', 'def f[run](a):\n    pass\n', 3],
  ['an argument by its name', 'a.py', 'call(run=1)\n', 3],
  ['what is removed', 'a.py', 'def f():\n    del run\n', 4],
  ['a variable of a loop', 'a.py', 'for a, run in b:\n    pass\n', 3],
  ['what is imported', 'a.py', 'from b import run\n', 3],
  ['a list of what is exported', 'a.py', "__all__ = ['run']\n", 3],
  ['a parameter', 'a.go', 'func f(run int) int { return run }\n', 3],
  ['a variable beside another', 'a.go', 'func f() { run, err := g(); h(run, err) }\n', 3],
  ['a local variable', 'a.rs', 'fn f() { let run = 1; g(run); }\n', 2],
  ['a field of a literal', 'a.rs', 'fn b() { T { run: 1 }; }\n', 2],
  ['a place of a text with places', 'a.rs', 'fn b() { println!("{run:?}"); }\n', 2],
  ['a parameter', 'a.c', 'int f(int run) { return run; }\n', 2],
  ['a macro', 'a.c', '#define TWICE(x) run(run(x))\n', 2],
  ['a store', 'a.svelte', 'f($run);\n</script>\n', 3],
  ['a text in a language whose uses are not known', 'a.lua', '_G["run"]()\n', 3],
  ['a hash key', 'a.rb', 'call(run: 1)\n', 3],
  ['a name as a value', 'a.rb', 'private :run\n', 3],
] as const;
const DECLARED: Readonly<Record<string, string>> = {
  ts: 'export function run() {}\n',
  js: 'function run() {}\n',
  py: 'def run():\n    pass\n',
  go: 'package a\nfunc run() {}\n',
  rs: 'fn run() {}\n',
  c: 'int run(int a) { return a; }\n',
  rb: 'def run\nend\n',
  lua: 'function run()\nend\n',
  svelte: '<script>\nfunction run() {}\n',
};

test.for(LOCALS)('refuses where %s in %s has the name: %j', async ([, file, text, line]) => {
  const whole = `${DECLARED[file.slice(2)]}${text}`;
  const { ask, read } = openProject({ [file]: whole });
  expect(await ask(renameSymbol, { ...RUN, path: file })).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
    error: expect.stringMatching(
      new RegExp(`since these may mean something else; nothing was changed; places \\(\\d+\\): ${file}:(\\d,)*${line}`),
    ),
  });
  expect(read(file)).toBe(whole);
});

test.for([
  ['is called on something', 'a.ts', 'class A {\n  run() {}\n}\nnew A().run();\n'],
  [
    'is called on this of another class',
    'a.ts',
    'class A {\n  run() {}\n}\nclass B {\n  go() {\n    this.run();\n  }\n}\n',
  ],
  [
    'is called on this of a function',
    'a.ts',
    'class A {\n  run() {}\n  go() {\n    return function () { this.run(); };\n  }\n}\n',
  ],
  [
    'is called on this of a class within',
    'a.ts',
    'class A {\n  run() {}\n  go() {\n    return class { go = () => this.run(); };\n  }\n}\n',
  ],
  ['may be that of a type that is extended', 'a.ts', 'class A extends Z {\n  run() {}\n}\n'],
  [
    'has a parameter of its name',
    'A.java',
    'class A {\n  static int run() { return 1; }\n  int go(int run) { return run; }\n}\n',
  ],
  ['belongs to an object', 'a.ts', 'export const A = {\n  run() {},\n};\n'],
] as const)('refuses to rename a method that %s', async ([, path, text]) => {
  const { ask, read } = openProject({ [path]: text });
  expect(await ask(renameSymbol, { ...RUN, path, name_path: 'A/run' })).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
  });
  expect(read(path)).toBe(text);
});

test.for([
  ['a.py', '__all__ = []\n', '__all__'],
  ['a.go', 'package main\nfunc main() {}\n', 'main'],
  ['Run.java', 'public class Run {}\n', 'Run'],
  ['run_all.rb', 'class RunAll\nend\n', 'RunAll'],
  ['a.ts', 'class A {\n  toString() {\n    return "";\n  }\n}\n', 'A/toString'],
  ['a.ts', 'class A {\n  constructor() {}\n}\n', 'A/constructor'],
] as const)('refuses in %s %j a name that is called from elsewhere', async ([path, text, name_path]) => {
  const { ask, read } = openProject({ [path]: text });
  expect(await ask(renameSymbol, { path, name_path, new_name: 'start' })).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
  });
  expect(read(path)).toBe(text);
});

test('refuses to make an element of HTML of a component', async () => {
  const text = 'function Run() { return 1; }\nexport default () => <Run />;\n';
  const { ask, read } = openProject({ 'a.tsx': text });
  expect(await ask(renameSymbol, { path: 'a.tsx', name_path: 'Run', new_name: 'start' })).toMatchObject({ ok: false });
  expect(read('a.tsx')).toBe(text);
});

test('refuses a use outside of the function that declares the name', async () => {
  const text = 'function f() {\n  function run() {}\n}\nrun();\n';
  const { ask, read } = openProject({ 'a.ts': text });
  expect(await ask(renameSymbol, { ...RUN, name_path: 'f/run' })).toMatchObject({ ok: false });
  expect(read('a.ts')).toBe(text);
});

const OTHER_START = { 'b.ts': 'export function start() {}\n' };

test.for([
  ['in the file', { 'a.ts': 'function run() {}\nconst start = run;\n' }, 'a.ts:2'],
  ['in a string of the file', { 'a.ts': 'function run() {}\nf("start");\n' }, 'a.ts:2'],
  ['in another file that may share exports', { 'a.ts': DECLARES_RUN, ...OTHER_START }, 'b.ts:1'],
  ['in another script of the page', { 'a.ts': 'function run() {}\n', 'b.ts': 'function start() {}\n' }, 'b.ts:1'],
] as const)('refuses a new name that is in use %s', async ([, files, place]) => {
  const { ask } = openProject(files);
  expect(await ask(renameSymbol, RUN)).toMatchObject({
    ok: false,
    error_code: 'invalid_args',
    error: `start is in use already, at ${place}; nothing was changed`,
  });
});

test('takes a new name that another module has, if the symbol is not exported', async () => {
  const { data } = openProject({ 'a.ts': 'function run() {}\nexport const a = run();\n', ...OTHER_START });
  expect(await data(renameSymbol, RUN)).toMatchObject({ total_edits: 2 });
});

test.for(['', 'a b', '1a', 'a-b', 'parse', 'a;b', 'a\nb', '$&(', 'x\u0000'])(
  'refuses the new name %j',
  async (new_name) => {
    const { ask } = openProject(FILES);
    expect(await ask(renameSymbol, { ...PARSE, new_name })).toMatchObject({ ok: false, error_code: 'invalid_args' });
  },
);

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

test('refuses what is not declared by an identifier', async () => {
  const { ask } = openProject({ 'a.json': '{ "long": 1 }\n' });
  expect(await ask(renameSymbol, { path: 'a.json', name_path: 'long', new_name: 'other' })).toMatchObject({
    ok: false,
    error: 'long is not declared by an identifier',
  });
});

test('refuses another version', async () => {
  const { ask, read } = openProject(FILES);
  expect(await ask(renameSymbol, { ...PARSE, if_version: '1-x' })).toMatchObject({
    ok: false,
    error_code: 'stale_file',
  });
  expect(read('src/parse.ts')).toBe(TEXT);
});

test('leaves out the search in texts for a short name', async () => {
  const { data } = openProject({ 'a.ts': '// run\nfunction run() {}\n' });
  const answer = await data(renameSymbol, RUN);
  expect(answer).toMatchObject({ sweep_skipped: true });
  expect(answer).not.toHaveProperty('textual_matches');
});

test('refuses the name that the symbol has', async () => {
  const { ask } = openProject(FILES);
  expect(await ask(renameSymbol, { ...PARSE, new_name: 'parse' })).toMatchObject({
    ok: false,
    error_code: 'invalid_args',
    error: 'parse is called parse already',
  });
});

test('takes the path by the names that other tools have for it', async () => {
  const { data } = openProject(FILES);
  const { path, ...rest } = PARSE;
  expect(await data(renameSymbol, { ...rest, relative_path: path })).toMatchObject({ status: 'ok' });
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
  ['lists of exports', 'a.py', 'def run():\n    pass\n', `${'__all__\n'.repeat(20_000)}# run\n`],
  ['macros that go on', 'a.c', 'void run(void) {}\n', `${'#define a \\\n'.repeat(60_000)}\n/* run */\n`],
  ['texts in brackets', 'a.js', 'function run() {}\n', `// ${'[ '.repeat(100_000)} ${'run '.repeat(50_000)}\n`],
])(
  'takes little time for many %s',
  async (_, file, declared, text) => {
    const other = `b${file.slice(1)}`;
    const { ask } = openProject({ [file]: `${declared}${text}`, [other]: text });
    const used = countProcessorTime();
    await ask(renameSymbol, { path: file, name_path: 'run', new_name: 'start' });
    expect(used()).toBeLessThan(60_000);
  },
  120_000,
);

test('takes names of Ruby that end in a mark', async () => {
  const text = 'class A\n  def good\n    1\n  end\n\n  def go\n    self.good\n  end\nend\n';
  for (const new_name of ['fine?', 'fine!']) {
    const { ask, read } = openProject({ 'a.rb': text });
    expect(await ask(renameSymbol, { path: 'a.rb', name_path: 'A/good', new_name })).toMatchObject({ ok: true });
    expect(read('a.rb')).toBe(text.replaceAll('good', new_name));
    expect(await ask(renameSymbol, { path: 'a.rb', name_path: `A/${new_name}`, new_name: 'good' })).toMatchObject({
      ok: true,
    });
    expect(read('a.rb')).toBe(text);
  }
  const { ask } = openProject({ 'a.ts': 'export function f() {}\n', 'a.rb': text });
  for (const [path, new_name] of [
    ['a.ts', 'f?'],
    ['a.rb', '?'],
    ['a.rb', 'a?b'],
  ])
    expect(await ask(renameSymbol, { path, name_path: path === 'a.ts' ? 'f' : 'A/good', new_name })).toMatchObject({
      error: expect.stringContaining('is not an identifier'),
    });
});
