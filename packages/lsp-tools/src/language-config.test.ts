import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openLanguageSession } from './fixture/language-session.ts';

const ZLS = { zls: { content: '#!/bin/sh\nexit 7\n', mode: 0o755 } };
const SYMBOLS = { action: 'symbols', path: 'a.zig' };

test.for([
  ['{', 'config.json: it cannot be read as JSON'],
  ['[]', 'config.json: it must hold an object'],
  ['{"trusted_workspaces": ["relative"]}', '"trusted_workspaces" must be a list of paths'],
  ['{"lsp": {"diagnose": "some"}}', '"lsp.diagnose" must be one of off, errors, all'],
])('refuses the settings %s', async ([text, error]) => {
  const { ask, state } = openLanguageSession({ 'a.zig': 'x\n' });
  makeTree(state, { 'config.json': text as string });
  expect(await ask(SYMBOLS)).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
    error: expect.stringContaining(error as string),
  });
  makeTree(state, { 'config.json': '{}' });
  expect(await ask(SYMBOLS)).toMatchObject({ error: expect.stringContaining('zls is not on PATH') });
});

test('a server that runs project code starts only where there is none, or the person trusts the workspace', async () => {
  const { ask, root, state } = openLanguageSession({ 'a.zig': 'x\n' }, { programs: ZLS });
  const started = { ok: false, error: expect.stringContaining('zls failed') };
  expect(await ask(SYMBOLS)).toMatchObject(started);
  makeTree(root, { 'node_modules/deep/build.zig': 'x\n' });
  expect(await ask(SYMBOLS)).toMatchObject({ ok: false, error: expect.stringContaining('needs a trusted workspace') });
  makeTree(state, { 'config.json': JSON.stringify({ trusted_workspaces: [root] }) });
  const trusting = openLanguageSession({ 'a.zig': 'x\n', 'build.zig': 'x\n' }, { programs: ZLS });
  makeTree(trusting.state, { 'config.json': JSON.stringify({ trusted_workspaces: [trusting.root] }) });
  expect(await trusting.ask(SYMBOLS)).toMatchObject(started);
});

test('a server that has come to run project code is ended before it is asked again', async () => {
  const program = fileURLToPath(new URL('../../lsp/src/fixture/scripted-server.mjs', import.meta.url));
  const script = JSON.stringify({ capabilities: { documentSymbolProvider: true } });
  const content = `#!/bin/sh\nexec '${process.execPath}' '${program}' '${script}' "$HOME/received"\n`;
  const { ask, root, options } = openLanguageSession(
    { 'a.zig': 'x\n' },
    { programs: { zls: { content, mode: 0o755 } } },
  );
  expect(await ask(SYMBOLS)).toMatchObject({ ok: true });
  makeTree(root, { 'build.zig': 'x\n' });
  expect(await ask(SYMBOLS)).toMatchObject({ ok: false, error: expect.stringContaining('needs a trusted workspace') });
  const received = () => fs.readFileSync(`${options.home}/received`, 'utf8');
  await expect.poll(received).toContain('"method":"exit"');
  expect(received()).not.toContain('build.zig');
});

test('a directory within a trusted one, and above it, is not trusted', async () => {
  const { ask, root, state } = openLanguageSession({ 'a.zig': 'x\n', 'build.zig': 'x\n' }, { programs: ZLS });
  const trusted = [`${root}/sub`, fs.realpathSync(`${root}/..`)];
  makeTree(state, { 'config.json': JSON.stringify({ trusted_workspaces: trusted }) });
  expect(await ask(SYMBOLS)).toMatchObject({ ok: false, error: expect.stringContaining('needs a trusted workspace') });
});
