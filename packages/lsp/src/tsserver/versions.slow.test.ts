import fs from 'node:fs';
import path from 'node:path';
import { makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import {
  findAllReferences,
  findCodeActions,
  findDiagnostics,
  findDocumentSymbols,
  flattenSymbols,
  planCodeAction,
  planFormat,
  planRename,
} from '../answers/queries.ts';
import { byTsserver, makeWorkspace, TSSERVER_VERSIONS } from '../fixture/language-workspace.ts';

const PROJECT = {
  'tsconfig.json': '{"compilerOptions":{"strict":true,"types":[],"noUnusedLocals":true}}',
  'a.ts': 'export function twice(n: number) {\n  return 2 * n;\n}\n',
  'b.ts': "import { twice } from './a';\nexport const four = twice(2);\n",
};

test.for(TSSERVER_VERSIONS)(
  'tsserver %i sees what changes on the disk in files that it has not open',
  async (version) => {
    const { root, servers, ask } = makeWorkspace(PROJECT, byTsserver(version));
    const references = () => ask('a.ts', (view) => findAllReferences(view, { line: 1, character: 17 }));
    expect((await references()).value.total).toBe(3);
    makeTree(root, { 'b.ts': `${PROJECT['b.ts']}export const six = twice(3);\n`, 'c.ts': PROJECT['b.ts'] });
    expect((await references()).value.total).toBe(6);
    fs.rmSync(path.join(root, 'b.ts'));
    expect((await references()).value.total).toBe(3);
    expect(servers.running).toHaveLength(1);
  },
);

test.for(TSSERVER_VERSIONS)('tsserver %i renames, formats and mends', async (version) => {
  const { root, ask } = makeWorkspace(
    { ...PROJECT, 'c.ts': 'const  a = 1;\nconst b = { twice };\nfunction twice() {}\nexport { b, twice }' },
    byTsserver(version),
  );
  const format = await ask('c.ts', (view) => planFormat(view, { tabSize: 2, insertSpaces: true }));
  expect(format.value).toMatchObject([{ after: expect.stringMatching(/^const a = 1;\n/) }]);
  const rename = await ask('c.ts', (view) =>
    planRename(view, { line: 3, character: 10 }, { expected: 'twice', newName: 'two' }),
  );
  expect(rename.value).toMatchObject([
    { after: 'const  a = 1;\nconst b = { twice: two };\nfunction two() {}\nexport { b, two as twice }' },
  ]);
  const range = { start: { line: 1, character: 8 }, end: { line: 1, character: 9 } };
  const mended = await ask('c.ts', async (view) => {
    const actions = await findCodeActions(view, range);
    const [removal] = actions.filter(({ title }) => title.startsWith('Remove unused declaration'));
    return removal && planCodeAction(view, removal);
  });
  expect(mended.value).toMatchObject([{ after: expect.stringMatching(/^const b = /) }]);
  makeTree(root, { 'a.ts': 'export function twice(n: string): number {\n  return n;\n}\n' });
  expect((await ask('b.ts', findDiagnostics)).value.diagnostics).toMatchObject([{ code: '2345', severity: 'error' }]);
  await expect(
    ask('a.ts', (view) => planRename(view, { line: 1, character: 1 }, { expected: 'export', newName: 'x' })),
  ).rejects.toMatchObject({ code: 'lsp_error' });
});

test.for(TSSERVER_VERSIONS)(
  'the outline of tsserver %i has what is declared, without imports and callbacks',
  async (version) => {
    const { ask } = makeWorkspace(
      {
        ...PROJECT,
        'd.ts':
          "import { twice } from './a';\n[1].map((x) => { function inner() {} return twice(x); });\nclass A { m() {} }\n",
      },
      byTsserver(version),
    );
    const { value } = await ask('d.ts', findDocumentSymbols);
    expect(flattenSymbols(value).map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'Function inner',
      'Class A',
      'Method m',
    ]);
  },
);

test.for(TSSERVER_VERSIONS)(
  'tsserver %i counts lines as we do, whatever TypeScript takes for a line end',
  async (version) => {
    const text = "const text = 'a\u2028b\u2029'; // \u2028\nfunction twice() {}\ntwice();\u2028twice();";
    const { ask } = makeWorkspace({ ...PROJECT, 'd.ts': text }, byTsserver(version));
    const { value } = await ask('d.ts', (view) => findAllReferences(view, { line: 3, character: 1 }));
    expect(value.locations).toMatchObject([
      { path: 'd.ts', range: { start: { line: 2, character: 10 } } },
      { path: 'd.ts', range: { start: { line: 3, character: 1 } } },
      { path: 'd.ts', range: { start: { line: 3, character: 10 } } },
    ]);
  },
);
