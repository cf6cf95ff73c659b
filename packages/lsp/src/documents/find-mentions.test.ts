import { makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openLanguageSession, scripted } from '../tools/fixture/language-session.ts';

const CONFIG = '{ "compilerOptions": { "strict": true, "module": "nodenext" }, "include": ["."] }\n';

test('references and renames reach the files of other projects that nobody has opened', async () => {
  const { ask, read } = openLanguageSession({
    'package.json': '{ "type": "module" }\n',
    'lib/tsconfig.json': CONFIG,
    'lib/add.ts': 'export const add = 1;\n',
    'tests/tsconfig.json': CONFIG,
    'tests/one.ts': "import { add } from '../lib/add.js';\nconsole.log(add);\n",
    'tests/two.ts': "import { add } from '../lib/add.js';\nconsole.log(add);\n",
  });
  expect(await ask({ action: 'references', path: 'lib/add.ts', symbol: 'add' })).toMatchObject({
    total_count: 5,
    meta: { per_file: { 'lib/add.ts': 1, 'tests/one.ts': 2, 'tests/two.ts': 2 } },
  });
  const rename = { action: 'rename', path: 'lib/add.ts', symbol: 'add', new_name: 'plus', apply: true };
  expect(await ask(rename)).toMatchObject({ ok: true });
  expect(read('tests/one.ts') + read('tests/two.ts')).not.toMatch(/\badd\b(?!\.js)/);
});

test('a script without an extension that mentions the word counts, and other such files do not', async () => {
  const files = { 'package.json': '{ "type": "module" }\n', 'add.js': 'export const add = 1;\n', LICENSE: 'add\n' };
  const { ask, root } = openLanguageSession({ ...files, 'bin/sh': '#!/bin/sh\nadd\n' });
  const references = { action: 'references', path: 'add.js', symbol: 'add' };
  expect(await ask(references)).toMatchObject({ total_count: 1, meta: { complete: true } });
  makeTree(root, { 'bin/run': '#!/usr/bin/env node\nimport("../add.js").then(({ add }) => add);\n' });
  const incomplete = [expect.stringMatching(/ does not read bin\/run, where add is$/)];
  expect(await ask(references)).toMatchObject({ ok: true, meta: { complete: false, incomplete } });
});

const SOLUTION = {
  'package.json': '{ "type": "module" }\n',
  'tsconfig.json':
    '{ "files": [], "references": [{ "path": "./tsconfig.build.json" }, { "path": "./tsconfig.spec.json" }] }\n',
  'tsconfig.build.json':
    '{ "compilerOptions": { "composite": true, "strict": true, "module": "nodenext" }, "include": ["src"], "exclude": ["src/**/*.test.ts"] }\n',
  'tsconfig.spec.json':
    '{ "compilerOptions": { "noEmit": true, "strict": true, "module": "nodenext" }, "include": ["src"] }\n',
  'src/add.ts': 'export const add = (a: number) => a;\nadd(1);\n',
  'src/add.test.ts': "import { add } from './add.js';\nadd(1);\n",
  'other/tsconfig.json': '{ "compilerOptions": { "strict": true, "module": "nodenext" }, "include": ["."] }\n',
  'other/index.test.ts': "import { add } from '../src/add.js';\nadd(1);\n",
};

test('finds the tests of a solution whose projects are in one directory, whatever was asked before', async () => {
  const { ask } = openLanguageSession(SOLUTION);
  await ask({ action: 'hover', path: 'src/add.ts', symbol: 'add' });
  expect(await ask({ action: 'references', path: 'src/add.ts', symbol: 'add' })).toMatchObject({
    total_count: 6,
    meta: { complete: true },
  });
});

test('diagnostics are the same after a question that looked at files of other projects', async () => {
  const { ask, root } = openLanguageSession(SOLUTION);
  for (const path of Object.keys(SOLUTION).filter((name) => name.endsWith('.ts'))) {
    await ask({ action: 'references', path, symbol: 'add', line: 1 });
  }
  makeTree(root, { 'src/add.ts': 'export const add = (a: number, b: number) => a + b;\nadd(1);\n' });
  for (const _ of [1, 2, 3]) {
    for (const path of ['src/add.ts', 'src/add.test.ts', 'other/index.test.ts']) {
      expect(await ask({ action: 'diagnostics', path })).toMatchObject({ result: expect.stringContaining('ts/2554') });
    }
  }
});

test('a symbol of the project is found, whatever part of it the server has loaded', async () => {
  const { ask } = openLanguageSession(SOLUTION);
  expect(await ask({ action: 'workspace_symbols', path: 'other/index.test.ts', query: 'add' })).toMatchObject({
    result: expect.stringContaining('src/add.ts:1:14'),
  });
});

test('a rename that there was no time to make whole is refused', async () => {
  const full = [{ result: { changes: {} } }];
  const config = scripted({ 'textDocument/rename': [full, []] }, { renameProvider: true });
  const { ask } = openLanguageSession({ 'a.x': 'one\n', 'b.x': 'one\n' }, { config });
  const rename = { action: 'rename', path: 'a.x', line: 1, character: 1, new_name: 'two', timeout: 2 };
  expect(await ask({ ...rename, apply: true })).toMatchObject({
    ok: false,
    error_code: 'timeout',
    error: expect.stringContaining('1 file mentions one and was not looked at'),
    suggestion: 'pass timeout: 60, or more',
  });
});
