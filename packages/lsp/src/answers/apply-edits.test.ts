import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { defineTool } from '@jinn/core';
import { call, type FileTree, makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { applyEdits } from './apply-edits.ts';
import type { FileEdit } from './edits.ts';

const FILES = { 'a.x': 'one\n', 'b.x': 'two\n' };
const change = { kind: 'change', path: 'a.x', before: 'one\n', after: 'six\n', edits: [] } as const;

async function apply(edits: readonly FileEdit[], files: FileTree = FILES) {
  const root = makeTempDirectory();
  const tool = defineTool({
    name: 'apply',
    effect: 'write',
    description: 'Apply edits.',
    input: (z) => z.strictObject({}),
    examples: [],
    run: async (_, ctx) => ({ meta: await applyEdits(edits, ctx, { operation: 'apply' }) }),
  });
  const answer = await call(tool, {}, { root, files });
  return {
    answer,
    bytes: (name: string) => fs.readFileSync(`${root}/${name}`),
    read: (name: string) => fs.readFileSync(`${root}/${name}`, 'utf8'),
  };
}

const REFUSALS: readonly (readonly [string, FileEdit, string])[] = [
  ['is not what the server was shown', { ...change, path: 'b.x' }, 'stale_file'],
  ['has come to be where one is made', { kind: 'create', path: 'b.x', after: '', overwrite: false }, 'conflict'],
  [
    'has come to be where one is moved to',
    { kind: 'rename', path: 'a.x', to: 'b.x', overwrite: false, before: 'one\n', after: 'one\n' },
    'conflict',
  ],
  ['has gone that is removed', { kind: 'delete', path: 'c.x', recursive: false }, 'stale_file'],
  ['is changed twice', change, 'lsp_error'],
];

test.for(REFUSALS)('changes nothing if a file %s', async ([, edit, code]) => {
  const { answer, read } = await apply([change, edit]);
  expect(answer).toMatchObject({ ok: false, error_code: code, suggestion: expect.any(String) });
  expect([read('a.x'), read('b.x')]).toEqual(['one\n', 'two\n']);
});

test('overwrites where the server says so', async () => {
  const { answer, read } = await apply([change, { kind: 'create', path: 'b.x', after: 'new\n', overwrite: true }]);
  expect(answer).toMatchObject({ ok: true, meta: { files: [{ path: 'a.x' }, { path: 'b.x' }] } });
  expect([read('a.x'), read('b.x')]).toEqual(['six\n', 'new\n']);
});

test('writes in the encoding of a file, and refuses what that lacks', async () => {
  const koi8 = (text: string) => execFileSync('iconv', ['-t', 'KOI8-R'], { input: text });
  const before = '// Проверка: все файлы прочитаны\none\n';
  const edit = { ...change, before, after: before.replace('one', 'шесть') };
  const { answer, bytes } = await apply([edit], { 'a.x': koi8(before) });
  expect(answer).toMatchObject({ ok: true });
  expect(bytes('a.x')).toEqual(koi8(edit.after));
  const lacking = await apply([{ ...edit, after: `${before}数\n` }], { 'a.x': koi8(before) });
  expect(lacking.answer.error).toBe('koi8-r lacks 数 (U+6570) in line 3');
  expect(lacking.bytes('a.x')).toEqual(koi8(before));
});
