import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { unifiedDiff } from './diff/unified-diff.ts';
import { diffFiles } from './diff-files.ts';

const hasPatch = spawnSync('patch', ['--version']).status === 0;

const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1');

test('shows what changed, and where', async () => {
  const files = { a: 'one\ntwo\nthree\n', b: 'one\n2\nthree\n' };
  expect(await call(diffFiles, { path_a: 'a', path_b: 'b', context_lines: 0 }, { files })).toMatchObject({
    ok: true,
    result: '--- a/a\n+++ b/b\n@@ -2,1 +2,1 @@\n-two\n+2\n',
    meta: { is_identical: false, first_changed_line: 2 },
  });
});

test('says that files are identical', async () => {
  const answer = await call(diffFiles, { path_a: 'a', path_b: 'a' }, { files: { a: 'x' } });
  expect(answer).toMatchObject({ result: 'files are identical', meta: { is_identical: true } });
});

test('shows a difference of the final newline alone', async () => {
  const { result } = await call(diffFiles, { path_a: 'a', path_b: 'b' }, { files: { a: 'x', b: 'x\n' } });
  expect(result).toContain('-x\n\\ No newline at end of file\n+x\n');
});

test.for([
  ['a binary', { path_a: 'bin', path_b: 'a' }, 'binary_file'],
  ['a missing file', { path_a: 'a', path_b: 'x' }, 'file_not_found'],
  ['a secret', { path_a: 'a', path_b: '.env' }, 'path_outside_sandbox'],
  ['what is too large', { path_a: 'a', path_b: 'big' }, 'file_too_large'],
  ['a diff that is too long', { path_a: 'long', path_b: 'a' }, 'resource_limit'],
  ['a single path', { path_a: 'a' }, 'invalid_args'],
] as const)('refuses %s', async ([, args, code]) => {
  const files = {
    a: 'x',
    bin: 'a\0',
    big: Buffer.alloc(10 * 1024 * 1024 + 1, 'x'),
    long: 'some words\n'.repeat(60_000),
  };
  expect(await call(diffFiles, args, { files })).toMatchObject({ ok: false, error_code: code });
});

const line = fc.constantFrom('a', 'b', '', ' ', '-', '+', '@@', '\\', 'é', 'a\r', '\r', '--- a', '\ud83d\ude00');
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, end]) => lines.join('\n') + (end ? '\n' : ''));
const name = fc.constantFrom('f', 'a b.txt', 'é.txt', '-x', 'sub/f.txt');

test.skipIf(!hasPatch)('gives a diff that patch turns the first file into the second with', () => {
  const root = makeTempDirectory();
  const check = (before: string, after: string, file: string, context: number) => {
    const diff = unifiedDiff(
      { path: file, content: Buffer.from(before) },
      { path: file, content: Buffer.from(after) },
      { context, maxLength: 1e6 },
    );
    expect(diff.isExact).toBe(true);
    makeTree(root, { [file]: before });
    const { status, stdout } = spawnSync('patch', ['-p1', '--binary', '-s'], {
      cwd: root,
      input: diff.text ?? '',
      encoding: 'utf8',
    });
    const target = path.join(root, file);
    const patched = fs.existsSync(target) ? fs.readFileSync(target, 'utf8') : '';
    expect({ status, stdout, patched }).toEqual({ status: 0, stdout: '', patched: after });
  };
  fc.assert(
    fc.property(text, text, name, fc.constantFrom(1, 3), (before, after, file, context) => {
      fc.pre(before !== after);
      check(before, after, file, context);
    }),
    { numRuns: 150 / inject('runsDivisor') },
  );
});

test.skipIf(!hasPatch)('replaces whole what differs too much, still as a diff that patch takes', () => {
  const root = makeTempDirectory();
  const side = (word: string) => `same\n${Array.from({ length: 5_000 }, (_, i) => `${word} ${i}\n`).join('')}end`;
  const [before, after] = [side('old'), side('new')];
  const { text: diff } = unifiedDiff(
    { path: 'f', content: Buffer.from(before) },
    { path: 'f', content: Buffer.from(after) },
    { context: 3, maxLength: 1e6 },
  );
  makeTree(root, { f: before });
  expect(spawnSync('patch', ['-p1', '--binary', '-s'], { cwd: root, input: diff ?? '' }).status).toBe(0);
  expect(fs.readFileSync(path.join(root, 'f'), 'utf8')).toBe(after);
});

test.for([
  ['binary', 'bin', Buffer.from('a\0'), 'binary file: bin (2 bytes)'],
  ['an image', 'p.png', PNG, `binary file: p.png (image/png, ${PNG.length} bytes)`],
  ['a PDF', 'd.pdf', '%PDF-1.7\n', 'binary file: d.pdf (PDF, 9 bytes)'],
] as const)('says what %s is', async ([, name, content, error]) => {
  const answer = await call(diffFiles, { path_a: name, path_b: 'a' }, { files: { a: 'x', [name]: content } });
  expect(answer).toMatchObject({ error_code: 'binary_file', error, suggestion: expect.any(String) });
});

test('compares the text of UTF-16 files, and says that the diff cannot be applied', async () => {
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const files = { a: utf16('één\nx\n'), b: utf16('één\ny\n').swap16() };
  const { result } = await call(diffFiles, { path_a: 'a', path_b: 'b' }, { files });
  expect(result).toMatch(/^\[The file is utf-16le\. This is the diff of its text.*\]\n--- a\/a\n/);
  expect(result).toContain(' één\n-x\n+y\n');
});

test('says so where bytes are not UTF-8', async () => {
  const broken = (text: string) => Buffer.concat([Buffer.from('数 é '), Buffer.from([0xff, 10]), Buffer.from(text)]);
  const files = { a: broken('x\n'), b: broken('y\n') };
  const { result } = await call(diffFiles, { path_a: 'a', path_b: 'b' }, { files });
  expect(result).toMatch(/^\[Some bytes here are not UTF-8/);
  const away = await call(diffFiles, { path_a: 'a', path_b: 'b', context_lines: 0 }, { files });
  expect(away.result).toMatch(/^--- a/);
});

test('is linear in what is equal', async () => {
  const lines = Array.from({ length: 400_000 }, (_, i) => `line ${i}\n`);
  const before = lines.join('');
  const files = { a: before, b: before.replace('line 200000\n', 'changed\n') };
  const { result } = await call(diffFiles, { path_a: 'a', path_b: 'b', context_lines: 0 }, { files });
  expect(result).toContain('@@ -200001,1 +200001,1 @@\n-line 200000\n+changed\n');
});
