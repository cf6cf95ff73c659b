import { makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openLanguageSession, SYMBOL_SERVER } from '../tools/fixture/language-session.ts';

const SYMBOLS = { action: 'symbols', path: 'a.zig' };

test.for([
  ['{', 'config.json: invalid JSON: '],
  ['{"lsp":{"diagnose":"off","diagnose":"all"}}', 'config.json: invalid JSON: duplicate key "diagnose"'],
  ['[]', 'config.json: it must hold an object'],
  ['{"lsp": {"diagnose": "some"}}', '"lsp.diagnose" must be one of off, errors, all'],
])('refuses the settings %s', async ([text, error]) => {
  const { ask, state } = openLanguageSession({ 'a.zig': 'const x = 1;\n' });
  makeTree(state, { 'config.json': text as string });
  expect(await ask(SYMBOLS)).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
    error: expect.stringContaining(error as string),
  });
  makeTree(state, { 'config.json': '{}' });
  expect(await ask(SYMBOLS)).toMatchObject({ ok: true, result: expect.stringContaining('zls is not on PATH') });
});

test('says what to do instead of a list of trusted workspaces, which trusts nothing', async () => {
  const { ask, root, state, session } = openLanguageSession({ 'a.zig': 'x\n' }, { programs: { zls: SYMBOL_SERVER } });
  makeTree(state, { 'config.json': JSON.stringify({ trusted_workspaces: [root] }) });
  expect(await ask(SYMBOLS)).toMatchObject({
    ok: true,
    meta: { warnings: [expect.stringContaining('"trusted_workspaces" has no effect. Remove it')] },
  });
  makeTree(root, { 'build.zig': 'x\n' });
  expect(await ask(SYMBOLS)).toMatchObject({ ok: false, error: expect.stringContaining('zls needs trust') });
  await session.close();
});
