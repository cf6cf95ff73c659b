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

test('without a server it is refused with the places and the ways to continue, and changes nothing', async () => {
  const { ask, read } = openProject(FILES);
  const answer = await ask(renameSymbol, PARSE);
  expect(answer).toMatchObject({ ok: false, error_code: 'lsp_unavailable' });
  expect(answer.error).toMatch(
    /^parse cannot be renamed without a language server \(no language server for TypeScript: .*\) \(nothing was changed\)\. Places \(5\): src\/parse\.ts:1,2,6; src\/other\.ts:1,2$/,
  );
  expect(answer.suggestion).toMatch(/^install with: npm .*. Or, if all places mean it, search_replace \{/);
  for (const [file, text] of Object.entries(FILES)) expect(read(file as keyof typeof FILES)).toBe(text);
});

test('it names no tool that is not served', async () => {
  const { suggestion } = await openProject(FILES).ask(renameSymbol, PARSE, { others: [] });
  expect(suggestion).toMatch(/^install with: npm .*. Or, if all places mean it, edit each of them$/);
});

test.for([
  ['a page', 'a.js', { 'b.html': '<button onclick="run()">\n' }],
  ['the markup of a component', 'a.ts', { 'b.vue': '<template>{{ run() }}</template>\n' }],
  ['a list for export', 'a.py', { 'b.py': "from a import *\n__all__ = ['run']\n" }],
  ['a macro', 'a.c', { 'a.h': '#define TWICE(x) \\\n  run(run(x))\n' }],
  ['a language that calls C', 'a.c', { 'b.rs': 'extern "C" {\n    fn run(a: i32) -> i32;\n}\n' }],
] as const)('names the uses in %s too', async ([, own, files]) => {
  const texts = {
    ts: DECLARES_RUN,
    js: 'function run() {}\n',
    py: 'def run():\n    pass\n',
    c: 'int run(int a) { return a; }\n',
  };
  const { ask } = openProject({ [own]: texts[own.slice(2) as keyof typeof texts], ...files });
  const { error } = await ask(renameSymbol, { ...RUN, path: own });
  expect(error).toContain(`${Object.keys(files)[0]}:`);
});

test('names the places in a file that is not among the sources', async () => {
  const { ask } = openProject({ 'vendor/a.ts': 'export function get() {}\n' });
  const { error } = await ask(renameSymbol, { path: 'vendor/a.ts', name_path: 'get', new_name: 'fetch' });
  expect(error).toContain('Places (1): vendor/a.ts:1');
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
    'd.ts': 'const run = $runs;\n',
  });
  const { suggestion } = await ask(renameSymbol, { path: 'a.ts', name_path: '$run', new_name: '$1' });
  const call = callIn(suggestion);
  expect(call).toMatchObject({ replacement: '$1', literal_replacement: true, files: ['a.ts', '[b].ts', 'c.ts'] });
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
  expect(error).toContain('Places (482): a.ts:1,2; u00.ts:1,2,3,4,5 and 3 more lines; u01.ts:');
  expect(error).toMatch(/u18\.ts:1,2,3,4,5 and 3 more lines, and 41 more files$/);
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
] as const)('refuses in %s %j the word %s of the language', async ([path, text, new_name]) => {
  const { ask, read } = openProject({ [path]: text });
  expect(await ask(renameSymbol, { path, name_path: 'run', new_name })).toMatchObject({
    ok: false,
    error_code: 'invalid_args',
  });
  expect(read(path)).toBe(text);
});

test('refuses the name that the symbol has', async () => {
  const { ask } = openProject(FILES);
  expect(await ask(renameSymbol, { ...PARSE, new_name: 'parse' })).toMatchObject({
    ok: false,
    error_code: 'invalid_args',
    error: 'parse is called parse already',
  });
});

test.each([
  ['lines in front of a script', 'a.js', `${'\n'.repeat(200_000)}function run() {}\n`, 'run();\n'],
  ['lists of exports', 'a.py', 'def run():\n    pass\n', `${'__all__\n'.repeat(20_000)}# run\n`],
  ['macros that go on', 'a.c', 'void run(void) {}\n', `${'#define a \\\n'.repeat(60_000)}\n/* run */\n`],
  ['texts in brackets', 'a.js', 'function run() {}\n', `// ${'[ '.repeat(100_000)} ${'run '.repeat(50_000)}\n`],
])('takes little time for many %s', { tags: 'slow', timeout: 120_000 }, async (_, file, declared, text) => {
  const other = `b${file.slice(1)}`;
  const { ask } = openProject({ [file]: `${declared}${text}`, [other]: text });
  const used = countProcessorTime();
  await ask(renameSymbol, { path: file, name_path: 'run', new_name: 'start' });
  expect(used()).toBeLessThan(60_000);
});
