import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { applyPatch } from '../apply-patch.ts';
import { editFile } from '../edit-file.ts';
import { listDir } from '../list-dir.ts';
import { multiEdit } from '../multi-edit.ts';
import { multiRead } from '../multi-read.ts';
import { readFile } from '../read-file.ts';
import { statFile } from '../stat-file.ts';

const FILES = {
  'lib/application.js': 'x',
  'lib/index.js': 'x',
  'test/index.js': 'x',
  '.env/application.js': 'x',
  'node_modules/a/application.js': 'x',
};

test.for([
  ['of that name', 'application.js', 'did you mean lib/application.js?'],
  ['in a directory with another name', 'libb/application.js', 'did you mean lib/application.js?'],
  ['with the nearest path', 'tests/index.js', 'did you mean test/index.js?'],
  ['of several', 'somewhere/else/index.js', 'there are lib/index.js, test/index.js'],
  ['in the same directory', 'lib/aplication.js', 'did you mean lib/application.js?'],
  ['that is nowhere', 'none.js', 'use list_dir to see what is there'],
] as const)('names the file %s', async ([, path, suggestion]) => {
  const answer = await call(readFile, { path }, { files: FILES });
  expect(answer).toMatchObject({ error_code: 'file_not_found', suggestion });
});

const SIMILAR = { 'src/x.py': 'x\ny\n', 'README.md': 'x', 'README.rst': 'x', 'a/LICENSE.txt': 'x', 'b:2': 'x' };

test.for([
  ['src\\x.py', 'did you mean src/x.py?'],
  ['src/x.py:2', 'did you mean src/x.py, with the lines as {"path":"src/x.py","start_line":2}?'],
  ['src/x.py:1-2', 'did you mean src/x.py, with the lines as {"path":"src/x.py","start_line":1,"end_line":2}?'],
  ['src/x.py:2:7', 'did you mean src/x.py, with the lines as {"path":"src/x.py","start_line":2}?'],
  ['src\\x.py#L1-L2', 'did you mean src/x.py, with the lines as {"path":"src/x.py","start_line":1,"end_line":2}?'],
  ['README', 'did you mean README.md or README.rst?'],
  ['readme', 'did you mean README.md or README.rst?'],
  ['a/LICENSE', 'did you mean a/LICENSE.txt?'],
  ['none\\x.py', 'use list_dir to see what is there'],
  ['none.py:2', 'use list_dir to see what is there'],
] as const)('reads %s as the path that is meant', async ([path, suggestion]) => {
  const options = { files: SIMILAR };
  for (const tool of [readFile, listDir, statFile]) {
    expect(await call(tool, { path }, options)).toMatchObject({ error_code: 'file_not_found', suggestion });
  }
});

test('reads a name with a colon as it is', async () => {
  expect(await call(readFile, { path: 'b:2' }, { files: SIMILAR })).toMatchObject({ ok: true });
});

test('suggests the same for an edit', async () => {
  const suggestion = 'did you mean README.md or README.rst?';
  const args = { path: 'README', old_text: 'x', new_text: 'y' };
  expect(await call(editFile, args, { files: SIMILAR })).toMatchObject({ suggestion });
});

test.for([
  ['/README.rst', 'did you mean README.rst?'],
  ['/src/x.py', 'did you mean src/x.py?'],
  ['//src', 'did you mean src?'],
  ['/none/x.py', 'use a path inside the working directory, relative to it'],
  ['/.env', 'secrets are never opened: ask the user for the one value that you need'],
] as const)('reads the absolute path %s as one from the root', async ([path, suggestion]) => {
  const answer = await call(statFile, { path }, { files: { ...SIMILAR, '.env': 'x' } });
  expect(answer).toMatchObject({ error_code: 'path_outside_sandbox', suggestion });
});

test('does so in every tool that opens a file', async () => {
  const path = 'application.js';
  const edit = { path, old_text: 'x', new_text: 'y' };
  const patch = `*** Update File: ${path}\n@@\n-x\n+y\n*** End Patch`;
  const suggestion = 'did you mean lib/application.js?';
  const options = { files: FILES };
  expect(await call(editFile, edit, options)).toMatchObject({ error_code: 'file_not_found', suggestion });
  expect(await call(multiEdit, { edits: [edit] }, options)).toMatchObject({ suggestion });
  expect(await call(applyPatch, { patch }, options)).toMatchObject({ error_code: 'file_not_found', suggestion });
  const { result } = await call(multiRead, { files: [{ path }, { path: 'lib/index.js' }] }, options);
  expect(JSON.parse(result ?? '').errors[path]).toMatchObject({ suggestion });
});
