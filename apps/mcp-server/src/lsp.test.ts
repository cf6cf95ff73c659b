import { createRequire } from 'node:module';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { connectNew, connectOld } from './fixture/connect-here.ts';

const TYPESCRIPT = path.join(
  path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin/tsc',
);

const PROJECT = {
  'tsconfig.json': '{ "compilerOptions": { "strict": true } }\n',
  'a.ts': 'export const one = 1;\n',
  'b.ts': "import { one } from './a';\nconsole.log(one);\n",
};

const CONFIG = {
  lsp: {
    servers: { typescript: { command: [process.execPath, TYPESCRIPT, '--lsp', '--stdio'] } },
    diagnose_wait_ms: 20_000,
  },
};

test.for([
  ['by handshake', connectOld],
  ['stateless', connectNew],
] as const)('%s: a language server stays warm, and the text says what a write broke', async ([, connectTo]) => {
  const [cwd, home] = [makeTempDirectory(), makeTempDirectory()];
  makeTree(cwd, PROJECT);
  makeTree(home, { '.config/jinn/config.json': JSON.stringify(CONFIG) });
  const { client, connect } = await connectTo({ cwd, home });
  await connect();
  const reports: string[] = [];
  const onprogress = ({ message = '' }: { message?: string | undefined }) => reports.push(message);
  const request = { name: 'lsp_query', arguments: { action: 'hover', path: 'b.ts', line: 2, symbol: 'one' } };
  const hover = await (connectTo === connectOld
    ? (client as Awaited<ReturnType<typeof connectOld>>['client']).callTool(request, undefined, { onprogress })
    : (client as Awaited<ReturnType<typeof connectNew>>['client']).callTool(request, { onprogress }));
  expect(hover).toMatchObject({ content: [{ type: 'text', text: expect.stringContaining('one: 1') }] });
  expect(reports[0]).toBe('the language server typescript starts');
  const write = { path: 'a.ts', content: 'export const two = 1;\n' };
  const written = await client.callTool({ name: 'write_file', arguments: write });
  expect(written).toMatchObject({
    content: [
      { type: 'text' },
      { type: 'text', text: expect.stringMatching(/^This change causes:\nb\.ts:1:10 error /) },
    ],
    _meta: { jinn: { meta: { diagnostics: { new: [expect.any(String)], fixed: [] } } } },
  });
});
