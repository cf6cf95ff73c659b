import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { diagnoseChange } from './answers/diagnose-change.ts';
import { findDiagnostics, findDocumentSymbols, findHover, flattenSymbols } from './answers/queries.ts';
import { makeWorkspace, processesWith, type TestWorkspace, TRUSTS_NOTHING } from './fixture/language-workspace.ts';
import { CAPABILITIES, makeScripted, type Script } from './fixture/scripted.ts';

test('a server that is not used is ended after a while, and started again when it is asked', async () => {
  const { ask, servers, received, mark } = makeScripted({ 'a.x': 'one\n' }, {}, { lsp: { idle_minutes: 0.002 } });
  await ask('a.x', findDocumentSymbols);
  expect(servers.running).toEqual(['scripted .']);
  await expect.poll(() => [servers.running, processesWith(mark)]).toEqual([[], []]);
  await ask('a.x', findDocumentSymbols);
  expect(received('initialize')).toHaveLength(2);
  expect(received('shutdown')).toHaveLength(1);
});

test('one server at a time runs where no more may, and the one that was used last stays', async () => {
  const files = { 'a/root': '', 'a/a.x': '', 'b/root': '', 'b/b.x': '', 'c/root': '', 'c/c.x': '' };
  const { ask, servers, mark } = makeScripted(files, {}, { lsp: { max_servers: 2 }, server: { roots: ['root'] } });
  for (const name of ['a/a.x', 'b/b.x', 'a/a.x', 'c/c.x']) await ask(name, findDocumentSymbols);
  expect(servers.running).toEqual(['scripted a', 'scripted c']);
  expect(processesWith(mark)).toHaveLength(2);
});

test('where all servers are at work, one more is refused', async () => {
  const files = { 'a/root': '', 'a/a.x': 'one\n', 'b/root': '', 'b/b.x': '' };
  const { ask, received } = makeScripted(
    files,
    { on: { 'textDocument/hover': [] } },
    { lsp: { max_servers: 1 }, server: { roots: ['root'] } },
  );
  const controller = new AbortController();
  const busy = ask('a/a.x', (view) => findHover(view, { line: 1, character: 1 }), { signal: controller.signal });
  busy.catch(() => {});
  await expect.poll(() => received('textDocument/hover').length).toBe(1);
  await expect(ask('b/b.x', findDocumentSymbols)).rejects.toMatchObject({
    code: 'resource_limit',
    message: '1 language servers are at work already',
  });
  controller.abort();
  await expect(busy).rejects.toMatchObject({ code: 'canceled' });
});

test('many questions at once share one start', async () => {
  const { ask, received } = makeScripted({ 'a.x': '', 'b.x': '' }, {});
  await Promise.all(['a.x', 'b.x', 'a.x', 'b.x'].map((name) => ask(name, findDocumentSymbols)));
  expect(received('initialize')).toHaveLength(1);
  expect(received('textDocument/didOpen')).toHaveLength(2);
});

test('nothing is asked of a session that has ended', async () => {
  const { ask, servers } = makeScripted({ 'a.x': '' }, {});
  await servers.close();
  await expect(ask('a.x', findDocumentSymbols)).rejects.toMatchObject({ code: 'lsp_unavailable' });
});

test('a server gets the variables, options and cache directory of its description', async () => {
  const { ask, received } = makeScripted(
    { 'a.x': '' },
    {},
    { server: { initialization_options: { storage: '{cache}/x', list: ['{cache}'] } }, cacheDirectory: '/cache' },
  );
  await ask('a.x', findDocumentSymbols);
  expect(received('initialize')[0]?.params).toMatchObject({
    initializationOptions: {
      storage: expect.stringMatching(/^\/cache\/lsp\/scripted-[0-9a-f]{16}\/x$/),
      list: [expect.stringMatching(/^\/cache\/lsp\/scripted-/)],
    },
    processId: process.pid,
  });
});

const TYPESCRIPT = {
  'tsconfig.json': '{"compilerOptions":{"strict":true,"module":"nodenext","types":[]}}',
  'package.json': '{"type":"module"}',
  'a.ts': 'export function one(): number {\n  return 1;\n}\nexport const old: string = 5;\n',
  'b.ts': "import { one } from './a.js';\nexport const two: number = one();\n",
};

test('a server that cannot see our process is not told its id', async () => {
  const { ask, received } = makeScripted({ 'a.x': '' }, {}, { isConfined: true });
  await ask('a.x', findDocumentSymbols);
  expect(received('initialize')[0]?.params).toMatchObject({ processId: null });
});

test('a marker that comes later changes the root', async () => {
  const { ask, servers, root } = makeScripted({ 'a/a.x': '' }, {}, { server: { roots: ['root'] } });
  await ask('a/a.x', findDocumentSymbols);
  makeTree(root, { 'a/root': '' });
  await ask('a/a.x', findDocumentSymbols);
  await ask('a/a.x', findDocumentSymbols);
  expect(servers.running).toEqual(['scripted .', 'scripted a']);
});

test('a marker may be a path below the root', async () => {
  const roots = { server: { roots: ['build/mark', '../outside'] } };
  const { ask, servers } = makeScripted({ 'a/b/a.x': '', 'a/build/mark': '', outside: '' }, {}, roots);
  await ask('a/b/a.x', findDocumentSymbols);
  expect(servers.running).toEqual(['scripted a']);
});

/** Writes files as a tool would, and asks what that broke. */
async function change(
  { root, files, servers }: TestWorkspace,
  texts: Record<string, string | undefined>,
  options: { waitMs?: number; severity?: 'errors' | 'all' } = {},
) {
  const changes = Object.entries(texts).map(([name, text]) => {
    const file = path.join(root, name);
    const before = fs.existsSync(file) ? fs.readFileSync(file) : undefined;
    if (text === undefined) fs.rmSync(file);
    else makeTree(root, { [name]: text });
    return { path: name, before, after: text === undefined ? undefined : Buffer.from(text) };
  });
  return diagnoseChange(servers, changes, { files, waitMs: 15_000, severity: 'errors', ...options });
}

test('a change is told what it broke and what it mended, in other open files too', async () => {
  const workspace = makeWorkspace(TYPESCRIPT, { programs: ['tsc'] });
  await workspace.ask('b.ts', findDiagnostics);
  const broken = TYPESCRIPT['a.ts'].replace('one()', '\n\none(more: string)').replace('= 5', '= "5"');
  const found = await change(workspace, { 'a.ts': broken });
  expect(found).toMatchObject({
    appeared: [{ path: 'b.ts', message: expect.stringContaining('Expected 1 arguments'), severity: 'error' }],
    disappeared: [{ path: 'a.ts', message: expect.stringContaining('not assignable'), range: { start: { line: 4 } } }],
    omitted: 0,
    isPending: false,
  });
  const mended = await change(workspace, { 'a.ts': TYPESCRIPT['a.ts'] });
  expect(mended?.appeared).toMatchObject([{ path: 'a.ts', range: { start: { line: 4 } } }]);
  expect(mended?.disappeared).toMatchObject([{ path: 'b.ts' }]);
});

test('a change that moves an old error by some lines brings nothing new', async () => {
  const workspace = makeWorkspace(TYPESCRIPT, { programs: ['tsc'] });
  await workspace.ask('a.ts', findDiagnostics);
  const found = await change(workspace, { 'a.ts': `// One.\n// Two.\n${TYPESCRIPT['a.ts']}` });
  expect(found).toEqual({ appeared: [], disappeared: [], omitted: 0, isPending: false, late: [] });
});

test('files that are made and removed count', async () => {
  const workspace = makeWorkspace(TYPESCRIPT, { programs: ['tsc'] });
  await workspace.ask('b.ts', findDiagnostics);
  const made = await change(workspace, { 'c.ts': 'export const x: number = "x";\n' });
  expect(made?.appeared).toMatchObject([{ path: 'c.ts' }]);
  const removed = await change(workspace, { 'a.ts': undefined });
  expect(removed?.appeared).toMatchObject([{ path: 'b.ts', message: expect.stringContaining('Cannot find module') }]);
});

test('a server that publishes errors by itself is waited for', async () => {
  const workspace = makeWorkspace({ 'a.yaml': 'one: 1\n' }, { programs: ['yaml-language-server'] });
  await workspace.ask('a.yaml', findDiagnostics);
  const found = await change(workspace, { 'a.yaml': 'one: [1\n' });
  expect(found?.appeared.length).toBeGreaterThan(0);
  expect(found?.isPending).toBe(false);
});

test('without a warm server nothing is said, and none is started', async () => {
  const workspace = makeWorkspace(TYPESCRIPT, { programs: ['tsc'] });
  expect(await change(workspace, { 'a.ts': 'export const x: number = "x";\n' })).toBeUndefined();
  expect(workspace.servers.running).toEqual([]);
});

test('a server that never answers delays a change no longer than is allowed', async () => {
  const workspace = makeScripted(
    { 'a.x': 'one\n' },
    { capabilities: { diagnosticProvider: {}, documentSymbolProvider: true }, on: { 'textDocument/diagnostic': [] } },
  );
  await workspace.ask('a.x', findDocumentSymbols);
  const found = await change(workspace, { 'a.x': 'two\n' }, { waitMs: 300 });
  expect(found).toEqual({ appeared: [], disappeared: [], omitted: 0, isPending: true, late: [] });
});

test('a server that dies meanwhile fails no change', async () => {
  const workspace = makeScripted(
    { 'a.x': 'one\n' },
    {
      capabilities: { diagnosticProvider: {}, documentSymbolProvider: true },
      on: { 'textDocument/diagnostic': [{ kill: true }] },
    },
  );
  await workspace.ask('a.x', findDocumentSymbols);
  expect(await change(workspace, { 'a.x': 'two\n' }, { waitMs: 2_000 })).toMatchObject({ isPending: true });
});

test('warnings are told where all are wanted', async () => {
  const items = [
    [{ result: { kind: 'full', items: [] } }],
    [
      {
        result: {
          kind: 'full',
          items: [
            {
              severity: 2,
              message: 'odd',
              range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
            },
          ],
        },
      },
    ],
  ];
  const script = {
    capabilities: { diagnosticProvider: {}, documentSymbolProvider: true },
    on: { 'textDocument/diagnostic': items },
  };
  const [errors, all] = [makeScripted({ 'a.x': 'one\n' }, script), makeScripted({ 'a.x': 'one\n' }, script)];
  for (const workspace of [errors, all]) await workspace.ask('a.x', findDocumentSymbols);
  expect((await change(errors, { 'a.x': 'two\n' }))?.appeared).toEqual([]);
  expect((await change(all, { 'a.x': 'two\n' }, { severity: 'all' }))?.appeared).toMatchObject([
    { message: 'odd', severity: 'warning' },
  ]);
});

test('a range of a symbol is taken for the declaration only where it is one', async () => {
  const typescript = makeWorkspace(
    {
      'tsconfig.json': '{}',
      'a.ts': 'export function one() {}\nexport const two = 2, three = 3;\nclass Four {\n  five = 5;\n}\n',
    },
    { programs: ['tsc'] },
  );
  const python = makeWorkspace(
    { 'a.py': 'one = 1\n\n@staticmethod\ndef two():\n    pass\n' },
    { programs: ['pyright-langserver'] },
  );
  const whole = async (workspace: TestWorkspace, name: string) => {
    const { value } = await workspace.ask(name, findDocumentSymbols);
    return Object.fromEntries(flattenSymbols(value as never).map((symbol) => [symbol.name, symbol.isWhole]));
  };
  expect(await whole(typescript, 'a.ts')).toEqual({ one: true, two: false, three: false, Four: true, five: true });
  expect(await whole(python, 'a.py')).toMatchObject({ one: false, two: true });
});

test('a flat list of symbols is put in order, each within the one that holds it', async () => {
  const root = pathToFileURL('/x/a.x').href;
  const at = (name: string, from: number, to: number) => ({
    name,
    kind: 12,
    location: { uri: root, range: { start: { line: from, character: 0 }, end: { line: to, character: 3 } } },
  });
  const result = [at('two', 1, 1), at('one', 0, 2), at('three', 3, 3)];
  const { ask } = makeScripted(
    { 'a.x': 'f one\ntwo\nend\ntwo three\n' },
    { on: { 'textDocument/documentSymbol': [{ result }] } },
  );
  expect((await ask('a.x', findDocumentSymbols)).value).toMatchObject([
    {
      name: 'one',
      kind: 'Function',
      nameRange: { start: { line: 1, character: 3 } },
      children: [{ name: 'two', children: [] }],
    },
    { name: 'three', nameRange: { start: { line: 4, character: 5 } }, children: [] },
  ]);
});

/** A server that runs code of the workspace, and a person who may cease to trust it. */
function makeTrusted(on: Script['on'] = {}) {
  const state = { isTrusted: true };
  const files = { 'a/root': '', 'a/a.x': 'one\n', 'a/build.x': '1\n', 'b/root': '', 'b/b.x': 'one\n' };
  const server = { roots: ['root'], runs_project_code: 'build.x', code_files: ['build.x'] };
  const trust = { ...TRUSTS_NOTHING, isTrusted: async () => state.isTrusted };
  return { ...makeScripted(files, { on }, { server, trust }), state };
}

test('trust is looked up at each start of a server, and not while it runs', async () => {
  const { ask, servers, received, state } = makeTrusted();
  await ask('a/a.x', findDocumentSymbols);
  state.isTrusted = false;
  await ask('a/a.x', findDocumentSymbols);
  await expect(ask('b/b.x', findDocumentSymbols)).rejects.toMatchObject({
    code: 'lsp_unavailable',
    message: expect.stringContaining('needs trust, since it runs code of the workspace: build.x'),
  });
  expect(received('initialize')).toHaveLength(1);
  state.isTrusted = true;
  await ask('b/b.x', findDocumentSymbols);
  expect(servers.running).toEqual(['scripted a', 'scripted b']);
});

test('a server whose code others have changed is asked nothing more, and is told nothing of it', async () => {
  const { ask, root, received, state } = makeTrusted();
  await ask('a/a.x', findDocumentSymbols);
  await ask('a/a.x', findDocumentSymbols);
  state.isTrusted = false;
  makeTree(root, { 'a/build.x': '22\n' });
  await expect(ask('a/a.x', findDocumentSymbols)).rejects.toMatchObject({ code: 'lsp_unavailable' });
  await expect.poll(() => received('exit')).toHaveLength(1);
  expect(received('textDocument/documentSymbol')).toHaveLength(2);
  expect(JSON.stringify(received())).not.toContain('build.x');
});

test('a server whose code jinn has changed ends, and is asked again only after trust was looked up', async () => {
  const { ask, servers, received } = makeTrusted();
  await ask('a/a.x', findDocumentSymbols);
  servers.notify([{ path: 'a/other.x', type: 2 }]);
  expect(servers.running).toEqual(['scripted a']);
  servers.notify([{ path: 'a/build.x', type: 2 }]);
  expect(servers.running).toEqual([]);
  expect(servers.warm('a/a.x')).toBeUndefined();
  await ask('a/a.x', findDocumentSymbols);
  expect(received('initialize')).toHaveLength(2);
});

test('a server whose code changes while it starts is started anew', async () => {
  const { ask, servers, received } = makeTrusted({
    initialize: [{ later: 1_500, action: { capabilities: CAPABILITIES } }],
  });
  const asked = ask('a/a.x', findDocumentSymbols);
  await expect.poll(() => received('initialize')).toHaveLength(1);
  servers.notify([{ path: 'a/build.x', type: 2 }]);
  expect(await asked).toMatchObject({ server: 'scripted' });
  expect(received('initialize')).toHaveLength(2);
});

test('a server that writes what is no message is told as one that has sent no answer', async () => {
  const { ask } = makeScripted({ 'a.x': 'one\n' }, { atStart: [{ raw: 'Welcome!\n' }], on: { initialize: [] } });
  await expect(ask('a.x', async () => 1, { limitMs: 1_000 })).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('the language server starts, and has sent no answer yet'),
  });
});

test('a server that refuses to start is told in its own words, with what to look at', async () => {
  const error = { code: -32_603, message: 'no compiler is beside me' };
  const { ask } = makeScripted({ 'a.x': 'one\n' }, { on: { initialize: [{ error }] } });
  await expect(ask('a.x', async () => 1)).rejects.toMatchObject({
    code: 'lsp_unavailable',
    message: 'lsp error -32603: no compiler is beside me',
    suggestion: expect.stringContaining('works by itself; it is installed with'),
  });
});
