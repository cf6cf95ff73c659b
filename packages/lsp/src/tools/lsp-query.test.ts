import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { openLanguageSession, SYMBOL_SERVER, scripted } from './fixture/language-session.ts';

const PROJECT = {
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "module": "nodenext" }, "include": ["src"] }\n',
  'package.json': '{ "type": "module" }\n',
  'src/add.ts': [
    'export function add(a: number, b: number): number {',
    '  return a + b;',
    '}',
    'export class Point {',
    '  len() {',
    '    return add(1, 2);',
    '  }',
    '}',
    'export class Line {',
    '  len() {',
    '    return 1;',
    '  }',
    '}',
    '',
  ].join('\n'),
  'src/main.ts': [
    "import { add } from './add.js';",
    'const address = add(1, 2);',
    'console.log(address);',
    'const wrong: string = add(3, 4);',
    '',
  ].join('\n'),
};

describe('with the server of TypeScript', () => {
  test('answers the actions of a place, by character, by line and symbol, and by symbol alone', async () => {
    const { ask } = openLanguageSession(PROJECT);
    expect(await ask({ action: 'definition', path: 'src/main.ts', line: 2, character: 17 })).toMatchObject({
      ok: true,
      result: 'src/add.ts:1:17  export function add(a: number, b: number): number {',
      meta: { server: 'typescript', complete: true },
    });
    // `add` is not found in `address`, which comes before it on the line.
    expect(await ask({ action: 'hover', path: 'src/main.ts', line: 2, symbol: 'add' })).toMatchObject({
      result: expect.stringContaining('add(a: number, b: number): number'),
    });
    const references = await ask({ action: 'references', path: 'src/add.ts', symbol: 'add' });
    expect(references.ok && references.result).toBe(
      [
        'src/add.ts:1:17  export function add(a: number, b: number): number {',
        'src/add.ts:6:12  return add(1, 2);',
        "src/main.ts:1:10  import { add } from './add.js';",
        'src/main.ts:2:17  const address = add(1, 2);',
        'src/main.ts:4:23  const wrong: string = add(3, 4);',
      ].join('\n'),
    );
    expect(references).toMatchObject({ total_count: 5, meta: { per_file: { 'src/add.ts': 2, 'src/main.ts': 3 } } });
    expect(await ask({ action: 'callers', path: 'src/add.ts', symbol: 'Point.len' })).toMatchObject({
      result: 'no callers found',
    });
    expect(await ask({ action: 'callees', path: 'src/add.ts', symbol: 'Point.len' })).toMatchObject({
      result: 'src/add.ts:1:17  Function add\n  src/add.ts:6:12  return add(1, 2);',
    });
    expect(await ask({ action: 'callers', path: 'src/add.ts', symbol: 'add' })).toMatchObject({
      result: expect.stringContaining('Method len\n  src/add.ts:6:12  return add(1, 2);'),
    });
  });

  test('names what lies outside of the workspace, without its directory', async () => {
    const { ask } = openLanguageSession(PROJECT);
    expect(await ask({ action: 'definition', path: 'src/main.ts', line: 3, symbol: 'log' })).toMatchObject({
      ok: true,
      result: expect.stringMatching(/^lib\/lib\.dom\.d\.ts:\d+ \(outside of the workspace\)$/m),
    });
  });

  test('lists symbols, those of the project, and what is wrong', async () => {
    const { ask } = openLanguageSession(PROJECT);
    expect(await ask({ action: 'symbols', path: 'src/add.ts' })).toMatchObject({
      result: 'Function add (1:17)\nClass Point (4:14)\n  Method len (5:3)\nClass Line (9:14)\n  Method len (10:3)',
      total_count: 5,
    });
    expect(await ask({ action: 'workspace_symbols', path: 'src/main.ts', query: 'Point' })).toMatchObject({
      result: 'src/add.ts:4:14  Class Point',
    });
    expect(await ask({ action: 'workspace_symbols', query: 'Line' })).toMatchObject({
      result: 'src/add.ts:9:14  Class Line',
    });
    expect(await ask({ action: 'diagnostics', path: 'src/main.ts' })).toMatchObject({
      result: expect.stringContaining(
        "src/main.ts:4:7 error ts/2322: Type 'number' is not assignable to type 'string'.",
      ),
    });
    expect(await ask({ action: 'diagnostics', path: 'src/add.ts' })).toMatchObject({ result: 'no diagnostics found' });
  });

  test('shows a rename, and applies it with one undo', async () => {
    const { ask, read } = openLanguageSession(PROJECT);
    const rename = { action: 'rename', path: 'src/main.ts', line: 1, symbol: 'add', new_name: 'plus' };
    const text = [
      'src/add.ts: 2 edit(s)',
      '  - 1: export function add(a: number, b: number): number {',
      '  + 1: export function plus(a: number, b: number): number {',
      '  - 6:     return add(1, 2);',
      '  + 6:     return plus(1, 2);',
      'src/main.ts: 3 edit(s)',
      "  - 1: import { add } from './add.js';",
      "  + 1: import { plus } from './add.js';",
      '  - 2: const address = add(1, 2);',
      '  + 2: const address = plus(1, 2);',
      '  - 4: const wrong: string = add(3, 4);',
      '  + 4: const wrong: string = plus(3, 4);',
      '',
      '2 file(s), 5 edit(s) total',
    ].join('\n');
    expect(await ask(rename)).toMatchObject({ ok: true, result: text });
    expect(read('src/add.ts')).toBe(PROJECT['src/add.ts']);
    expect(await ask({ ...rename, apply: true })).toMatchObject({
      ok: true,
      result: text,
      meta: {
        applied: true,
        operation_id: expect.stringMatching(/^op-/),
        files: [
          { path: 'src/add.ts', version: expect.any(String), undo_id: expect.any(String) },
          { path: 'src/main.ts' },
        ],
      },
    });
    expect(read('src/main.ts')).toContain("import { plus } from './add.js';\nconst address = plus(1, 2);");
    // The same session, the same server: it sees what was written.
    expect(await ask({ action: 'references', path: 'src/add.ts', symbol: 'plus' })).toMatchObject({ total_count: 5 });
  });

  test('applies a rename only to files of the versions that were given', async () => {
    const { ask, read } = openLanguageSession(PROJECT);
    const rename = { action: 'rename', path: 'src/add.ts', symbol: 'add', new_name: 'plus', apply: true };
    expect(await ask({ ...rename, if_versions: { 'src/main.ts': 'another' } })).toMatchObject({
      ok: false,
      error_code: 'stale_file',
      error: expect.stringContaining('src/main.ts'),
    });
    expect(await ask({ ...rename, if_versions: { 'tsconfig.json': 'another' } })).toMatchObject({
      ok: false,
      error_code: 'invalid_args',
      error: expect.stringContaining('tsconfig.json is no file of this call'),
    });
    expect(read('src/add.ts')).toBe(PROJECT['src/add.ts']);
    const done = await ask(rename);
    const versions = (done.meta as { files: { path: string; version: string }[] }).files;
    const if_versions = Object.fromEntries(versions.map(({ path, version }) => [`./${path}`, version]));
    const back = { ...rename, symbol: 'plus', new_name: 'add', if_versions };
    expect(await ask(back)).toMatchObject({ ok: true, meta: { applied: true } });
    expect(read('src/main.ts')).toBe(PROJECT['src/main.ts']);
    expect(await ask(back)).toMatchObject({ ok: false });
  });

  test('refuses names that cannot be, and changes nothing', async () => {
    const { ask, read } = openLanguageSession(PROJECT);
    for (const name of ['1 bad', 'class']) {
      const refused = await ask({ action: 'rename', path: 'src/add.ts', symbol: 'add', new_name: name, apply: true });
      expect(refused).toMatchObject({ ok: false, error_code: 'invalid_args' });
    }
    expect(read('src/add.ts')).toBe(PROJECT['src/add.ts']);
  });

  test('tells the candidates of an ambiguous symbol, and where an unknown one stands', async () => {
    const { ask } = openLanguageSession(PROJECT);
    expect(await ask({ action: 'hover', path: 'src/add.ts', symbol: 'len' })).toMatchObject({
      ok: false,
      error_code: 'invalid_args',
      error: 'src/add.ts has 2 symbols named "len": Method Point.len (5:3), Method Line.len (10:3)',
    });
    expect(await ask({ action: 'hover', path: 'src/main.ts', symbol: 'log' })).toMatchObject({
      ok: false,
      error_code: 'not_found',
      suggestion: 'it is on line 3: pass line: 3',
    });
  });

  test('answers several questions in one call, and goes on after one that fails', async () => {
    const { ask } = openLanguageSession(PROJECT);
    const answer = await ask({
      queries: [
        { action: 'definition', path: 'src/main.ts', line: 2, symbol: 'add' },
        { action: 'hover', path: 'missing.ts', line: 1, symbol: 'add' },
        { action: 'symbols', path: 'src/main.ts' },
      ],
    });
    expect(answer.ok && answer.result).toMatch(
      /^\[1\] definition src\/main\.ts 2 add\nsrc\/add\.ts:1:17 .*\n\n\[2\] hover missing\.ts 1 add\nfile_not_found: .*\n[\s\S]*\[3\] symbols src\/main\.ts\nConstant address|Variable address/,
    );
    expect(answer).toMatchObject({ meta: { queries: [{ complete: true }, { error_code: 'file_not_found' }, {}] } });
  });

  test('keeps its server between the calls of a session', async () => {
    const { ask, session, options } = openLanguageSession({ 'a.zig': 'x\n' }, { programs: { zls: SYMBOL_SERVER } });
    for (let i = 0; i < 3; i++) expect(await ask({ action: 'symbols', path: 'a.zig' })).toMatchObject({ ok: true });
    expect(session.hasServices).toBe(true);
    expect(fs.readFileSync(`${options.home}/started`, 'utf8').trim().split('\n')).toHaveLength(1);
  });
});

test('asks for a quick fix with what is wrong, and applies the one that is chosen', async () => {
  const { ask, read } = openLanguageSession({
    ...PROJECT,
    'src/main.ts': 'export const three = add(1, 2);\n',
  });
  const at = { action: 'code_actions', path: 'src/main.ts', line: 1 };
  const listed = await ask(at);
  expect(listed.ok && listed.result).toContain('import from "./add.js"');
  expect(await ask({ ...at, query: 'import from "./add.js"', apply: true })).toMatchObject({
    ok: true,
    meta: { applied: true },
  });
  expect(read('src/main.ts')).toMatch(/^import \{ add \} from "\.\/add\.js";\n/);
  expect(await ask({ ...at, query: 'no such action', apply: true })).toMatchObject({
    ok: false,
    error_code: 'not_found',
  });
});

test('formats a file', async () => {
  const { ask, read } = openLanguageSession({ ...PROJECT, 'src/main.ts': 'function a( ) {\nreturn   1;}\n' });
  expect(await ask({ action: 'format', path: 'src/main.ts' })).toMatchObject({
    result: expect.stringContaining('src/main.ts: '),
  });
  expect(read('src/main.ts')).toBe('function a( ) {\nreturn   1;}\n');
  expect(await ask({ action: 'format', path: 'src/main.ts', apply: true })).toMatchObject({ ok: true });
  expect(read('src/main.ts')).toBe('function a() {\n  return 1;\n}\n');
});

const uri = (root: string, name: string) => `file://${root}/${name}`;
const RANGE = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };

test('shows a hundred references at a time', async () => {
  const range = (line: number) => ({ start: { line, character: 0 }, end: { line, character: 1 } });
  const { ask, root, state } = openLanguageSession({ 'a.x': 'one\n'.repeat(150) });
  const result = Array.from({ length: 150 }, (_, line) => ({ uri: uri(root, 'a.x'), range: range(line) }));
  const config = scripted({ 'textDocument/references': [{ result }] }, { referencesProvider: true });
  makeTree(state, { 'config.json': JSON.stringify(config) });
  const at = { action: 'references', path: 'a.x', line: 1, character: 1 };
  const first = await ask(at);
  expect(first).toMatchObject({ truncated: true, total_count: 150 });
  expect(first.ok && String(first.result).split('\n').at(-1)).toBe(
    '[truncated: showing 100 of 150] pass offset: 100 for the next ones',
  );
  const rest = await ask({ ...at, offset: 100 });
  expect(rest.ok && String(rest.result).split('\n')).toHaveLength(51);
  expect(rest.ok && String(rest.result).split('\n').at(-1)).toBe('[truncated: showing 50 of 150, from 101 on]');
});

test('references without the position that was asked about may be incomplete', async () => {
  const { ask, root, state } = openLanguageSession({ 'a.x': 'one one\n' });
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };
  const results = [[], [{ uri: uri(root, 'a.x'), range }]];
  const on = { 'textDocument/references': results.map((result) => [{ result }]) };
  makeTree(state, { 'config.json': JSON.stringify(scripted(on, { referencesProvider: true })) });
  const at = { action: 'references', path: 'a.x', line: 1 };
  const incomplete = ['the position that was asked about is not among them'];
  expect(await ask({ ...at, character: 1 })).toMatchObject({ ok: true, meta: { complete: false, incomplete } });
  expect(await ask({ ...at, character: 5 })).toMatchObject({ ok: true, meta: { complete: false, incomplete } });
  expect(await ask({ ...at, character: 2 })).toMatchObject({ total_count: 1, meta: { complete: true } });
});

/** A file whose path comes before that of every temporary directory. */
const OUTSIDE = 'file:///a/lib/c.x';

/** Asks for references that are in three files: two in a.x, `ofB` in sub/b.x, and two outside of the workspace. */
async function askReferences(ofB: number, more: object = {}) {
  const session = openLanguageSession({ 'a.x': 'one one\n', 'sub/b.x': '  two\n'.repeat(ofB) });
  const at = (where: string, line: number, character: number) => {
    const [start, end] = [
      { line, character },
      { line, character: character + 1 },
    ];
    return { uri: where, range: { start, end } };
  };
  const found = [
    at(OUTSIDE, 6, 0),
    ...Array.from({ length: ofB }, (_, line) => at(uri(session.root, 'sub/b.x'), line, 2)),
    ...[4, 0].map((character) => at(uri(session.root, 'a.x'), 0, character)),
    at(OUTSIDE, 2, 0),
  ];
  const config = scripted({ 'textDocument/references': [{ result: found }] }, { referencesProvider: true });
  makeTree(session.state, { 'config.json': JSON.stringify(config) });
  const answer = await session.ask({ action: 'references', path: 'a.x', line: 1, character: 1, ...more });
  return (answer.ok && String(answer.result).split('\n')) || [];
}

test('more than 20 references of several files stand below the names of their files', async () => {
  const few = await askReferences(16);
  expect(few.slice(0, 3)).toEqual([
    'lib/c.x:3 (outside of the workspace)',
    'lib/c.x:7 (outside of the workspace)',
    'a.x:1:1  one one',
  ]);
  expect([few.length, few.at(-1)]).toEqual([20, 'sub/b.x:16:3  two']);
  const many = await askReferences(17);
  expect(many.slice(0, 8)).toEqual([
    'lib/c.x: 2 reference(s) (outside of the workspace)',
    'lib/c.x:3 (outside of the workspace)',
    'lib/c.x:7 (outside of the workspace)',
    'a.x: 2 reference(s)',
    'a.x:1:1  one one',
    'a.x:1:5  one one',
    'sub/b.x: 17 reference(s)',
    'sub/b.x:1:3  two',
  ]);
  expect(many).toHaveLength(24);
});

test('a page of references begins with the name of a file, and counts all that the file has', async () => {
  expect(await askReferences(120, { offset: 100 })).toEqual([
    'sub/b.x: 120 reference(s)',
    ...Array.from({ length: 24 }, (_, i) => `sub/b.x:${i + 97}:3  two`),
    '[truncated: showing 24 of 124, from 101 on]',
  ]);
});

test('applies edits that make, rename and remove files, all or none', async () => {
  const files = { 'a.x': 'one two\n', 'b.x': '\ufeffone\r\n', 'c.x': 'gone\n' };
  const first = openLanguageSession(files);
  const { root } = first;
  const edit = {
    documentChanges: [
      { textDocument: { uri: uri(root, 'a.x'), version: null }, edits: [{ range: RANGE, newText: 'six' }] },
      { kind: 'rename', oldUri: uri(root, 'b.x'), newUri: uri(root, 'new/b.x') },
      { kind: 'create', uri: uri(root, 'made.x') },
      { kind: 'delete', uri: uri(root, 'c.x') },
    ],
  };
  makeTree(first.state, {
    'config.json': JSON.stringify(scripted({ 'textDocument/rename': [{ result: edit }] }, { renameProvider: true })),
  });
  const rename = { action: 'rename', path: 'a.x', line: 1, symbol: 'one', new_name: 'six', apply: true };
  makeTree(root, { 'made.x': 'in the way\n' });
  expect(await first.ask(rename)).toMatchObject({ ok: false, error_code: 'conflict' });
  expect(first.read('a.x')).toBe('one two\n');
  fs.rmSync(`${root}/made.x`);
  const done = await first.ask(rename);
  expect(done).toMatchObject({ ok: true, meta: { applied: true, operation_id: expect.any(String) } });
  expect(done.ok && done.result).toBe(
    'a.x: 1 edit(s)\n  - 1: one two\n  + 1: six two\nb.x: renamed to new/b.x\nc.x: deleted\nmade.x: created\n\n4 file(s), 1 edit(s) total',
  );
  expect(first.read('a.x')).toBe('six two\n');
  expect(first.read('new/b.x')).toBe('\ufeffone\r\n');
  expect(() => first.read('c.x')).toThrow();
  expect(() => first.read('b.x')).toThrow();
});

const REFUSALS: readonly (readonly [string, object, object])[] = [
  ['no action', { path: 'a.x' }, { error_code: 'invalid_args', error: 'lsp_query: action is required' }],
  ['no path', { action: 'hover' }, { error_code: 'invalid_args', error: 'lsp_query: path is required' }],
  ['a secret path', { action: 'symbols', path: '.git/a.x' }, { error_code: 'path_outside_sandbox' }],
  ['a path outside', { action: 'symbols', path: '../a.x' }, { error_code: 'path_outside_sandbox' }],
  ['a missing file', { action: 'symbols', path: 'b.x' }, { error_code: 'file_not_found' }],
  ['a directory', { action: 'symbols', path: '.' }, { error_code: 'not_a_file' }],
  [
    'no new name',
    { action: 'rename', path: 'a.x', line: 1, symbol: 'one' },
    { error: 'lsp_query: new_name is required' },
  ],
  ['no query', { action: 'workspace_symbols', path: 'a.x' }, { error: 'lsp_query: query is required' }],
  ['no line', { action: 'hover', path: 'a.x' }, { error: 'lsp_query: line is required' }],
  ['a character alone', { action: 'hover', path: 'a.x', character: 1 }, { error: 'lsp_query: line is required' }],
  ['a line alone', { action: 'hover', path: 'a.x', line: 1 }, { error: 'lsp_query: character or symbol is required' }],
  ['a line that is not there', { action: 'hover', path: 'a.x', line: 9, character: 1 }, { error_code: 'invalid_args' }],
  ['a character beyond', { action: 'hover', path: 'a.x', line: 1, character: 9 }, { error_code: 'invalid_args' }],
  ['part of a word', { action: 'hover', path: 'a.x', line: 1, symbol: 'on' }, { error_code: 'invalid_args' }],
  [
    'apply for what changes nothing',
    { action: 'hover', path: 'a.x', line: 1, symbol: 'one', apply: true },
    { error: 'lsp_query: apply is not for hover' },
  ],
  [
    'versions for what is not applied',
    { action: 'rename', path: 'a.x', line: 1, symbol: 'one', new_name: 'two', if_versions: { 'a.x': 'v' } },
    { error: 'lsp_query: if_versions goes with apply' },
  ],
  [
    'apply without a title',
    { action: 'code_actions', path: 'a.x', line: 1, apply: true },
    { error: 'lsp_query: query is required' },
  ],
  ['queries beside others', { path: 'a.x', queries: [{}] }, { error: 'lsp_query: path does not go with queries' }],
  ['no queries', { queries: [] }, { error: 'lsp_query: queries holds 0 questions' }],
  [
    'apply within queries',
    { queries: [{ action: 'format', path: 'a.x', apply: true }] },
    { error: 'lsp_query: apply does not go with queries' },
  ],
  [
    'queries within queries',
    { queries: [{ queries: [] }] },
    { error: 'lsp_query: queries holds queries or a timeout' },
  ],
  ['an unknown action', { action: 'fly', path: 'a.x' }, { error_code: 'invalid_args' }],
];

test.for(REFUSALS)('refuses %s before a server is started', async ([, args, error]) => {
  const { ask, session } = openLanguageSession(
    { 'a.x': 'one\n' },
    { config: { lsp: { servers: { never: { command: ['/nowhere/never'], extensions: { x: 'x' } } } } } },
  );
  const refused = await ask(args);
  expect(refused).toMatchObject({ ok: false, suggestion: expect.any(String), ...error });
  await session.close();
});

test('says how to install a server that is missing, and which extensions are known', async () => {
  const { ask } = openLanguageSession({ 'a.rs': 'fn main() {}\n', 'a.unknown': 'x\n' });
  expect(await ask({ action: 'diagnostics', path: 'a.rs' })).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
    suggestion: expect.stringContaining('rustup component add rust-analyzer'),
  });
  expect(await ask({ action: 'symbols', path: 'a.unknown' })).toMatchObject({
    ok: false,
    error: 'no LSP server known for extension .unknown',
    suggestion: expect.stringContaining('.go'),
  });
});

test('says which file it needs where the project has none', async () => {
  const { ask } = openLanguageSession({ 'a.txt': 'one\n', 'a.json': '{}' });
  expect(await ask({ action: 'workspace_symbols', query: 'x' })).toMatchObject({
    ok: false,
    error_code: 'not_found',
    suggestion: expect.stringContaining('path'),
  });
});

test('tells the host again and again what a server does, each time further', async () => {
  const config = scripted(
    { initialize: [{ later: 4_500, action: { capabilities: { hoverProvider: true } } }] },
    { hoverProvider: true },
  );
  const { ask } = openLanguageSession({ 'a.x': 'one\n' }, { config });
  const reports: [string, number][] = [];
  await ask(
    { action: 'hover', path: 'a.x', line: 1, character: 1 },
    { progress: (text, done) => void reports.push([text, done]) },
  );
  const started = reports.filter(([text]) => text === 'the language server scripted starts');
  expect(started.length).toBeGreaterThanOrEqual(3);
  expect(reports.every(([, done], i) => done > (reports[i - 1]?.[1] ?? 0))).toBe(true);
});

test('says that an answer may be incomplete, and never that there is nothing, while a server loads', async () => {
  const begin = { send: { method: '$/progress', params: { token: 'a', value: { kind: 'begin', title: 'Indexing' } } } };
  const config = (result: unknown) => {
    const settings = scripted(
      { 'textDocument/didOpen': [begin], 'textDocument/references': [{ result }] },
      { referencesProvider: true },
    ) as { lsp: { servers: { scripted: object } } };
    Object.assign(settings.lsp.servers.scripted, { ready: { progress: 'Indexing' } });
    return settings;
  };
  const at = { action: 'references', path: 'a.x', line: 1, character: 1, timeout: 1 };
  const some = openLanguageSession({ 'a.x': 'one\n' }, { config: config([{ uri: 'file:///b/c.x', range: RANGE }]) });
  const said: string[] = [];
  const answer = await some.ask(at, { progress: (text) => void said.push(text) });
  expect(said.join()).toContain('Indexing');
  expect(answer).toMatchObject({ ok: true, meta: { complete: false, incomplete: [expect.any(String)] } });
  expect(answer.ok && answer.result).toContain('[may be incomplete: ');
  const none = openLanguageSession({ 'a.x': 'one\n' }, { config: config([]) });
  expect(await none.ask(at)).toMatchObject({ ok: false, error_code: 'timeout' });
});

test('refuses to apply what a server planned before it had loaded the project', async () => {
  const begin = { send: { method: '$/progress', params: { token: 'a', value: { kind: 'begin', title: 'Indexing' } } } };
  const session = openLanguageSession({ 'a.x': 'one\n' });
  const edit = { changes: { [uri(session.root, 'a.x')]: [{ range: RANGE, newText: 'two' }] } };
  const settings = scripted(
    { 'textDocument/didOpen': [begin], 'textDocument/rename': [{ result: edit }] },
    { renameProvider: true },
  ) as { lsp: { servers: { scripted: object } } };
  Object.assign(settings.lsp.servers.scripted, { ready: { progress: 'Indexing' } });
  makeTree(session.state, { 'config.json': JSON.stringify(settings) });
  const rename = { action: 'rename', path: 'a.x', line: 1, symbol: 'one', new_name: 'two', timeout: 1 };
  expect(await session.ask({ ...rename, apply: true })).toMatchObject({ ok: false, error_code: 'timeout' });
  expect(session.read('a.x')).toBe('one\n');
});

describe('what a file imports and exports', () => {
  const files = {
    'a.ts': 'function foo() {}\nfoo();\nimport { bar as baz } from "./b";\nbaz();\nexport { foo };\n',
    'b.ts': 'export const bar = () => 1;\n',
  };

  test('is no symbol of it', async () => {
    const { ask } = openLanguageSession(files);
    expect(await ask({ action: 'symbols', path: 'a.ts' })).toMatchObject({ result: 'Function foo (1:10)' });
    expect(await ask({ action: 'references', path: 'a.ts', symbol: 'foo' })).toMatchObject({ total_count: 3 });
  });

  test('is told by the line where it is', async () => {
    const { ask } = openLanguageSession(files);
    expect(await ask({ action: 'hover', path: 'a.ts', symbol: 'baz' })).toMatchObject({
      suggestion: 'it is on line 3: pass line: 3',
    });
    expect(await ask({ action: 'hover', path: 'a.ts', symbol: 'foo', line: '3' })).toMatchObject({
      suggestion: 'it is on line 2: pass line: 2; also on 1, 5',
    });
    expect(await ask({ action: 'hover', path: 'a.ts', symbol: 'qux', line: 3 })).toMatchObject({
      suggestion: 'it is nowhere in the file',
    });
  });
});

test('a rename takes a file that others put back after an earlier rename', async () => {
  const { ask, root, read } = openLanguageSession(PROJECT);
  const rename = { action: 'rename', path: 'src/add.ts', symbol: 'add', new_name: 'plus', apply: true };
  expect(await ask(rename)).toMatchObject({ ok: true });
  makeTree(root, { 'src/add.ts': PROJECT['src/add.ts'], 'src/main.ts': PROJECT['src/main.ts'] });
  expect(await ask({ ...rename, new_name: 'sum' })).toMatchObject({ ok: true });
  expect(read('src/main.ts')).toContain('sum(1, 2)');
});

test('a change of several lines is shown by its lines before and after', async () => {
  const at = (line: number, from: number, to: number) => ({
    start: { line, character: from },
    end: { line, character: to },
  });
  const edits = [
    { range: at(0, 0, 3), newText: 'uno\n\nand' },
    { range: at(0, 4, 7), newText: 'dos' },
    { range: at(2, 0, 5), newText: 'tres' },
  ];
  const config = scripted({ 'textDocument/formatting': [{ result: edits }] }, { documentFormattingProvider: true });
  const { ask } = openLanguageSession({ 'a.x': 'one two\nsame\nthree\n' }, { config });
  expect(await ask({ action: 'format', path: 'a.x' })).toMatchObject({
    result:
      'a.x: 3 edit(s)\n  - 1: one two\n  + 1: uno\n  + 2: \n  + 3: and dos\n  - 3: three\n  + 5: tres\n\n1 file(s), 3 edit(s) total',
  });
});

test('a picture in a hover is left out where it is its own content', async () => {
  const contents = '![Baseline icon](data:image/svg+xml;base64,AAAA) _Widely available_';
  const config = scripted({ 'textDocument/hover': [{ result: { contents } }] }, { hoverProvider: true });
  const { ask } = openLanguageSession({ 'a.x': 'one\n' }, { config });
  expect(await ask({ action: 'hover', path: 'a.x', line: 1, character: 1 })).toMatchObject({
    result: '_Widely available_',
  });
});

test('a rename without a server lists the places and a ready search_replace', async () => {
  const files = { 'a.lua': 'function add(a)\n  return a\nend\nadd(1)\n', 'b.lua': 'print(add(2))\n-- add\n' };
  const { ask, read } = openLanguageSession(files);
  for (const apply of [false, true]) {
    const refused = await ask({ action: 'rename', path: 'a.lua', line: 1, symbol: 'add', new_name: 'plus', apply });
    expect(refused).toMatchObject({
      ok: false,
      error_code: 'lsp_unavailable',
      error: expect.stringMatching(
        /^add cannot be renamed without a language server \(no language server for Lua.*\) \(nothing was changed\)\. Places \(3\): a\.lua:1,4; b\.lua:1$/,
      ),
      suggestion: expect.stringContaining(
        'search_replace {"pattern":"(?<![\\\\w$])add(?![\\\\w$])","replacement":"plus","files":["a.lua","b.lua"]}',
      ),
    });
  }
  expect(read('a.lua')).toBe(files['a.lua']);
});

const clangd = spawnSync('clangd', ['--version']).status === 0;

test.skipIf(!clangd)(
  'a rename that leaves out files with the name is not applied, unless the server knows them',
  async () => {
    const files = {
      'a.h': '#pragma once\nint addup(int a, int b);\n',
      'a.c': '#include "a.h"\nint addup(int a, int b) { return a + b; }\n',
      'm.c': '#include "a.h"\nint main(void) { return addup(1, 2); }\n',
    };
    const rename = { action: 'rename', symbol: 'addup', new_name: 'plus', apply: true, timeout: 60 };
    for (const path of ['a.c', 'a.h', 'm.c']) {
      const { ask, read } = openLanguageSession(files);
      const answer = await ask({ ...rename, path, line: 2 });
      const changed = Object.keys(files).filter((file) => read(file) !== files[file as keyof typeof files]);
      expect([path, answer.ok ? 3 : 0]).toEqual([path, changed.length]);
      if (!answer.ok) expect(answer.suggestion).toContain('search_replace {');
    }
    const { ask, read } = openLanguageSession({
      's.c': 'static int one(void) { return 1; }\nint two(void) { return one(); }\n',
    });
    expect(await ask({ ...rename, path: 's.c', symbol: 'one', new_name: 'uno' })).toMatchObject({ ok: true });
    expect(read('s.c')).not.toContain('one');
  },
);

test('answers by text where no server is installed, and says so', async () => {
  const { ask } = openLanguageSession({
    'a.lua': 'local function add(a)\n  return a\nend\nprint(add(1))\n',
    'b.lua': '-- add\nlocal t = "é"; add(2)\n',
    'c.py': 'add = 1\n',
  });
  const told = /\n\[by text: no language server for Lua: .*; install with: .*\]$/;
  const meta = { by: 'text', complete: false };
  const references = await ask({ action: 'references', path: 'a.lua', symbol: 'add' });
  expect(references).toMatchObject({ total_count: 3, meta });
  expect(references.result).toMatch(told);
  expect(references.result).toContain('b.lua:2:16  local t = "é"; add(2)\n');
  expect(await ask({ action: 'definition', path: 'b.lua', line: 2, symbol: 'add' })).toMatchObject({
    result: expect.stringMatching(/^a\.lua:1:16 {2}local function add\(a\)\n\[by text/),
    meta,
  });
  expect(await ask({ action: 'symbols', path: 'a.lua' })).toMatchObject({
    result: expect.stringMatching(/^function add \(1:16\)\n\[by text/),
    meta,
  });
  expect(await ask({ action: 'hover', path: 'a.lua', symbol: 'add', line: 1 })).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
  });
});

test('a name path is a symbol', async () => {
  const { ask } = openLanguageSession(PROJECT);
  const answer = await ask({ action: 'hover', path: 'src/add.ts', symbol: 'Point/len' });
  expect(answer).toMatchObject({ result: expect.stringContaining('Point.len(): number') });
});

test('a server is restarted by a call', async () => {
  const { ask, options } = openLanguageSession({ 'a.go': 'package a\n' }, { programs: { gopls: SYMBOL_SERVER } });
  const starts = () => fs.readFileSync(`${options.home}/started`, 'utf8').trim().split('\n').length;
  await ask({ action: 'symbols', path: 'a.go' });
  await ask({ action: 'symbols', path: 'a.go' });
  expect(starts()).toBe(1);
  expect(await ask({ action: 'restart', path: 'a.go' })).toMatchObject({
    result: 'gopls is ended, and the next question starts it',
    meta: { server: 'gopls' },
  });
  await ask({ action: 'symbols', path: 'a.go' });
  expect(starts()).toBe(2);
});
