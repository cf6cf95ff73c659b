import fs from 'node:fs';
import path from 'node:path';
import { type CallOptions, call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { multiEdit } from './multi-edit.ts';

/** Edits given as [path, old_text, new_text]; gives the answer and the files afterwards. */
async function edit(
  files: NonNullable<CallOptions['files']>,
  edits: readonly (readonly string[])[],
  args: object = {},
) {
  const root = makeTempDirectory();
  makeTree(root, files);
  const list = edits.map(([file, old_text, new_text, if_version]) => ({
    path: file,
    old_text,
    new_text,
    ...(if_version && { if_version }),
  }));
  const answer = await call(multiEdit, { edits: list, ...args }, { root });
  const read = (name: string) => fs.readFileSync(path.join(root, name), 'utf8');
  return { ...answer, after: Object.fromEntries(Object.keys(files).map((name) => [name, read(name)])) };
}

test('edits many files, each written once', async () => {
  const { result, meta, after } = await edit({ a: 'foo\nbar\n', b: 'baz' }, [
    ['a', 'foo', 'FOO'],
    ['b', 'baz', 'qux'],
    ['./a', 'bar', 'BAR'],
  ]);
  expect(after).toEqual({ a: 'FOO\nBAR\n', b: 'qux' });
  expect(result?.split('\n')).toEqual(['a:1 (1 line)', 'b:1 (1 line)', './a:2 (1 line)']);
  expect(meta).toMatchObject({
    operation_id: expect.any(String),
    files: [
      { path: 'a', undo_id: expect.any(String) },
      { path: 'b', version: expect.any(String) },
    ],
  });
});

test.for([
  [
    'a chain',
    'x y',
    [
      ['f', 'y', 'z'],
      ['f', 'x', 'y'],
    ],
    'y z',
  ],
  [
    'a chain on what was written',
    'x = 1',
    [
      ['f', 'x = 1', 'x = 2'],
      ['f', 'x = 2', 'x = 3'],
    ],
    'x = 3',
  ],
  [
    'a chain across the edge of what was written',
    'ab',
    [
      ['f', 'a', 'cd'],
      ['f', 'db', 'e'],
    ],
    'ce',
  ],
  [
    'neighbours',
    'ab',
    [
      ['f', 'a', 'x'],
      ['f', 'b', 'y'],
    ],
    'xy',
  ],
  [
    'a text made unique by an earlier edit',
    'a a b',
    [
      ['f', 'a a', 'c a'],
      ['f', 'a b', 'd'],
    ],
    undefined,
  ],
] as const)('applies in order: %s', async ([, before, edits, after]) => {
  const answer = await edit({ f: before }, edits);
  if (after === undefined) expect(answer).toMatchObject({ ok: false, error_code: 'edit_overlap' });
  else expect(answer.after['f']).toBe(after);
});

test.for([
  [
    'an overlap in what stays',
    'foo bar baz',
    [
      ['f', 'foo bar', 'X bar'],
      ['f', 'bar baz', 'bar Y'],
    ],
  ],
  [
    'an overlap in what is gone',
    'foo bar baz',
    [
      ['f', 'foo bar', 'X'],
      ['f', 'bar baz', 'Y'],
    ],
  ],
  [
    'a region within another',
    'a b c',
    [
      ['f', 'a b c', 'a B c'],
      ['f', 'a', 'A'],
    ],
  ],
] as const)('refuses %s, naming both edits', async ([, before, edits]) => {
  const answer = await edit({ f: before }, edits);
  expect(answer).toMatchObject({
    ok: false,
    error_code: 'edit_overlap',
    error: 'edits[0] and edits[1] target overlapping regions',
    after: { f: before },
  });
});

test('tells every edit that failed, and changes nothing', async () => {
  const files = { a: 'foo', b: 'bar' };
  const answer = await edit(files, [
    ['a', 'foo', 'x'],
    ['b', 'nope', 'y'],
    ['gone', 'z', 'y'],
    ['a', 'nope', 'y'],
  ]);
  expect(answer).toMatchObject({ ok: false, error_code: 'edit_not_found', after: files });
  expect(answer.error).toMatch(
    /^3 of 4 edits failed validation, and nothing was changed:\n {2}edits\[1\]: old_text not found in b /,
  );
  expect(answer.error).toContain('  edits[2]: file not found: gone');
});

test.for([
  [
    'an empty old_text',
    [
      ['a', 'foo', 'x'],
      ['gone', '', 'y'],
    ],
    'old_text_empty',
    'edits[1]: old_text cannot be empty',
  ],
  [
    'an edit that changes nothing',
    [
      ['a', 'foo', 'x'],
      ['a', 'x', 'x'],
    ],
    'edit_no_change',
    'edits[1]: edit produced no changes',
  ],
  [
    'a secret',
    [
      ['a', 'foo', 'x'],
      ['.env', 'x', 'y'],
    ],
    'path_outside_sandbox',
    'blocked: sensitive path: .env',
  ],
  ['another version', [['a', 'foo', 'x', 'no-version']], 'stale_file', 'if_version no-version does not match'],
  ['no edits', [], 'invalid_args', 'edits'],
] as const)('refuses %s', async ([, edits, error_code, message]) => {
  const answer = await edit({ a: 'foo' }, edits);
  expect(answer).toMatchObject({ ok: false, error_code, after: { a: 'foo' } });
  expect(answer.error).toContain(message);
});

test('shows a dry run', async () => {
  const { result, after } = await edit(
    { a: 'foo\n', b: 'bar\n' },
    [
      ['a', 'foo', 'x'],
      ['b', 'bar', 'y'],
    ],
    { dry_run: true },
  );
  expect(result).toBe(
    '[dry-run] 2 edits validated:\n--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-foo\n+x\n--- a/b\n+++ b/b\n@@ -1,1 +1,1 @@\n-bar\n+y',
  );
  expect(after).toEqual({ a: 'foo\n', b: 'bar\n' });
});

test('keeps UTF-16 through several edits', async () => {
  const root = makeTempDirectory();
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  makeTree(root, { f: utf16('één twee\r\n') });
  const edits = [
    { path: 'f', old_text: 'één', new_text: 'ein' },
    { path: 'f', old_text: 'ein twee', new_text: 'ein\nzwei' },
  ];
  expect(await call(multiEdit, { edits }, { root })).toMatchObject({ ok: true });
  expect(fs.readFileSync(path.join(root, 'f'))).toEqual(utf16('ein\r\nzwei\r\n'));
});

test('gives hints for the first few texts that are not there, and names all', async () => {
  const missing = Array.from({ length: 8 }, (_, i) => ['a', `foo ${i}`, 'x']);
  const { error = '' } = await edit({ a: 'foo\n' }, missing);
  expect(error.match(/Nearest match/g)).toHaveLength(5);
  expect(error).toContain('edits[7]: old_text not found in a');
});

test('refuses half of a surrogate pair, naming the edit', async () => {
  const answer = await edit({ a: 'foo' }, [['a', 'foo', '\ude00']]);
  expect(answer).toMatchObject({ error_code: 'invalid_args', after: { a: 'foo' } });
  expect(answer.error).toContain('edits[0]: new_text: character 1');
});
