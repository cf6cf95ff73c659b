import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import {
  findAllReferences,
  findDiagnostics,
  findDocumentSymbols,
  findHover,
  findLocations,
  planRename,
} from '../answers/queries.ts';
import { makeWorkspace } from '../fixture/language-workspace.ts';
import { makeScripted, type Received } from '../fixture/scripted.ts';

const ofDocuments = (messages: readonly Received[]) =>
  messages.filter(({ method }) => /^textDocument\/did|didChangeWatchedFiles/.test(method ?? ''));

test('a document is shown once, changed with its file, and closed when the file is gone', async () => {
  const { ask, received, root } = makeScripted({ 'a.x': 'one\n', 'b.x': 'other\n' }, {});
  await ask('a.x', findDocumentSymbols);
  await ask('a.x', findDocumentSymbols);
  makeTree(root, { 'a.x': 'changed\n' });
  await ask('a.x', findDocumentSymbols);
  fs.rmSync(path.join(root, 'a.x'));
  await ask('b.x', findDocumentSymbols);
  const seen = ofDocuments(received()).map(({ method, params: { textDocument, changes, contentChanges } }) => [
    method,
    textDocument?.version ?? changes?.length ?? path.basename(textDocument.uri),
    textDocument?.text ?? contentChanges?.[0].text,
  ]);
  expect(seen).toEqual([
    ['textDocument/didOpen', 1, 'one\n'],
    ['workspace/didChangeWatchedFiles', 1, undefined],
    ['textDocument/didChange', 2, 'changed\n'],
    ['textDocument/didSave', 'a.x', undefined],
    ['workspace/didChangeWatchedFiles', 1, undefined],
    ['textDocument/didClose', 'a.x', undefined],
    ['textDocument/didOpen', 3, 'other\n'],
  ]);
});

test('a document in another encoding is decoded, also when it changes', async () => {
  const gbk = (text: string) => execFileSync('iconv', ['-t', 'GBK'], { input: text });
  const { ask, received, root } = makeScripted({ 'a.x': gbk('// 读取配置文件，数值\none\n') }, {});
  await ask('a.x', findDocumentSymbols);
  makeTree(root, { 'a.x': gbk('// 读取配置文件，变量\none\n') });
  await ask('a.x', findDocumentSymbols);
  makeTree(root, { 'a.x': '// 读取 UTF-8\n' });
  await ask('a.x', findDocumentSymbols);
  const texts = ofDocuments(received()).flatMap(({ params: { textDocument, contentChanges } }) => [
    ...(textDocument?.text === undefined ? [] : [textDocument.text]),
    ...(contentChanges ?? []).map(({ text }: { text: string }) => text),
  ]);
  expect(texts).toEqual(['// 读取配置文件，数值\none\n', '// 读取配置文件，变量\none\n', '// 读取 UTF-8\n']);
});

test('a file whose content comes back with another time is not changed for the server', async () => {
  const { ask, received, root } = makeScripted({ 'a.x': 'one\n' }, {});
  await ask('a.x', findDocumentSymbols);
  fs.utimesSync(path.join(root, 'a.x'), new Date(), new Date(0));
  await ask('a.x', findDocumentSymbols);
  expect(received('textDocument/didChange')).toEqual([]);
});

test('an older time of a file is a change too', async () => {
  const { ask, received, root } = makeScripted({ 'a.x': 'one\n' }, {});
  await ask('a.x', findDocumentSymbols);
  makeTree(root, { 'a.x': { content: 'two\n', mtime: new Date(0) } });
  await ask('a.x', findDocumentSymbols);
  expect(received('textDocument/didChange')).toHaveLength(1);
});

test('no more than fifty documents stay open, and none is closed twice', async () => {
  const files = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}.x`, `${i}\n`]));
  const { ask, received } = makeScripted(files, {});
  for (const name of Object.keys(files)) await ask(name, findDocumentSymbols);
  await ask('f0.x', findDocumentSymbols);
  const [opened, closed] = [received('textDocument/didOpen').length, received('textDocument/didClose').length];
  expect([opened, closed]).toEqual([61, 11]);
  const uris = received('textDocument/didClose').map(({ params }) => params.textDocument.uri);
  expect(new Set(uris).size).toBe(uris.length);
}, 60_000);

test('a byte order mark is not shown, and a file that is too large is refused', async () => {
  const { ask, received } = makeScripted({ 'a.x': '\ufeffone\n', 'large.x': 'x'.repeat(4 * 1024 * 1024 + 1) }, {});
  await ask('a.x', findDocumentSymbols);
  expect(received('textDocument/didOpen')[0]?.params.textDocument.text).toBe('one\n');
  await expect(ask('large.x', findDocumentSymbols)).rejects.toMatchObject({ code: 'file_too_large' });
});

test('names with blanks, signs and other letters are encoded', async () => {
  const name = 'a b/100%#ü?😀.x';
  const { ask, received, root } = makeScripted({ [name]: 'one\n' }, {});
  await ask(name, findDocumentSymbols);
  const uri = received('textDocument/didOpen')[0]?.params.textDocument.uri ?? '';
  expect(uri).toMatch(/\/a%20b\/100%25%23%C3%BC%3F%F0%9F%98%80\.x$/);
  expect(decodeURIComponent(new URL(uri).pathname)).toBe(path.join(root, name));
});

for (const [encoding, units] of [
  ['utf-8', 8],
  ['utf-16', 5],
  ['utf-32', 4],
] as const) {
  test(`positions are counted in ${encoding} where the server chooses it, and in characters for the agent`, async () => {
    const range = { start: { line: 0, character: units }, end: { line: 0, character: units + 3 } };
    const { ask, received, root } = makeScripted(
      { 'a.x': 'é😀;;one\n' },
      {
        on: {
          initialize: [{ capabilities: { positionEncoding: encoding, hoverProvider: true, definitionProvider: true } }],
          'textDocument/definition': [{ result: null }],
        },
      },
    );
    expect(root).not.toBe('');
    await ask('a.x', (view) => findHover(view, { line: 1, character: 5 }));
    expect(received('textDocument/hover')[0]?.params.position).toEqual(range.start);
  });
}

test('a server sees files that others make, change and remove', async () => {
  const { ask, root } = makeWorkspace(
    {
      'package.json': '{"type":"module"}',
      'tsconfig.json': '{"compilerOptions":{"module":"nodenext","types":[]}}',
      'a.ts': 'export const one = 1;\n',
    },
    { programs: ['tsc'] },
  );
  const count = async () => {
    const answer = await ask('a.ts', (view) => findAllReferences(view, { line: 1, character: 14 }));
    return (answer.value as { total: number }).total;
  };
  const wrong = async () =>
    ((await ask('a.ts', findDiagnostics)).value as { diagnostics: readonly object[] }).diagnostics.length;
  expect(await count()).toBe(1);
  makeTree(root, { 'b.ts': "import { one } from './a.js';\nconsole.log(one);\n" });
  expect(await count()).toBe(3);
  makeTree(root, { 'b.ts': "import { one } from './a.js';\nconsole.log(one, one);\n" });
  expect(await count()).toBe(4);
  fs.rmSync(path.join(root, 'b.ts'));
  expect(await count()).toBe(1);
  makeTree(root, { 'a.ts': 'export const one: string = 1;\n' });
  expect(await wrong()).toBe(1);
  makeTree(root, { 'a.ts': 'export const one = 1;\n' });
  expect(await wrong()).toBe(0);
});

test('what is shown for a moment is not what the file holds', async () => {
  const { ask, received, root } = makeScripted({ 'a.x': 'one\n' }, {});
  await ask('a.x', async ({ documents }) => documents.showText('a.x', { text: 'other\n', isExact: true, stat: '' }));
  await ask('a.x', findDocumentSymbols);
  const texts = received('textDocument/didChange').map(({ params }) => params.contentChanges[0].text);
  expect(texts).toEqual(['other\n', 'one\n']);
  expect(fs.readFileSync(path.join(root, 'a.x'), 'utf8')).toBe('one\n');
});

test('a file that changes while a question is worked on is shown anew', async () => {
  const { ask, root } = makeScripted({ 'a.x': 'one\n' }, {});
  const { value } = await ask('a.x', async ({ documents }) => {
    makeTree(root, { 'a.x': 'changed\n' });
    return documents.show('a.x').lines.text;
  });
  expect(value).toBe('changed\n');
});

test('a word of the language is refused as a new name', async () => {
  const { ask } = makeWorkspace({ 'tsconfig.json': '{}', 'a.ts': 'const one = 1;\n' }, { programs: ['tsc'] });
  const rename = (newName: string) =>
    ask('a.ts', (view) => planRename(view, { line: 1, character: 7 }, { expected: 'one', newName }));
  await expect(rename('class')).rejects.toMatchObject({
    code: 'invalid_args',
    message: '"class" cannot be the new name: it is a word of the language (typescript)',
  });
  expect((await rename('klass')).value).toMatchObject([{ after: 'const klass = 1;\n' }]);
});

test('an edit that was made for what the file no longer holds carries the text that it is for', async () => {
  const { ask, root } = makeWorkspace(
    { 'tsconfig.json': '{"compilerOptions":{"types":[]}}', 'a.ts': 'const one = 1;\r\nconsole.log(one);' },
    { programs: ['tsc'] },
  );
  const { value } = await ask('a.ts', (view) =>
    planRename(view, { line: 1, character: 7 }, { expected: 'one', newName: 'uno' }),
  );
  expect(value).toMatchObject([
    { before: 'const one = 1;\r\nconsole.log(one);', after: 'const uno = 1;\r\nconsole.log(uno);' },
  ]);
  expect(fs.readFileSync(path.join(root, 'a.ts'), 'utf8')).toContain('one');
  const { value: found } = await ask('a.ts', (view) => findLocations(view, 'definition', { line: 2, character: 13 }));
  expect(found).toMatchObject([{ path: 'a.ts', text: 'const one = 1;' }]);
});
