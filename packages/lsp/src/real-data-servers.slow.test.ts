import { makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import {
  findAllReferences,
  findDiagnostics,
  findDocumentSymbols,
  findHover,
  findLocations,
  flattenSymbols,
  planFormat,
  planRename,
} from './answers/queries.ts';
import { makeWorkspace } from './fixture/language-workspace.ts';

/** Servers of languages in which a file stands for itself: what they offer of the queries, in one file. */

test('yaml-language-server: anchors, hover, symbols, rename and errors', async () => {
  const { ask, root } = makeWorkspace(
    {
      'a.yaml': 'base: &base\n  size: 1\nother: *base\n',
      'b.yaml': '# yaml-language-server: $schema=./schema.json\nsize: 1\n',
      'schema.json': '{ "properties": { "size": { "type": "number", "description": "How large it is." } } }\n',
    },
    { programs: ['yaml-language-server'] },
  );
  const definition = await ask('a.yaml', (view) => findLocations(view, 'definition', { line: 3, character: 9 }));
  expect(definition.value).toMatchObject([{ path: 'a.yaml', range: { start: { line: 2 } } }]);
  const symbols = await ask('a.yaml', findDocumentSymbols);
  expect(flattenSymbols(symbols.value).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['base', 'size', 'other']),
  );
  const hover = await ask('b.yaml', (view) => findHover(view, { line: 2, character: 2 }));
  expect(hover.value).toContain('How large it is.');
  const at = { line: 3, character: 9 };
  const renamed = await ask('a.yaml', (view) => planRename(view, at, { expected: 'base', newName: 'fresh' }));
  expect(renamed.value).toMatchObject([{ after: 'base: &fresh\n  size: 1\nother: *fresh\n' }]);
  expect((await ask('a.yaml', findDiagnostics)).value).toEqual({ diagnostics: [], isPending: false });
  makeTree(root, { 'a.yaml': 'base: [1\nother: 2\n' });
  const broken = await ask('a.yaml', findDiagnostics);
  expect(broken.value.diagnostics[0]).toMatchObject({ severity: 'error', path: 'a.yaml' });
});

test('vscode-json-language-server: symbols, hover and errors', async () => {
  const { ask, root } = makeWorkspace(
    {
      'a.json': '{ "$schema": "./schema.json", "size": 1 }',
      'schema.json': '{ "properties": { "size": { "type": "number", "description": "How large it is." } } }\n',
    },
    { programs: ['vscode-json-language-server'] },
  );
  const symbols = await ask('a.json', findDocumentSymbols);
  expect(symbols.value.map(({ name }) => name)).toEqual(['$schema', 'size']);
  const hover = await ask('a.json', (view) => findHover(view, { line: 1, character: 33 }));
  expect(hover.value).toContain('How large it is');
  const formatted = await ask('a.json', (view) => planFormat(view, { tabSize: 2, insertSpaces: true }));
  expect(formatted.value).toMatchObject([
    { kind: 'change', after: '{\n  "$schema": "./schema.json",\n  "size": 1\n}' },
  ]);
  makeTree(root, { 'a.json': '{ "size": }\n' });
  const broken = await ask('a.json', findDiagnostics);
  expect(broken.value).toMatchObject({
    diagnostics: [{ severity: 'error', message: 'Value expected' }],
    isPending: false,
  });
});

test('vscode-css-language-server: definition, references, hover, symbols, rename and errors', async () => {
  const { ask, root } = makeWorkspace(
    { 'a.css': ':root { --main: red; }\n.a { color: var(--main); }\n.b { color: var(--main); }\n' },
    { programs: ['vscode-css-language-server'] },
  );
  const use = { line: 2, character: 20 };
  const definition = await ask('a.css', (view) => findLocations(view, 'definition', use));
  expect(definition.value).toMatchObject([{ path: 'a.css', range: { start: { line: 1, character: 9 } } }]);
  const references = await ask('a.css', (view) => findAllReferences(view, use));
  expect(references.value.total).toBe(3);
  expect((await ask('a.css', (view) => findHover(view, { line: 2, character: 2 }))).value).toContain('class="a"');
  expect((await ask('a.css', findDocumentSymbols)).value.map(({ name }) => name)).toEqual([':root', '.a', '.b']);
  const renamed = await ask('a.css', (view) => planRename(view, use, { expected: '--main', newName: '--other' }));
  expect(renamed.value).toMatchObject([
    { after: expect.stringMatching(/--other: red.*var\(--other\).*var\(--other\)/s) },
  ]);
  expect((await ask('a.css', findDiagnostics)).value).toEqual({ diagnostics: [], isPending: false });
  makeTree(root, { 'a.css': '.a { color: }\n' });
  const broken = await ask('a.css', findDiagnostics);
  expect(broken.value.diagnostics[0]).toMatchObject({ severity: 'error' });
});

test('vscode-html-language-server: hover, symbols, rename, errors, and what it cannot do', async () => {
  const { ask, root } = makeWorkspace(
    { 'a.html': '<main>\n  <p id="x">text</p>\n</main>\n' },
    { programs: ['vscode-html-language-server'] },
  );
  expect((await ask('a.html', findDocumentSymbols)).value).toMatchObject([
    { name: 'main', children: [{ name: 'p#x' }] },
  ]);
  expect((await ask('a.html', (view) => findHover(view, { line: 2, character: 4 }))).value).toContain('paragraph');
  const at = { line: 1, character: 2 };
  const renamed = await ask('a.html', (view) => planRename(view, at, { expected: 'main', newName: 'section' }));
  expect(renamed.value).toMatchObject([{ after: '<section>\n  <p id="x">text</p>\n</section>\n' }]);
  await expect(ask('a.html', (view) => findLocations(view, 'implementation', at))).rejects.toMatchObject({
    code: 'lsp_error',
    message: expect.stringContaining('does not support'),
  });
  makeTree(root, { 'a.html': '<style>\n  a { color: }\n</style>\n' });
  const broken = await ask('a.html', findDiagnostics);
  expect(broken.value.diagnostics[0]).toMatchObject({ severity: 'error', range: { start: { line: 2 } } });
});
