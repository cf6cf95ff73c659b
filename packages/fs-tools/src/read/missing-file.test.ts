import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { applyPatch } from '../apply-patch.ts';
import { editFile } from '../edit-file.ts';
import { multiEdit } from '../multi-edit.ts';
import { multiRead } from '../multi-read.ts';
import { readFile } from '../read-file.ts';

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
