import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { connectNew, connectOld } from './fixture/connect-here.ts';

const SCRIPTED = path.resolve(import.meta.dirname, '../../../packages/lsp/src/fixture/scripted-server.mjs');
const OCAMLLSP = [process.execPath, SCRIPTED, '{"capabilities":{"documentSymbolProvider":true}}'];
const QUERY = { name: 'lsp_query', arguments: { action: 'symbols', path: 'a.ml' } };

function makePlace() {
  const [cwd, home] = [makeTempDirectory(), makeTempDirectory()];
  makeTree(cwd, { dune: '(library)\n', 'a.ml': 'let one = 1\n' });
  const config = { lsp: { servers: { ocamllsp: { command: OCAMLLSP } } } };
  makeTree(home, { '.config/jinn/config.json': JSON.stringify(config) });
  return { cwd, home };
}

interface Response {
  readonly action: 'accept' | 'decline';
  readonly remember?: boolean;
}

/** A host whose person responds so to each question; one that cannot ask if there is no response. */
async function connect(kind: 'old' | 'new', place: ReturnType<typeof makePlace>, response?: Response) {
  const asked: string[] = [];
  const answer = ({ params }: { params: { message: string } }) => {
    asked.push(params.message);
    const { action, remember = false } = response ?? {};
    return { action, content: { decision: remember ? 'Always allow…' : 'Allow once' } };
  };
  if (kind === 'old') {
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const { client, connect: start } = await connectOld(place, response ? { elicitation: {} } : {});
    if (response) client.setRequestHandler(ElicitRequestSchema, answer as never);
    await start();
    return { asked, query: () => client.callTool(QUERY) };
  }
  const { client, connect: start } = await connectNew(place, {
    capabilities: response ? { elicitation: { form: {} } } : {},
  });
  if (response) client.setRequestHandler('elicitation/create', answer as never);
  await start();
  return { asked, query: () => client.callTool(QUERY) };
}

const KINDS = ['old', 'new'] as const;
const ANSWER = { content: [{ type: 'text', text: 'no symbols found' }] };

test.each(KINDS)(
  'a person is asked before a server runs code of the workspace, and after a change (%s client)',
  async (kind) => {
    const place = makePlace();
    const remembering = await connect(kind, place, { action: 'accept', remember: true });
    expect(await remembering.query()).toMatchObject(ANSWER);
    expect(remembering.asked).toEqual([expect.stringMatching(/^Start the language server ocamllsp /)]);
    const declining = await connect(kind, place, { action: 'decline' });
    expect(await declining.query()).toMatchObject(ANSWER);
    expect(declining.asked).toEqual([]);
    makeTree(place.cwd, { 'sub/dune': '(rule)\n' });
    expect(await declining.query()).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('the user denied this call: Start the language server ocamllsp') }],
    });
  },
);

test.each(KINDS)('a person who accepts once is not asked while the server runs (%s client)', async (kind) => {
  const { asked, query } = await connect(kind, makePlace(), { action: 'accept' });
  expect(await query()).toMatchObject(ANSWER);
  expect(await query()).toMatchObject(ANSWER);
  expect(asked).toHaveLength(1);
});

test.each(KINDS)('a host that cannot ask is told the command that allows the server (%s client)', async (kind) => {
  const { query } = await connect(kind, makePlace());
  const answer = JSON.stringify(await query());
  expect(answer).toContain(
    'by text: no language server for OCaml: node needs trust, since it runs code of the workspace',
  );
  expect(answer).toContain('jinn lsp trust ocamllsp');
});
