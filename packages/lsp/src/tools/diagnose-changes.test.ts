import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineTool } from '@jinn/core';
import { call, makeTree } from '@jinn/testkit';
import { mutate } from '@jinn/workspace';
import { expect, test } from 'vitest';
import { type LanguageSession, openLanguageSession, SCRIPTED, scripted } from './fixture/language-session.ts';

const PROJECT = {
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "noUnusedLocals": true } }\n',
  'a.ts': 'export const one = 1;\nexport const two: string = 2;\n',
  'b.ts': "import { one } from './a';\nconsole.log(one + 1);\n",
};

/** Writes files as every tool does. */
const write = defineTool({
  name: 'write',
  effect: 'write',
  description: 'Write files.',
  input: (z) =>
    z.strictObject({ files: z.record(z.string(), z.nullable(z.string())), dry_run: z.optional(z.boolean()) }),
  examples: [],
  run: async ({ files, dry_run }, ctx) => {
    await mutate(ctx, {
      operation: 'write',
      targets: Object.keys(files).map((path) => ({ path })),
      dryRun: dry_run,
      compute: (states) => {
        const changes = states.map((file) => {
          const text = files[file.asked];
          return { file, content: typeof text === 'string' ? Buffer.from(text) : undefined };
        });
        return { changes, extra: undefined };
      },
    });
    return { text: 'written', meta: { own: true } };
  },
});

function change({ options }: LanguageSession, files: object, more: object = {}) {
  return call(write, { files, ...more }, options);
}

const NOTHING_WRONG = { result: { kind: 'full', items: [] } };
const RANGE = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };
const SOMETHING_WRONG = { result: { kind: 'full', items: [{ range: RANGE, severity: 1, message: 'bad' }] } };

async function warm(session: LanguageSession): Promise<void> {
  expect(await session.ask({ action: 'diagnostics', path: 'a.ts' })).toMatchObject({ ok: true });
  expect(await session.ask({ action: 'diagnostics', path: 'b.ts' })).toMatchObject({ ok: true });
}

const SLOW = { lsp: { diagnose_wait_ms: 20_000 } };

test('says what a change broke and mended, in this file and in others that are open', async () => {
  const session = openLanguageSession(PROJECT, { config: SLOW });
  await warm(session);
  expect(await change(session, { 'a.ts': 'export const uno = 1;\nexport const two: string = "2";\n' })).toEqual({
    ok: true,
    result: 'written',
    meta: {
      own: true,
      diagnostics: {
        new: [expect.stringMatching(/^b\.ts:1:10 error ts\/\d+: Module .* has no exported member 'one'\.$/)],
        fixed: [expect.stringMatching(/^a\.ts:2:14 error ts\/2322: /)],
      },
    },
  });
  // What is moved and not changed is not new.
  expect(await change(session, { 'a.ts': '\n\nexport const uno = 1;\n' })).toMatchObject({
    meta: { diagnostics: { new: [], fixed: [] } },
  });
});

test('says what a change broke in files that nobody has opened', async () => {
  const files = {
    ...PROJECT,
    'lib/index.ts': 'export const three = 3;\n',
    'c.ts': "import { three } from './lib';\nthree;\n",
  };
  const session = openLanguageSession(files, { config: SLOW });
  expect(await session.ask({ action: 'diagnostics', path: 'a.ts' })).toMatchObject({ ok: true });
  // By now all files are known.
  expect(await session.ask({ action: 'diagnostics', path: 'a.ts' })).toMatchObject({ ok: true });
  expect(await change(session, { 'a.ts': 'export const one = "1";\nexport const uno = one;\n' })).toMatchObject({
    meta: { diagnostics: { new: [], fixed: [expect.stringMatching(/^a\.ts:2:14 /)] } },
  });
  expect(await change(session, { 'a.ts': 'export const uno = 1;\n' })).toMatchObject({
    meta: { diagnostics: { new: [expect.stringMatching(/^b\.ts:1:10 error .*no exported member 'one'/)], fixed: [] } },
  });
  expect(await change(session, { 'lib/index.ts': null })).toMatchObject({
    meta: { diagnostics: { new: [expect.stringMatching(/^c\.ts:1:23 error /)], fixed: [] } },
  });
});

test('a server that is too slow for the wait after a change is not replaced', async () => {
  const names = ['a.x', 'b.x', 'c.x', 'd.x'];
  const full = [{ result: { kind: 'full', items: [] } }];
  const settings = scripted(
    { 'textDocument/diagnostic': [full, full, full, full, []] },
    { diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false }, hoverProvider: true },
  ) as { lsp: { servers: { scripted: { command: string[] } } } };
  const session = openLanguageSession(Object.fromEntries(names.map((name) => [name, 'one\n'])));
  settings.lsp.servers.scripted.command.push(`${session.state}/received`);
  Object.assign(settings.lsp, { diagnose_wait_ms: 300 });
  makeTree(session.state, { 'config.json': JSON.stringify(settings) });
  for (const path of names) expect(await session.ask({ action: 'diagnostics', path })).toMatchObject({ ok: true });
  expect(await change(session, { 'a.x': 'two\n' })).toMatchObject({ meta: { diagnostics: { pending: true } } });
  expect(await session.ask({ action: 'hover', path: 'a.x', line: 1, character: 1 })).toMatchObject({ ok: true });
  const received = fs.readFileSync(`${session.state}/received`, 'utf8');
  expect(received.split('"method":"initialize"')).toHaveLength(2);
});

test('says nothing where no server runs, where it is switched off, and of what is not written', async () => {
  const cold = openLanguageSession(PROJECT);
  expect(await change(cold, { 'a.ts': 'wrong' })).toEqual({ ok: true, result: 'written', meta: { own: true } });
  const off = openLanguageSession(PROJECT, { config: { lsp: { diagnose: 'off' } } });
  await warm(off);
  expect(await change(off, { 'a.ts': 'wrong' })).toEqual({ ok: true, result: 'written', meta: { own: true } });
  const dry = openLanguageSession(PROJECT);
  await warm(dry);
  expect(await change(dry, { 'a.ts': 'wrong' }, { dry_run: true })).not.toHaveProperty('meta.diagnostics');
  expect(await change(dry, { 'c.txt': 'wrong' })).not.toHaveProperty('meta.diagnostics');
});

test('asks a server that runs code of some projects only as long as there is none', async () => {
  const script = JSON.stringify({
    capabilities: { textDocumentSync: 1, diagnosticProvider: {} },
    on: { 'textDocument/diagnostic': [[NOTHING_WRONG], [NOTHING_WRONG], [SOMETHING_WRONG]] },
  });
  const lsp = { servers: { zls: { command: [process.execPath, SCRIPTED, script] } }, diagnose_wait_ms: 20_000 };
  const session = openLanguageSession({ 'a.zig': 'one\n' }, { config: { lsp } });
  expect(await session.ask({ action: 'diagnostics', path: 'a.zig' })).toMatchObject({ ok: true });
  const warned = { meta: { diagnostics: { new: ['a.zig:1:1 error lsp: bad'] } } };
  expect(await change(session, { 'a.zig': 'two\n' })).toMatchObject(warned);
  makeTree(session.root, { 'node_modules/deep/build.zig': '' });
  expect(await change(session, { 'a.zig': 'six\n' })).not.toHaveProperty('meta.diagnostics');
});

test('a server that has come to need trust is asked nothing more between the calls', async () => {
  const session = openLanguageSession({ 'a.zig': 'one\n' });
  const build = { write: pathToFileURL(`${session.root}/build.zig`).href, text: '' };
  const script = JSON.stringify({
    capabilities: { textDocumentSync: 1, diagnosticProvider: {} },
    on: { 'textDocument/diagnostic': [[NOTHING_WRONG], [NOTHING_WRONG], [build], [SOMETHING_WRONG]] },
  });
  const command = [process.execPath, SCRIPTED, script, `${session.state}/received`];
  const config = { lsp: { servers: { zls: { command } }, diagnose_wait_ms: 500 } };
  makeTree(session.state, { 'config.json': JSON.stringify(config) });
  await session.ask({ action: 'diagnostics', path: 'a.zig' });
  expect(await change(session, { 'a.zig': 'two\n' })).toMatchObject({ meta: { diagnostics: { pending: true } } });
  const received = () => fs.readFileSync(`${session.state}/received`, 'utf8');
  await expect.poll(received).toContain('"method":"exit"');
  expect(received().split('"method":"textDocument/diagnostic"')).toHaveLength(4);
});

test('waits no longer than the settings say for a server that never answers, and does not fail with it', async () => {
  const settings = scripted(
    { 'textDocument/diagnostic': [[{ result: { kind: 'full', items: [] } }], [], [{ exit: 1 }]] },
    { diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false } },
  ) as { lsp: object };
  Object.assign(settings.lsp, { diagnose_wait_ms: 300 });
  const session = openLanguageSession({ 'a.x': 'one\n' }, { config: settings });
  expect(await session.ask({ action: 'diagnostics', path: 'a.x' })).toMatchObject({ ok: true });
  expect(await change(session, { 'a.x': 'two\n' })).toMatchObject({
    ok: true,
    result: 'written',
    meta: { diagnostics: { pending: true } },
  });
  expect(await change(session, { 'a.x': 'six\n' })).toMatchObject({ ok: true, result: 'written' });
});

test('a rename that is applied says what it broke', async () => {
  const session = openLanguageSession(PROJECT, { config: SLOW });
  await warm(session);
  const rename = { action: 'rename', path: 'a.ts', symbol: 'one', new_name: 'uno', apply: true };
  expect(await session.ask(rename)).toMatchObject({ ok: true, meta: { diagnostics: { new: [], fixed: [] } } });
  makeTree(session.root, { 'a.ts': 'export const one = 1;\n' });
  expect(await session.ask({ action: 'diagnostics', path: 'b.ts' })).toMatchObject({
    result: expect.stringContaining('uno'),
  });
});

/** What a server publishes of a file, whatever it was asked. */
function publish(file: string, message: string | undefined, version?: number): object {
  const diagnostics = message === undefined ? [] : [{ range: RANGE, severity: 1, message }];
  const uri = pathToFileURL(file).href;
  return { send: { method: 'textDocument/publishDiagnostics', params: { uri, diagnostics, version } } };
}

test('takes what a server publishes of a file that was not changed, whose version stays', async () => {
  const session = openLanguageSession({ 'a.x': 'one\n', 'b.x': 'one\n' });
  const [a, b] = ['a.x', 'b.x'].map((name) => path.join(session.root, name)) as [string, string];
  const settings = scripted({
    'textDocument/didOpen': [[publish(a, undefined, 1)], [publish(b, undefined, 2)]],
    'textDocument/didChange': [publish(a, undefined, 3), { later: 100, action: publish(b, 'broken by a', 2) }],
  }) as { lsp: object };
  Object.assign(settings.lsp, { diagnose_wait_ms: 20_000 });
  makeTree(session.state, { 'config.json': JSON.stringify(settings) });
  for (const path of ['a.x', 'b.x']) await session.ask({ action: 'diagnostics', path });
  expect(await change(session, { 'a.x': 'two\n' })).toMatchObject({
    meta: { diagnostics: { new: ['b.x:1:1 error lsp: broken by a'], fixed: [] } },
  });
});

test('two answers about one text that differ are none', async () => {
  const settings = scripted(
    { 'textDocument/diagnostic': [[SOMETHING_WRONG], [NOTHING_WRONG]] },
    { diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: false } },
  );
  const session = openLanguageSession({ 'a.x': 'one\n' }, { config: settings });
  const ask = () => session.ask({ action: 'diagnostics', path: 'a.x' });
  expect(await ask()).toMatchObject({ result: 'a.x:1:1 error lsp: bad' });
  expect(await ask()).toMatchObject({ ok: false, error_code: 'timeout' });
  makeTree(session.root, { 'a.x': 'two\n' });
  expect(await ask()).toMatchObject({ result: 'no diagnostics found' });
});

test('an error that stays where it is is neither new nor mended, though its line has changed', async () => {
  const settings = scripted(
    { 'textDocument/diagnostic': [SOMETHING_WRONG] },
    { diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false } },
  ) as { lsp: object };
  Object.assign(settings.lsp, { diagnose_wait_ms: 20_000 });
  const session = openLanguageSession({ 'a.x': 'one\n' }, { config: settings });
  await session.ask({ action: 'diagnostics', path: 'a.x' });
  expect(await change(session, { 'a.x': 'two\n' })).toMatchObject({ meta: { diagnostics: { new: [], fixed: [] } } });
});

/** A session whose server answers each question for diagnostics by the next of these lists; the last stands for all others. */
function openPulled(answers: readonly (readonly object[])[], waitMs: number) {
  const session = openLanguageSession({ 'a.x': 'one\n' });
  const settings = scripted(
    { 'textDocument/diagnostic': answers },
    { diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false }, hoverProvider: true },
  ) as { lsp: { servers: { scripted: { command: string[] } } } };
  settings.lsp.servers.scripted.command.push(`${session.state}/received`);
  Object.assign(settings.lsp, { diagnose_wait_ms: waitMs });
  makeTree(session.state, { 'config.json': JSON.stringify(settings) });
  const received = () => fs.readFileSync(`${session.state}/received`, 'utf8');
  const count = (method: string) => received().split(`"method":"${method}"`).length - 1;
  const hover = () => session.ask({ action: 'hover', path: 'a.x', line: 1, character: 1 });
  const late = async () => ((await hover()) as { meta?: { late_diagnostics?: object } }).meta?.late_diagnostics;
  return { ...session, session, count, late };
}

test('what a server says too late comes once, with the next call of any tool', async () => {
  const never: object[] = [];
  const { ask, session, late } = openPulled([[NOTHING_WRONG], [NOTHING_WRONG], never, [SOMETHING_WRONG]], 300);
  await ask({ action: 'diagnostics', path: 'a.x' });
  expect(await change(session, { 'a.x': 'two\n' })).toMatchObject({
    meta: { diagnostics: { new: [], fixed: [], pending: true } },
  });
  await expect.poll(late).toEqual({ new: ['a.x:1:1 error lsp: bad'], fixed: [] });
  expect(await late()).toBeUndefined();
  // By now it is known: the next change is compared with it.
  expect(await change(session, { 'a.x': '\ntwo\n' })).toMatchObject({ meta: { diagnostics: { new: [], fixed: [] } } });
});

test('a server that was late twice is not waited for until it answers in time, and nothing it says is lost', async () => {
  const never: object[] = [];
  const slow = [{ later: 700, action: SOMETHING_WRONG }];
  // The first question, and for each change that is waited for: before it, after it, and once more between the calls.
  const answers = [
    [NOTHING_WRONG],
    [NOTHING_WRONG],
    never,
    never,
    [NOTHING_WRONG],
    never,
    never,
    slow,
    [NOTHING_WRONG],
  ];
  const { ask, session, count, late } = openPulled(answers, 500);
  const pending = { meta: { diagnostics: { new: [], fixed: [], pending: true } } };
  await ask({ action: 'diagnostics', path: 'a.x' });
  expect(await change(session, { 'a.x': 'two\n' })).toMatchObject(pending);
  expect(await change(session, { 'a.x': 'six\n' })).toMatchObject(pending);
  await expect.poll(() => count('textDocument/diagnostic')).toBe(7);
  expect(await change(session, { 'a.x': 'ten\n' })).toMatchObject(pending);
  await expect.poll(() => count('textDocument/diagnostic')).toBe(8);
  await expect.poll(late).toEqual({ new: ['a.x:1:1 error lsp: bad'], fixed: [] });
  // It was slower than the wait, so it is not waited for yet; then it is quick again.
  expect(await change(session, { 'a.x': 'four\n' })).toMatchObject(pending);
  await expect.poll(late).toEqual({ new: [], fixed: ['a.x:1:1 error lsp: bad'] });
  expect(await change(session, { 'a.x': 'five\n' })).toMatchObject({
    meta: { diagnostics: expect.not.objectContaining({ pending: true }) },
  });
});

test('what was said of a text that has changed since is not told, but compared with later', async () => {
  const answers = [[NOTHING_WRONG], [NOTHING_WRONG], [], [SOMETHING_WRONG], [SOMETHING_WRONG]];
  const { ask, session, count, late, root } = openPulled(answers, 300);
  await ask({ action: 'diagnostics', path: 'a.x' });
  await change(session, { 'a.x': 'two\n' });
  await expect.poll(() => count('textDocument/diagnostic')).toBe(4);
  makeTree(root, { 'a.x': 'by another\n' });
  expect(await late()).toBeUndefined();
  expect(await change(session, { 'a.x': 'six\n' })).toMatchObject({ error_code: 'stale_file' });
  expect(await change(session, { 'a.x': 'six\n' })).toMatchObject({
    meta: { diagnostics: { new: ['a.x:1:1 error lsp: bad'] } },
  });
});

test('errors of a file of which nothing was known before the change are told as that', async () => {
  const { session, count, late } = openPulled([[], [], [SOMETHING_WRONG]], 300);
  await late(); // It starts the server.
  await change(session, { 'a.x': 'two\n' });
  await expect.poll(() => count('textDocument/diagnostic')).toBe(3);
  await expect.poll(late).toEqual({ new: [], fixed: [], present: ['a.x:1:1 error lsp: bad'] });
});

test('a server that could not load the workspace is told as that, in its own words and with the cure', async () => {
  const failed = {
    token: 1,
    value: { kind: 'begin', title: 'Error loading workspace', message: 'no module\nfor you' },
  };
  const settings = scripted(
    {
      'textDocument/didOpen': [{ send: { method: '$/progress', params: failed } }],
      'textDocument/definition': [{ error: { code: 0, message: 'no package metadata' } }],
      'textDocument/diagnostic': [NOTHING_WRONG],
      'textDocument/hover': [{ result: { contents: 'known' } }],
    },
    { hoverProvider: true, definitionProvider: true, diagnosticProvider: {} },
  ) as { lsp: { servers: { scripted: object } } };
  Object.assign(settings.lsp.servers.scripted, { ready: { fails: '^Error loading' } });
  const session = openLanguageSession({ 'a.x': 'one\n' }, { config: settings });
  const at = { path: 'a.x', line: 1, character: 1 };
  const words = 'scripted could not load the workspace: no module for you';
  const refused = { ok: false, error_code: 'lsp_error', error: words, suggestion: 'see whether the project is whole' };
  expect(await session.ask({ action: 'definition', ...at })).toMatchObject(refused);
  expect(await session.ask({ action: 'diagnostics', path: 'a.x' })).toMatchObject(refused);
  expect(await session.ask({ action: 'hover', ...at })).toMatchObject({
    result: `known\n[may be incomplete: ${words}; see whether the project is whole]`,
    meta: { complete: false },
  });
  expect(await change(session, { 'a.x': 'two\n' })).toMatchObject({
    meta: { diagnostics: { pending: true, reason: expect.stringContaining(words) } },
  });
});
