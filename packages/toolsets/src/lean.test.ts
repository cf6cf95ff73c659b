import { createRegistry, createSession, describeTools } from '@jinn/core';
import { makeTempDirectory, makeTree, openTestMachine } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { chooseToolsets } from './index.ts';

const FILES = { 'a.go': 'package a\n', 'src/b.txt': 'one\nneedle\n' };
const NAMES = 'run_shell read_file search_files find_files edit_file apply_patch search_replace undo'.split(' ');

/** The toolset lean in a project, with these programs on the PATH. */
async function serve(programs: Record<string, { content: string; mode: number }> = {}) {
  const [root, bin] = [makeTempDirectory(), makeTempDirectory()];
  makeTree(root, FILES);
  makeTree(bin, programs);
  const machine = openTestMachine({ root, environment: { PATH: bin } });
  const toolsets = chooseToolsets(['lean'], machine);
  const registry = await createRegistry({ toolsets, version: '0', onInternalError: () => undefined });
  const call = (tool: string, args: object) => registry.call({ tool, args }, { ...machine, session: createSession() });
  return { call, names: (await describeTools(registry)).map(({ name }) => name) };
}

test('has lsp_query only where a language server is found', async () => {
  const without = await serve();
  expect(without.names).toEqual(NAMES);
  expect(await without.call('lsp_query', { action: 'symbols', path: 'a.go' })).toMatchObject({
    ok: false,
    error: {
      code: 'unknown_tool',
      message: 'the tool lsp_query cannot be used: no language server for this project is installed',
      suggestion: 'tell the user: jinn lsp lists the servers',
    },
  });
  const { names } = await serve({ gopls: { content: '#!/bin/sh\nexit 0\n', mode: 0o755 } });
  expect(names).toEqual([...NAMES, 'lsp_query']);
});

test('answers as to a model, and keeps to its own names', async () => {
  const { call } = await serve();
  expect(await call('search_files', { pattern: 'needle' })).toMatchObject({ text: 'src/b.txt:2:needle' });
  expect(await call('find_files', { path: 'src' })).toMatchObject({ text: 'b.txt' });
  const missing = await call('edit_file', { path: 'c.txt', old_text: 'a', new_text: 'b' });
  expect(missing).toMatchObject({
    error: { suggestion: 'check the path with find_files, or make the file with apply_patch' },
  });
});

test('is refused beside the toolset jinn', async () => {
  const toolsets = chooseToolsets(['jinn', 'lean']);
  const refused = createRegistry({ toolsets, version: '0', onInternalError: () => undefined });
  await expect(refused).rejects.toThrow('the toolsets jinn and lean both have a tool named run_shell');
});
