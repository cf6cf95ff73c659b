import { pathToFileURL } from 'node:url';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { makeWorkspace, TRUSTS_ALL } from '../fixture/language-workspace.ts';
import { CAPABILITIES, makeScripted, scriptedCommand } from '../fixture/scripted.ts';
import { SERVER_TABLE } from '../servers/server-table.ts';
import { diagnoseChange } from './diagnose-change.ts';
import { findDiagnostics } from './queries.ts';

const PULLS = {
  ...CAPABILITIES,
  diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false },
};

function wrong(message: string, line = 0): object {
  const range = { start: { line, character: 0 }, end: { line, character: 3 } };
  return { range, severity: 1, source: 'test', message };
}

function publish(root: string, file: string, diagnostics: readonly object[], version?: number): { send: object } {
  const params = { uri: pathToFileURL(`${root}/${file}`).href, diagnostics, ...(version !== undefined && { version }) };
  return { send: { method: 'textDocument/publishDiagnostics', params } };
}

function answer(...items: readonly object[]): { result: object } {
  return { result: { kind: 'full', items } };
}

function messagesOf({ diagnostics }: { diagnostics: readonly { message: string }[] }): string[] {
  return diagnostics.map(({ message }) => message);
}

test.for([
  ['zls', 'a.zig'],
  ['typescript-language-server', 'a.ts'],
] as const)('%s is asked what is wrong if it offers that', async ([id, file]) => {
  const command = scriptedCommand({ capabilities: PULLS, on: { 'textDocument/diagnostic': [answer(wrong('bad'))] } });
  const lsp = { languages: { TypeScript: ['typescript-language-server'] }, servers: { [id]: { command } } };
  const { ask } = makeWorkspace({ [file]: 'one\n' }, { lsp });
  const { value } = await ask(file, findDiagnostics, { limitMs: 20_000 });
  expect(value).toMatchObject({ diagnostics: [{ message: 'bad', source: 'test' }], isPending: false });
});

test('nixd is never asked what is wrong, since it would die of it', async () => {
  const root = makeTempDirectory();
  const on = {
    'textDocument/didOpen': [publish(root, 'a.nix', [wrong('published')])],
    'textDocument/diagnostic': [{ kill: true }],
  } as const;
  const lsp = { servers: { nixd: { command: scriptedCommand({ capabilities: PULLS, on }) } } };
  const { ask } = makeWorkspace({ 'a.nix': 'one\n' }, { root, lsp, trust: TRUSTS_ALL });
  expect(messagesOf((await ask('a.nix', findDiagnostics)).value)).toEqual(['published']);
  const neverPulled = Object.entries(SERVER_TABLE.servers).filter(([, server]) => server.diagnostics === 'push');
  expect(neverPulled.map(([id]) => id)).toEqual(['nixd']);
});

test.for([
  ['of the version that is open', 1, ['pulled', 'published']],
  ['without a version', undefined, ['pulled', 'published']],
  ['of an older version', 0, ['pulled']],
] as const)('what a server publishes beside its answers counts, each once: %s', async ([, version, messages]) => {
  const root = makeTempDirectory();
  const on = {
    'textDocument/didOpen': [publish(root, 'a.x', [wrong('pulled'), wrong('published', 1)], version)],
    'textDocument/diagnostic': [answer(wrong('pulled'))],
  };
  const { ask } = makeScripted({ 'a.x': 'one\ntwo\n' }, { capabilities: PULLS, on }, { root });
  expect(messagesOf((await ask('a.x', findDiagnostics)).value)).toEqual(messages);
});

test('what a server publishes beside its answers does not seem to be fixed by a change', async () => {
  const root = makeTempDirectory();
  const on = {
    'textDocument/didOpen': [publish(root, 'a.x', [wrong('published')], 1)],
    'textDocument/diagnostic': [[answer()], [answer()], [answer(wrong('new'))]],
  };
  const { ask, servers, files } = makeScripted({ 'a.x': 'one\n' }, { capabilities: PULLS, on }, { root });
  expect(messagesOf((await ask('a.x', findDiagnostics)).value)).toEqual(['published']);
  const changes = [{ path: 'a.x', before: Buffer.from('one\n'), after: Buffer.from('two\n') }];
  const difference = await diagnoseChange(servers, changes, { files, waitMs: 15_000, severity: 'errors' });
  expect(difference).toMatchObject({ appeared: [{ message: 'new' }], disappeared: [], isPending: false });
});
