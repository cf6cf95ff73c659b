import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findAllReferences, findDocumentSymbols } from '../answers/queries.ts';
import { makeWorkspace, TRUSTS_ALL, TRUSTS_NOTHING, TSSERVER } from '../fixture/language-workspace.ts';
import { chooseServer } from '../servers/find-server.ts';
import { SERVER_TABLE } from '../servers/server-table.ts';

const LSP = { languages: { TypeScript: ['tsserver'] } };
const PROJECT = {
  'tsconfig.json': '{"compilerOptions":{"strict":true,"types":[]}}',
  'a.ts': 'export function twice(n: number) {\n  return 2 * n;\n}\n',
  'b.ts': "import { twice } from './a';\nexport const four = twice(2);\n",
};

function fakeServer(script: string) {
  const bin = makeTempDirectory();
  makeTree(bin, { tsserver: { content: `#!/bin/sh\n${script}\n`, mode: 0o755 } });
  return { lsp: { ...LSP, servers: { tsserver: { command: [path.join(bin, 'tsserver')] } } } };
}

test('a tsserver that sends something else is told as that', async () => {
  const { ask } = makeWorkspace(
    PROJECT,
    fakeServer('printf "Content-Length: 99999999999\\r\\n\\r\\n"; cat > /dev/null'),
  );
  await expect(ask('a.ts', findDocumentSymbols)).rejects.toMatchObject({
    code: 'lsp_unavailable',
    message: expect.stringContaining('it sent output that is not a message'),
  });
});

test('a tsserver that dies says why', async () => {
  const { ask } = makeWorkspace(PROJECT, fakeServer('echo cannot find module >&2; exit 1'));
  await expect(ask('a.ts', findDocumentSymbols)).rejects.toMatchObject({
    code: 'lsp_unavailable',
    message: expect.stringContaining('cannot find module'),
  });
});

/** A workspace with a TypeScript 5 of its own, and no server elsewhere. */
function withOwnTypeScript() {
  const root = makeTempDirectory();
  makeTree(root, PROJECT);
  fs.cpSync(path.dirname(path.dirname(fs.realpathSync(TSSERVER))), `${root}/node_modules/typescript`, {
    recursive: true,
  });
  fs.mkdirSync(`${root}/node_modules/.bin`);
  fs.symlinkSync('../typescript/bin/tsserver', `${root}/node_modules/.bin/tsserver`);
  return root;
}

test('the TypeScript of a workspace serves once a person trusts it as it is', { timeout: 60_000 }, async () => {
  const root = withOwnTypeScript();
  const options = { root, environment: { PATH: path.dirname(process.execPath) } };
  await expect(chooseServer(SERVER_TABLE, 'a.ts', { ...options, trust: TRUSTS_NOTHING })).rejects.toMatchObject({
    message: expect.stringContaining('tsserver needs trust, since it is a program of the workspace'),
    suggestion: expect.stringContaining('jinn lsp trust tsserver'),
  });
  const { ask } = makeWorkspace({}, { ...options, trust: TRUSTS_ALL });
  const answer = await ask('a.ts', (view) => findAllReferences(view, { line: 1, character: 17 }));
  expect([answer.server, answer.value.total]).toEqual(['tsserver', 3]);
});

const changes: readonly [string, (root: string) => void][] = [
  ['its code', (root) => fs.appendFileSync(`${root}/node_modules/typescript/lib/tsserver.js`, '\n')],
  ['a tsconfig.json, which may name plugins', (root) => fs.appendFileSync(`${root}/tsconfig.json`, '\n')],
];

test.for(changes)('the trust in the TypeScript of a workspace ends with a change of %s', async ([, change]) => {
  const root = withOwnTypeScript();
  const seen: (string | undefined)[] = [];
  const look = {
    ...TRUSTS_NOTHING,
    isTrusted: async (_: string, fingerprint: () => Promise<string | undefined>) => {
      seen.push(await fingerprint());
      return true;
    },
  };
  const options = { root, environment: { PATH: path.dirname(process.execPath) }, trust: look };
  const choose = () => chooseServer(SERVER_TABLE, 'a.ts', options);
  await choose();
  await choose();
  change(root);
  await choose();
  expect(seen[0]).toBeDefined();
  expect([seen[1] === seen[0], seen[2] === seen[0]]).toEqual([true, false]);
});
