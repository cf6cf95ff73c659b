import { makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findAllReferences, findCalls, findDiagnostics, findWorkspaceSymbols, planRename } from './answers/queries.ts';
import {
  byTsserver,
  makeWorkspace,
  type TestWorkspaceOptions,
  TSSERVER,
  TSSERVER_VERSIONS,
} from './fixture/language-workspace.ts';

const TSLS = 'typescript-language-server';
const SERVERS: readonly (readonly [name: string, options: TestWorkspaceOptions])[] = [
  ['typescript', { programs: ['tsc'] }],
  ...TSSERVER_VERSIONS.map((version) => [`tsserver ${version}`, byTsserver(version)] as const),
  [
    TSLS,
    {
      programs: [TSLS],
      lsp: {
        languages: { TypeScript: [TSLS] },
        servers: { [TSLS]: { initialization_options: { tsserver: { path: TSSERVER } } } },
      },
    },
  ],
];

/** TypeScript takes the separators for ends of lines; the protocol, and we, do not. */
const USES = [
  "import { twice } from './a';",
  'export const text = `a\u2028b\u2029`; /* \u2028 */ export const four = twice(2);',
  'export function six() {',
  '  return `\u{1f600}\u2029` + twice(3);\u2028}',
  '',
].join('\n');
const FILES = {
  'tsconfig.json': '{"compilerOptions":{"strict":true,"types":[],"target":"es2022"}}',
  'package-lock.json': '{}',
  'a.ts': '/* \u2028 */ export function twice(n: number) {\n  return 2 * n;\n}\n',
  'b.ts': USES,
};
const TWICE = { line: 1, character: FILES['a.ts'].indexOf('twice') + 1 };

test.for(SERVERS)('%s: lines of a file that is not open are counted as we count them', async ([, options]) => {
  const { ask } = makeWorkspace(FILES, options);
  const { value } = await ask('a.ts', (view) => findAllReferences(view, TWICE));
  const places = value.locations.map((found) => ('path' in found ? [found.path, found.range.start, found.text] : []));
  const lines = USES.split('\n');
  expect(places).toEqual([
    ['a.ts', TWICE, FILES['a.ts'].split('\n')[0]],
    ['b.ts', { line: 1, character: 10 }, lines[0]],
    ['b.ts', { line: 2, character: 57 }, lines[1]],
    ['b.ts', { line: 4, character: 17 }, lines[3]],
  ]);
});

test.for(SERVERS)('%s: a rename changes a file that is not open at the right places', async ([, options]) => {
  const { ask } = makeWorkspace(FILES, options);
  const { value } = await ask('a.ts', (view) => planRename(view, TWICE, { expected: 'twice', newName: 'double' }));
  const after = Object.fromEntries(value.map((edit) => ('after' in edit ? [edit.path, edit.after] : [])));
  expect(after).toEqual({
    'a.ts': FILES['a.ts'].replaceAll('twice', 'double'),
    'b.ts': USES.replaceAll('twice', 'double'),
  });
});

test.for(SERVERS)('%s: symbols and callers in it are found where they are', async ([, options]) => {
  const { ask } = makeWorkspace(FILES, options);
  const found = await ask('a.ts', (view) => findWorkspaceSymbols(view, 'six'));
  expect(found.value).toMatchObject([{ location: { path: 'b.ts', range: { start: { line: 3 } } } }]);
  const callers = await ask('a.ts', (view) => findCalls(view, 'incoming', TWICE));
  const six = callers.value.find(({ name }) => name === 'six');
  expect(six).toMatchObject({
    location: { path: 'b.ts', range: { start: { line: 3, character: 17 } } },
    calls: [{ path: 'b.ts', range: { start: { line: 4, character: 17 } } }],
  });
});

test.for(SERVERS)('%s: a text with them that changes is seen as it is', async ([, options]) => {
  const { ask, root } = makeWorkspace(FILES, options);
  const call = "\nimport { twice } from './a';\ntwice(1);\n";
  for (const text of ['/* \u2028\u2028\u2028 */'.repeat(20), '', '/* \u2029 */', 'export const wrong: string = 1;']) {
    makeTree(root, { 'c.ts': text + call });
    const { value } = await ask('c.ts', (view) => findAllReferences(view, { line: 3, character: 1 }));
    const places = value.locations.flatMap((found) =>
      'path' in found && found.path === 'c.ts' ? [found.range.start] : [],
    );
    expect(places).toEqual([
      { line: 2, character: 10 },
      { line: 3, character: 1 },
    ]);
    const { diagnostics } = (await ask('c.ts', findDiagnostics)).value;
    expect(diagnostics.map(({ code, range }) => [code, range.start])).toEqual(
      text.startsWith('export') ? [['2322', { line: 1, character: 14 }]] : [],
    );
  }
});
