import fs from 'node:fs';
import path from 'node:path';
import { parseScopes } from '@jinn/team/people/asker';
import { hashOf, toTokenLine } from '@jinn/team/people/bearer-tokens';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { ERAS, type Era } from '../fixture/eras.ts';
import { INFO, listen } from '../fixture/listen.ts';

const SCRIPTED = path.resolve(import.meta.dirname, '../../../../packages/lsp/src/fixture/scripted-server.mjs');
const TOKEN = 'the-token-of-somebody';
const accept = async () => ({ action: 'accept', content: { decision: 'Always allow…' } }) as never;

/** Serves to a person with these scopes, and tells whether the language server has run, which runs code of the workspace. */
async function serve(scopes: readonly string[]) {
  const home = makeTempDirectory();
  const mark = `${home}/has-run`;
  const command = [process.execPath, SCRIPTED, '{"capabilities":{"documentSymbolProvider":true}}', mark];
  const token = { person: 'ann', hash: hashOf(TOKEN), scopes: parseScopes(scopes), expires: Infinity };
  makeTree(home, {
    tokens: `${toTokenLine(token)}\n`,
    'jinn/config.json': JSON.stringify({ lsp: { servers: { ocamllsp: { command } } } }),
  });
  const { url, cwd } = await listen({
    args: ['--sandbox', 'off', '--token-file', `${home}/tokens`],
    variables: { HOME: home, JINN_CONFIG_DIR: home },
  });
  makeTree(cwd, { dune: '(library)\n', 'a.ml': 'let one = 1\n' });
  return { url, hasRun: () => fs.existsSync(mark) };
}

async function connect(url: URL, era: Era): Promise<Pick<Client, 'callTool'>> {
  const requestInit = { headers: { Authorization: `Bearer ${TOKEN}`, 'Jinn-Session': 'session-of-somebody' } };
  const capabilities = { elicitation: { form: {} } };
  if (era === 'by handshake') {
    const client = new OldClient(INFO, { capabilities });
    onTestFinished(() => client.close());
    client.setRequestHandler(ElicitRequestSchema, accept);
    await client.connect(new OldTransport(url, { requestInit }) as never);
    return client as never;
  }
  const client = new Client(INFO, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } });
  onTestFinished(() => client.close());
  client.setRequestHandler('elicitation/create', accept);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}

test.for(
  ERAS.flatMap((era) => [[era, ['read', 'write', 'execute'], true] as const, [era, ['read', 'write'], false] as const]),
)(
  '%s: a person with the scopes %j lets a language server run code of the workspace: %j',
  async ([era, scopes, mayAllow]) => {
    const { url, hasRun } = await serve(scopes);
    const client = await connect(url, era);
    const answer = await client.callTool({ name: 'lsp_query', arguments: { action: 'symbols', path: 'a.ml' } });
    expect(hasRun()).toBe(mayAllow);
    expect(JSON.stringify(answer).includes('with the scope jinn:execute')).toBe(!mayAllow);
    expect(JSON.stringify(answer)).not.toContain('jinn lsp trust');
  },
);
