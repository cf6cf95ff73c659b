import fs from 'node:fs';
import path from 'node:path';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { editFile } from './edit-file.ts';

/** Edits a file that holds these bytes; gives the answer and the bytes afterwards. */
async function edit(before: string | Buffer, old_text: string, new_text: string, args: object = {}) {
  const root = makeTempDirectory();
  makeTree(root, { f: before });
  const answer = await call(editFile, { path: 'f', old_text, new_text, ...args }, { root });
  return { ...answer, after: fs.readFileSync(path.join(root, 'f')).toString('latin1') };
}

const utf8 = (text: string) => Buffer.from(text).toString('latin1');

test('replaces a text that is there once, and says where', async () => {
  const { after, ...answer } = await edit('a\nb\nc\n', 'b', 'X\nY');
  expect(after).toBe('a\nX\nY\nc\n');
  expect(answer).toMatchObject({
    ok: true,
    result: 'f:2 (1 line, now 2)',
    meta: {
      match_type: 'exact',
      places: 1,
      first_changed_line: 2,
      last_changed_line: 3,
      diff: expect.stringContaining('-b\n+X\n+Y'),
      undo_id: expect.any(String),
    },
  });
});

test.for([
  ['CRLF', 'a\r\nb\r\nc\r\n', 'a\nb', 'a\nx\nb', 'a\r\nx\r\nb\r\nc\r\n'],
  ['a lone CR', 'a\rb\rc', 'a\nb', 'a\nx\nb', 'a\rx\rb\rc'],
  ['mixed endings', 'a\r\nb\nc\r\nd\n', 'b\nc', 'b\nX', 'a\r\nb\nX\r\nd\n'],
  ['CRLF in old_text', 'a\nb\n', 'a\r\nb', 'a\r\nX', 'a\nX\n'],
  ['a new line after one without neighbours', 'a', 'a', 'a\nb', 'a\nb'],
  ['a new line in a file of CRLF', 'a\r\nb', 'b', 'b\nc', 'a\r\nb\r\nc'],
  ['a byte order mark', '\xef\xbb\xbfa\n', '\ufeffa', '\ufeffb', '\xef\xbb\xbfb\n'],
  ['bytes that are no UTF-8', '\xff\xfea\x80\x80', 'a', 'é', '\xff\xfe\xc3\xa9\x80\x80'],
  ['both line breaks where a lone CR meets LF', 'a\rb\nc', 'b', '', 'a\r\n\nc'],
  ['both line breaks where a new CR meets LF', 'a\rb\nc', 'b', 'b\n', 'a\rb\r\n\nc'],
  ['CRLF of new text in a file without a line ending', 'a', 'a', 'a\r\nb\r\n', 'a\r\nb\r\n'],
  ['dollar signs', 'a', 'a', '$& $1 $$', '$& $1 $$'],
  ['nothing', 'a-b', '-', '', 'ab'],
  ['blanks elsewhere', 'a  \nb \t\nc  \n', 'b', 'B', 'a  \nB \t\nc  \n'],
] as const)('keeps %s', async ([, before, old_text, new_text, after]) => {
  expect((await edit(Buffer.from(before, 'latin1'), old_text, new_text)).after).toBe(after);
});

test.for([
  ['smart quotes', 'say “hi” to bob\n', 'say "hi" to bob', 'say "hi" to eve', 'say “hi” to eve\n'],
  ['single quotes', '‘a’', "'a'", 'b', 'b'],
  ['dashes and spaces', 'a – b\u00a0c', 'a - b c', 'a - b d', 'a – b\u00a0d'],
  ['blanks at line ends', 'a  \nb\t\nc\n', 'a\nb\nc', 'a\nB\nc', 'a  \nB\t\nc\n'],
  ['blanks in old_text', 'a\nb\n', 'a  \nb ', 'a  \nB ', 'a\nB\n'],
  ['quotes in old_text', 'a "b" c', 'a “b” c', 'a “b” d', 'a "b" d'],
] as const)('looks past %s, and keeps them where nothing changes', async ([, before, old_text, new_text, after]) => {
  const answer = await edit(before, old_text, new_text);
  expect(answer.after).toBe(utf8(after));
  expect(answer.meta).toMatchObject({ match_type: 'fuzzy' });
  expect(answer.result).toContain('(fuzzy match: normalized whitespace/quotes)\nwhat stood there:\n');
});

test.for([
  ['an empty old_text', 'a', '', 'b', 'old_text_empty', 'old_text cannot be empty'],
  ['the same text', 'a', 'a', 'a', 'edit_no_change', 'edit produced no changes'],
  ['the same text but for line endings', 'a\r\nb', 'a\nb', 'a\r\nb', 'edit_no_change', ''],
  ['the same text after a fuzzy match', '“a”', '"a"', '“a”', 'edit_no_change', ''],
  ['two places', 'x\na\nx\n', 'x', 'y', 'edit_not_unique', 'old_text matches 2 locations in f (lines: 1, 3)'],
  ['places that overlap', 'aaa', 'aa', 'b', 'edit_not_unique', 'matches 2 locations'],
  [
    'two fuzzy places',
    '“a”\n‘b’ “a”\n',
    '"a"',
    'c',
    'edit_not_unique',
    'matches 2 locations (fuzzy) in f (lines: 1, 2)',
  ],
  ['a blank old_text in an empty file', '', ' ', 'x', 'edit_not_found', 'old_text not found in f (0 lines)'],
  ['a blank that is not there', 'ab', ' ', 'x', 'edit_not_found', ''],
  ['a word that goes on', 'foobar', 'foo ', 'x', 'edit_not_found', ''],
  ['a binary file', 'a\0', 'a', 'b', 'binary_file', 'binary file: f (2 bytes)'],
  ['half of a surrogate pair', 'a', 'a', '\ud83d', 'invalid_args', 'new_text: character 1 is \\ud83d'],
] as const)('refuses %s, and changes nothing', async ([, before, old_text, new_text, error_code, message]) => {
  const answer = await edit(before, old_text, new_text);
  expect(answer).toMatchObject({ ok: false, error_code, suggestion: expect.any(String), after: utf8(before) });
  expect(answer.error).toContain(message);
});

test('names up to ten places', async () => {
  const { error } = await edit('x\n'.repeat(15), 'x', 'y');
  expect(error).toContain('(lines: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ... and 5 more)');
});

test('shows what is nearest to a text that is not there, in a bounded message', async () => {
  const { error } = await edit('alpha\nbravo one\ncharlie\n', 'bravo 0ne\ncharlie', 'x');
  expect(error).toContain(
    'Nearest match at line 2: "bravo one" — did you mean this?\n- bravo 0ne\n- charlie\n+ bravo one\n+ charlie',
  );
  const long = await edit('y'.repeat(1_000_000), 'x'.repeat(100_000), 'z');
  expect(long.error?.length).toBeLessThan(1_500);
});

test('does not advise to send bytes that are not UTF-8', async () => {
  const foreign = Buffer.concat([Buffer.from('int a; // 日本語\n// '), Buffer.from([0xd6, 0xd0, 10])]);
  for (const old of ['// 中文', '// ??', 'int 中']) {
    const { suggestion } = await edit(foreign, old, 'x');
    expect(suggestion).toMatch(
      /bytes that are not UTF-8, .* send a part of line \d that is ASCII, or use search_replace/,
    );
  }
  expect((await edit(foreign, 'int b;', 'x')).suggestion).toContain('send those marked +');
  expect((await edit('// 中文 ö', '// 中文 o', 'x')).suggestion).toContain('send those marked +');
  const long = await edit(`// ${'中'.repeat(500)}`, '// 中x', 'x');
  expect(long.suggestion).not.toContain('UTF-8');
});

test('replaces every occurrence on request, and counts them on request', async () => {
  expect(await edit('a a\na', 'a', 'b', { replace_all: true })).toMatchObject({
    after: 'b b\nb',
    result: 'f:1, 1, 2 (3 places)',
  });
  expect((await edit('aaaa', 'aa', 'b', { replace_all: true })).after).toBe('bb');
  expect((await edit('a a', 'a', 'b', { expected_count: 2 })).after).toBe('b b');
  expect(await edit('a a', 'a', 'b', { expected_count: 3 })).toMatchObject({
    error_code: 'edit_not_unique',
    after: 'a a',
    error: expect.stringContaining('matches 2 locations, 3 expected'),
  });
  const { error, suggestion } = await edit('a a', 'a', 'b', { expected_count: 3 });
  expect(error).not.toContain('unique');
  expect(suggestion).toContain('pass expected_count: 2');
});

test.for([
  ['from the line start', '  a\n  b\n', '  b', 'if x:\n  b', '  a\n  if x:\n    b\n'],
  ['from behind the indentation', '\tb\n', 'b', 'if x:\n\tb', '\tif x:\n\t\tb\n'],
  ['with an indentation of its own', '    b\n', 'b', '  if x:\n\n    b', '    if x:\n\n      b\n'],
  ['within a line', '  x = b;\n', 'b', 'f(\n  b)', '  x = f(\n    b);\n'],
] as const)('gives new text the indentation of the place %s', async ([, before, old_text, new_text, after]) => {
  expect((await edit(before, old_text, new_text, { fuzzy_indent: true })).after).toBe(after);
});

test('shows lines around the edit', async () => {
  const { result } = await edit('alpha\nbravo\ncharlie\ndelta\n', 'charlie', 'CHANGED', { show_context: 1 });
  expect(result).toBe('f:3 (1 line)\n--- context ---\n2 | bravo\n3* | CHANGED\n4 | delta');
});

test('shows a dry run', async () => {
  const answer = await edit('“a”\n', '"a"', '"b"', { dry_run: true });
  expect(answer).toMatchObject({
    ok: true,
    after: utf8('“a”\n'),
    result: '[dry-run] diff for f: (fuzzy match)\n--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-“a”\n+“b”\n',
  });
});

test('is linear in the number of places', { tags: 'slow' }, async () => {
  const many = 'a b\n'.repeat(99_000);
  const { ok, after } = await edit(many, 'a', 'c', { replace_all: true, show_context: 3 });
  expect([ok, after === many.replaceAll('a', 'c')]).toEqual([true, true]);
  expect(await edit('a'.repeat(100_001), 'a', 'b', { replace_all: true })).toMatchObject({
    error_code: 'resource_limit',
  });
});

test('refuses a file of another version, and one that is not there', async () => {
  expect(await edit('a', 'a', 'b', { if_version: 'x' })).toMatchObject({ error_code: 'stale_file', after: 'a' });
  expect(await edit('a', 'a', 'b', { path: 'nope' })).toMatchObject({ error_code: 'file_not_found' });
});

const bytes = fc
  .array(fc.constantFrom('a', 'b', ' ', '\t', '\n', '\r\n', '\r', '"', '“', '—', 'é', '\xff'))
  .map((parts) => Buffer.from(parts.join('')));

test('an exact edit changes what it names and no other byte', async () => {
  await fc.assert(
    fc.asyncProperty(bytes, bytes, fc.string({ minLength: 1 }), async (before, behind, text) => {
      const content = Buffer.concat([before, Buffer.from('<old>'), behind]);
      const { after } = await edit(content, '<old>', text);
      const expected = Buffer.concat([before, Buffer.from(text.replace(/\r\n?/g, '\n')), behind]).toString('latin1');
      expect(after.replace(/\r\n?/g, '\n')).toBe(expected.replace(/\r\n?/g, '\n'));
      if (!/[\r\n]/.test(text) && text !== '<old>') expect(after).toBe(expected);
    }),
    { numRuns: 40 / inject('runsDivisor') },
  );
});

test('a fuzzy edit changes its own line and no other byte', async () => {
  await fc.assert(
    fc.asyncProperty(bytes, bytes, async (before, behind) => {
      const content = Buffer.concat([before, Buffer.from('\n“<old>” x  \n'), behind]);
      const { after } = await edit(content, '"<old>" x', '"<old>" y');
      expect(after).toBe(Buffer.concat([before, Buffer.from('\n“<old>” y  \n'), behind]).toString('latin1'));
    }),
    { numRuns: 40 / inject('runsDivisor') },
  );
});

test.for(['utf-16le', 'utf-16be'])('edits %s text and keeps its encoding', async (encoding) => {
  const encode = (text: string) => {
    const units = Buffer.from(`\ufeff${text}`, 'utf16le');
    return encoding === 'utf-16le' ? units : units.swap16();
  };
  const { after, meta } = await edit(encode('één\r\n“zwei” 😀\r\n'), '"zwei"', '"drei" ß');
  expect(after).toBe(encode('één\r\n“drei" ß 😀\r\n').toString('latin1'));
  expect(meta).toMatchObject({ diff_omitted: 'the file is not UTF-8' });
});

test('the meta of an edit never has a diff that cannot be applied', async () => {
  const near = await edit(Buffer.from('\xff\na\n', 'latin1'), 'a', 'b');
  expect(near.meta).toMatchObject({ diff_omitted: 'the file is not UTF-8' });
  const far = await edit(Buffer.from(`\xff\n${'x\n'.repeat(9)}a\n`, 'latin1'), 'a', 'b');
  expect(far.meta).toMatchObject({ diff: expect.stringContaining('-a\n+b\n') });
});

test('replace_all keeps the number of lines, whatever the line endings', async () => {
  const part = fc.constantFrom('\r', '\n', '\r\n', 'a', 'b');
  const linesOf = (text: string) => text.split(/\r\n|\r|\n/);
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { minLength: 1 }),
      fc.constantFrom('', 'x', '\n', 'x\n', '\ny'),
      async (parts, text) => {
        const before = parts.join('');
        fc.pre(before.includes('a'));
        const { after } = await edit(before, 'a', text, { replace_all: true });
        expect(linesOf(after)).toEqual(linesOf(before.replace(/\r\n?/g, '\n').replaceAll('a', text)));
      },
    ),
    { numRuns: 60 / inject('runsDivisor') },
  );
});
