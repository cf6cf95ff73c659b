import { createRegistry, createSession } from '@jinn/core';
import { makeTempDirectory, makeTree, openTestMachine } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { chooseToolsets } from './index.ts';

const DEFINITION = `---
name: big
script: big.sh
runtime: bash
inputSchema: { type: object }
outputSchema: { type: object }
---
Prints much.
`;
/** Prints {"x":["first","aaaaaaa",…]} with 60,000 characters. */
const SCRIPT = `printf '{"x":["first"%s]}' "$(yes ',"aaaaaaa"' | head -n 6000 | tr -d '\\n')"`;

async function serve(names: readonly string[], maxResult?: number, state = makeTempDirectory()) {
  const root = makeTempDirectory();
  makeTree(state, { 'tools/big/tool.md': DEFINITION, 'tools/big/big.sh': SCRIPT });
  const machine = openTestMachine({ state, root });
  const toolsets = chooseToolsets(names, machine);
  const registry = await createRegistry({ toolsets, version: '1', onInternalError: console.error });
  const session = createSession();
  const call = async (tool: string, args: object = {}) => {
    const outcome = await registry.call({ tool, args }, { ...machine, session, maxResult });
    if (!outcome.ok) throw outcome.error;
    return outcome.text ?? '';
  };
  return { call, spill: machine.spill, state };
}

const WITH_READ_FILE = /The full result is in (\S+) \(read it with read_file\)\]$/;

test.each(['jinn', 'codescout'])(
  'read_file of %s opens the file of a large result of a custom tool',
  async (toolset) => {
    const { call } = await serve([toolset, 'custom']);
    const path = WITH_READ_FILE.exec(await call('big'))?.[1];
    expect(await call('read_file', { path })).toMatch(/first(.|\n)*aaaaaaa/);
  },
);

test.each(['jinn', 'codescout'])('read_file of %s does not open it in another workspace', async (toolset) => {
  const { call, state } = await serve([toolset, 'custom']);
  const path = WITH_READ_FILE.exec(await call('big'))?.[1];
  const other = await serve([toolset, 'custom'], undefined, state);
  await expect(other.call('read_file', { path })).rejects.toMatchObject({ code: 'path_outside_sandbox' });
});

test('codescout makes a buffer of it, which its other tools take too', async () => {
  const { call } = await serve(['codescout', 'custom']);
  const path = WITH_READ_FILE.exec(await call('big'))?.[1];
  const part = JSON.parse(await call('read_file', { path, json_path: '$.x[0]' }));
  expect(part.content).toContain('first');
});

test('where no tool opens the file, the answer does not name one', async () => {
  const { call, spill } = await serve(['custom']);
  const [, path = ''] = /The full result is in (\S+) \(no tool here opens it, .*\)\]$/.exec(await call('big')) ?? [];
  expect(spill.open(path)?.slice(0, 9).toString()).toBe('{\n "x": [');
});

test('where a model reads the answer as it stands, it names the resource', async () => {
  const { call } = await serve(['custom', 'jinni'], 24_000);
  expect(await call('big')).toMatch(
    /The full result is in \S+ \(read it as the resource jinn:\/\/results\/big\.[0-9a-z]{16}\.txt\)\]$/,
  );
});

test('the beginning that is shown leaves room for the sentence about the rest', async () => {
  const { call } = await serve(['jinn', 'custom'], 6_000);
  const text = await call('big');
  expect(Buffer.byteLength(text)).toBeLessThan(6_000);
  expect(text).toMatch(WITH_READ_FILE);
});
