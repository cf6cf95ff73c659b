import fs from 'node:fs';
import { call, makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { editFile } from './edit-file.ts';
import { forModel } from './for-model.ts';

const files = { 'a.txt': 'one\ntwo\n', 'b.txt': 'three\n' };
const tool = forModel(editFile);

test('makes one edit, or several at once in one file or many', async () => {
  const root = makeTempDirectory();
  expect(await call(tool, { path: 'a.txt', old_text: 'one', new_text: '1' }, { root, files })).toMatchObject({
    ok: true,
  });
  const edits = [
    { old_text: '1', new_text: 'uno' },
    { path: 'b.txt', old_text: 'three', new_text: 'tre' },
  ];
  expect(await call(tool, { path: 'a.txt', edits }, { root })).toMatchObject({ ok: true });
  expect(fs.readFileSync(`${root}/a.txt`, 'utf8')).toBe('uno\ntwo\n');
  expect(fs.readFileSync(`${root}/b.txt`, 'utf8')).toBe('tre\n');
});

test('replaces every place when it is told to', async () => {
  const root = makeTempDirectory();
  await call(tool, { path: 'a.txt', old_text: 'o', new_text: '0', replace_all: true }, { root, files });
  expect(fs.readFileSync(`${root}/a.txt`, 'utf8')).toBe('0ne\ntw0\n');
});

test('makes a missing file and fills an empty one with an empty old_text, and changes no other', async () => {
  const root = makeTempDirectory();
  const at = { root, files: { ...files, 'empty.txt': '' } };
  const edit = (path: string, args = {}) => call(tool, { path, old_text: '', new_text: 'new\n', ...args }, at);
  expect(await edit('sub/n.txt', { dry_run: true })).toMatchObject({ ok: true });
  expect(fs.existsSync(`${root}/sub`)).toBe(false);
  for (const path of ['sub/n.txt', 'empty.txt']) {
    expect(await edit(path)).toMatchObject({ ok: true });
    expect(fs.readFileSync(`${root}/${path}`, 'utf8')).toBe('new\n');
  }
  expect(await edit('a.txt')).toMatchObject({ ok: false, error_code: 'old_text_empty' });
  expect(await edit('../x')).toMatchObject({ ok: false, error_code: 'path_outside_sandbox' });
  expect(fs.readFileSync(`${root}/a.txt`, 'utf8')).toBe('one\ntwo\n');
});

const edits = [{ path: 'a.txt', old_text: 'one', new_text: '1' }];

test.each([
  [{ path: 'a.txt', old_text: 'one' }, 'path, old_text and new_text are needed, or edits'],
  [{ edits: [] }, 'path, old_text and new_text are needed, or edits'],
  [{ edits, replace_all: true }, 'replace_all does not go with edits'],
  [{ edits, old_text: 'two' }, 'old_text does not go with edits'],
  [{ edits: [{ old_text: 'one', new_text: '1' }] }, 'edits[0] has no path'],
])('refuses %j', async (args, error) => {
  const root = makeTempDirectory();
  expect(await call(tool, args, { root, files })).toMatchObject({ ok: false, error_code: 'invalid_args', error });
  expect(fs.readFileSync(`${root}/a.txt`, 'utf8')).toBe('one\ntwo\n');
});
