import fs from 'node:fs';
import path from 'node:path';
import { createSession } from '@jinn/core';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { readFile } from './read-file.ts';
import { writeFile } from './write-file.ts';

const contentOf = (root: string, file: string) => fs.readFileSync(path.join(root, file), 'utf8');

test('makes a file, with its directories', async () => {
  const root = makeTempDirectory();
  const answer = await call(writeFile, { path: 'a/b/é.txt', content: 'é\n' }, { root });
  expect(answer).toMatchObject({ ok: true, result: 'wrote 3 bytes to a/b/é.txt' });
  expect(contentOf(root, 'a/b/é.txt')).toBe('é\n');
  expect(answer.meta).toMatchObject({
    version: expect.any(String),
    undo_id: expect.stringMatching(/^[0-9a-f]+$/),
    operation_id: expect.stringMatching(/^op-/),
    first_changed_line: 1,
    last_changed_line: 1,
    diff: expect.stringContaining('+é\n'),
  });
});

test.for(['', 'no newline', 'a\r\nb\r\n', '\ufeffx\n', 'lone\rcr', '$& $1 \\n', 'héllo 日本 😀\n'])(
  'writes %j as it is',
  async (content) => {
    const root = makeTempDirectory();
    expect(await call(writeFile, { path: 'f', content }, { root })).toMatchObject({ ok: true });
    expect(contentOf(root, 'f')).toBe(content);
  },
);

test.for(['.vscode/tasks.json', 'sub/.claude/settings.json', 'a.code-workspace'])(
  'says that a program runs %s, unless the file stays as it is',
  async (file) => {
    const root = makeTempDirectory();
    const write = async () => (await call(writeFile, { path: file, content: '{}' }, { root })).meta;
    expect(await write()).toMatchObject({ warnings: [expect.stringMatching(/that (VS Code|Claude Code) runs/)] });
    expect(await write()).not.toHaveProperty('warnings');
    const plain = await call(writeFile, { path: '.vscode/notes.md', content: '' }, { root });
    expect(plain.meta).not.toHaveProperty('warnings');
  },
);

test('previews a file that is new, changed, or the same', async () => {
  const root = makeTempDirectory();
  const dry = (file: string, content: string) =>
    call(writeFile, { path: file, content, dry_run: true }, { root, files: { f: 'a\nb\nc\n' } });
  expect((await dry('new.txt', 'fresh')).result).toBe('[dry-run] would create new.txt (5 bytes)');
  expect((await dry('f', 'a\nB\nc\n')).result).toBe(
    '[dry-run] diff for f:\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n',
  );
  expect((await dry('f', 'a\nb\nc\n')).result).toBe('[dry-run] no changes');
  expect(fs.readdirSync(root)).toEqual(['f']);
});

test('says that a write changed nothing', async () => {
  const answer = await call(writeFile, { path: 'f', content: 'x' }, { files: { f: 'x' } });
  expect(answer).toMatchObject({ ok: true, result: 'wrote 1 byte to f (no changes)', meta: { unchanged: true } });
});

test('refuses a file that changed since it was read, and one of another version', async () => {
  const root = makeTempDirectory();
  const session = createSession();
  makeTree(root, { f: 'one' });
  const { version } = (await call(readFile, { path: 'f' }, { root, session })).meta as { version: string };
  makeTree(root, { f: 'two!' });
  expect(await call(writeFile, { path: 'f', content: 'mine' }, { root, session })).toMatchObject({
    error_code: 'stale_file',
    error: expect.stringMatching(/^file modified since last read \(mtime changed\)\. Re-read before writing: f\n/),
  });
  const args = { path: 'f', content: 'mine', if_version: version };
  expect(await call(writeFile, args, { root })).toMatchObject({ error_code: 'stale_file' });
  expect(contentOf(root, 'f')).toBe('two!');
});

test('tells which lines changed', async () => {
  const linesOf = async (before: string, content: string) => {
    const { meta } = await call(writeFile, { path: 'f', content }, { files: { f: before } });
    const { first_changed_line, last_changed_line } = meta as Record<string, number>;
    return [first_changed_line, last_changed_line];
  };
  expect(await linesOf('a\nb\nc\nd\n', 'a\nB\nC\nd\n')).toEqual([2, 3]);
  expect(await linesOf('a\nb\nc\n', 'a\nc\n')).toEqual([2, 2]);
  expect(await linesOf('a\n', 'a\nb\nc\n')).toEqual([2, 3]);
  expect(await linesOf(`${'x\n'.repeat(100_000)}end`, `${'x\n'.repeat(100_000)}END`)).toEqual([100_001, 100_001]);
});

test.for([
  ['is binary', Buffer.from('a\0b'), 'text', 'binary'],
  ['would be long', 'x\n'.repeat(50_000), 'y\n'.repeat(50_000), 'the diff is longer than 64 KB'],
  ['is large', 'x'.repeat(2 ** 20), 'y', 'too large to compare'],
  ['is not UTF-8', Buffer.from('\xff\na\n', 'latin1'), 'b\n', 'the file is not UTF-8'],
  ['is UTF-16', Buffer.from('\ufeffa', 'utf16le'), 'b\n', 'the file is not UTF-8'],
] as const)('gives the reason instead of a diff for a file that %s', async ([, before, content, reason]) => {
  const { meta } = await call(writeFile, { path: 'f', content }, { files: { f: before } });
  expect(meta).toMatchObject({ diff_omitted: reason });
  expect(meta).not.toHaveProperty('diff');
});

test('says in which encoding a file stays', async () => {
  const files = { 'u.rc': Buffer.from('\ufeffint a;\r\n', 'utf16le') };
  const answer = await call(writeFile, { path: 'u.rc', content: 'int b;\r\n' }, { files });
  expect(answer).toMatchObject({ result: 'wrote 18 bytes to u.rc in utf-16le', meta: { encoding: 'utf-16le' } });
});

test('refuses half of a surrogate pair, which would become another character', async () => {
  const root = makeTempDirectory();
  expect(await call(writeFile, { path: 'f', content: 'ab\ud83d' }, { root })).toMatchObject({
    error_code: 'invalid_args',
    error: 'content: character 3 is \\ud83d, half of a surrogate pair',
  });
  expect(fs.existsSync(`${root}/f`)).toBe(false);
});

test.for([
  [{ path: 'f' }],
  [{ path: 'f', content: 5 }],
  [{ content: 'x' }],
  [{ path: 'f', content: 'x', dry_run: 'maybe' }],
])('refuses %j without touching the file', async ([args]) => {
  const root = makeTempDirectory();
  expect(await call(writeFile, args, { root, files: { f: 'old' } })).toMatchObject({ error_code: 'invalid_args' });
  expect(contentOf(root, 'f')).toBe('old');
});

test('writes without undo when jinn runs with --no-history', async () => {
  const { ok, meta } = await call(writeFile, { path: 'f', content: 'x' }, { history: false });
  expect(ok).toBe(true);
  expect(meta).not.toHaveProperty('undo_id');
});

test.for([
  ['CRLF', 'a\r\nb\r\n', 'a\nb\n', 'f was CRLF, now LF'],
  ['LF', 'a\n', 'a\r\nb\n', 'f was LF, now mixed line endings'],
  ['a byte order mark', '\ufeffa\n', 'a\n', 'f was UTF-8 with a byte order mark, now UTF-8'],
  [
    'bytes that are not UTF-8',
    Buffer.from('\xe9\n\xc3\xa9\xc3\xa9\xc3\xa9', 'latin1'),
    'é\n',
    'f was not UTF-8, now UTF-8',
  ],
] as const)('writes what was sent over %s, and says what became of it', async ([, before, content, warning]) => {
  const root = makeTempDirectory();
  const preview = await call(writeFile, { path: 'f', content, dry_run: true }, { root, files: { f: before } });
  const answer = await call(writeFile, { path: 'f', content }, { root });
  expect([preview.meta, answer.meta]).toMatchObject([{ warnings: [warning] }, { warnings: [warning] }]);
  expect(contentOf(root, 'f')).toBe(content);
});

test.for([
  ['a line', 'a', 'b\r\n'],
  ['nothing', '', '\ufeffa\r\n'],
  ['the same form', '\ufeffa\r\n', '\ufeffb\r\n'],
] as const)('says nothing of that over %s', async ([, before, content]) => {
  const { meta } = await call(writeFile, { path: 'f', content }, { files: { f: before } });
  expect(meta).not.toHaveProperty('warnings');
});

test('names the program that runs a file by a link', async () => {
  const root = makeTempDirectory();
  makeTree(root, {
    'real/t.json': '{}',
    '.vscode/tasks.json': { symlink: '../real/t.json' },
    '.idea': { symlink: 'real' },
  });
  for (const path of ['real/t.json', '.vscode/tasks.json']) {
    const { meta } = await call(writeFile, { path, content: `"${path}"` }, { root });
    const warning = /^real\/t\.json is a file that VS Code runs .* \.vscode\/tasks\.json:/;
    expect(meta).toMatchObject({ warnings: [expect.stringMatching(warning)] });
  }
  const { meta } = await call(writeFile, { path: 'real/new', content: '' }, { root });
  expect(meta).toMatchObject({ warnings: [expect.stringContaining('an editor of JetBrains')] });
});
