// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it stands for a group in a replacement
import { execFileSync } from 'node:child_process';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { replace } from './fixture/replace-in-tree.ts';
import { searchReplace } from './search-replace.ts';

test('replaces every match, and tells where', async () => {
  const { ok, result, meta, after } = await replace({}, { 'a.txt': 'x\nold old\ny\nold\n', 'b.txt': 'none\n' });
  expect([ok, result]).toEqual([true, 'replaced 3 matches in 1 file:\na.txt: 3 (lines 2-4)']);
  expect(after).toEqual({ 'a.txt': 'x\nnew new\ny\nnew\n', 'b.txt': 'none\n' });
  expect(meta).toMatchObject({
    operation_id: expect.any(String),
    files: [
      {
        path: 'a.txt',
        matches: 3,
        version: expect.any(String),
        undo_id: expect.any(String),
        first_changed_line: 2,
        last_changed_line: 4,
      },
      { path: 'b.txt', matches: 0, unchanged: true, version: expect.any(String) },
    ],
  });
});

test.for([
  ['groups', { pattern: '(\\w)=(\\w)', replacement: '$2<-$1' }, 'a=b', 'b<-a'],
  ['a group before a letter', { pattern: '(o)ld', replacement: '$1x' }, 'old', 'ox'],
  ['named groups', { pattern: '(?P<a>o)(?<b>l)d', replacement: '$<b>${a}${1}0' }, 'old', 'loo0'],
  ['a group that took no part', { pattern: 'old(x)?', replacement: '[$1]' }, 'old', '[]'],
  ['what is no group', { replacement: "$$ $` $' $x \\x \\" }, 'a old b', "a $$ $` $' $x \\x \\ b"],
  ['plain text', { replacement: 'US$100 \\1 ${n}', literal_replacement: true }, 'old', 'US$100 \\1 ${n}'],
  ['nothing', { replacement: '' }, 'old.', '.'],
  ['case', { pattern: 'OLD', case_insensitive: true }, 'Old', 'new'],
  ['line starts', { pattern: '^', replacement: '> ' }, 'a\nb\n', '> a\n> b\n'],
  ['line starts behind blanks', { pattern: '^([ \\t]*)', replacement: '$1# ' }, ' a\r\nb\r\n', ' # a\r\n# b\r\n'],
  ['line ends', { pattern: '$', replacement: ';' }, 'a\nb\n', 'a;\nb;\n'],
  ['the end of a last line without a line end', { pattern: '$', replacement: ';' }, 'a\nb', 'a;\nb;'],
  ['no line of an empty file', { pattern: '^', replacement: '> ' }, '', ''],
  ['the end of the text', { pattern: '\\z', replacement: 'end\n' }, 'a\n', 'a\nend\n'],
  ['the end alone', { pattern: '$', replacement: 'end\n', multiline: false }, 'a\nb\n', 'a\nb\nend\n'],
  ['the start alone', { pattern: '^', replacement: '> ', multiline: false }, 'a\nb', '> a\nb'],
  ['whole characters', { pattern: '.', replacement: 'x' }, 'é😀', 'xx'],
] as const)('replaces %s', async ([, args, before, expected]) => {
  expect((await replace({ ...args, files: 'f' }, { f: before })).after['f']).toBe(expected);
});

test.for([
  ['a pattern over lines', { pattern: 'a;\\nb;', replacement: 'c;' }, 'a;\r\nb;\r\n', 'c;\r\n'],
  ['a pattern with the line end of Windows', { pattern: 'a\\r\\nb', replacement: 'c' }, 'a\r\nb a\nb', 'c c'],
  ['a line that is added', { pattern: '^b$', replacement: 'b\nc' }, 'a\r\nb\r\n', 'a\r\nb\r\nc\r\n'],
  ['plain text', { pattern: 'b', replacement: 'b\nc', literal_replacement: true }, 'a\r\nb', 'a\r\nb\r\nc'],
  ['a line end of Windows that is sent', { pattern: 'b', replacement: 'b\r\nc' }, 'a\nb', 'a\nb\nc'],
  ['a file without a line end', { pattern: 'b', replacement: 'b\r\nc' }, 'b', 'b\r\nc'],
  ['line ends that are removed', { pattern: '\\n', replacement: '' }, 'a\r\nb\nc\r\n', 'abc'],
  ['blanks and line ends', { pattern: '[^a]+', replacement: '-' }, 'a \r\n\r\na', 'a-a'],
  ['groups with line ends', { pattern: '(a\\n)(b\\n)', replacement: '$2$1' }, 'a\r\nb\n', 'b\na\r\n'],
  ['the neighbors of mixed lines', { pattern: 'x', replacement: '1\n2' }, 'x\r\nx\nx', '1\r\n2\r\n1\r\n2\n1\n2'],
  ['a lone carriage return', { pattern: '\\r', replacement: '\n' }, 'a\rb\r\n', 'a\r\nb\r\n'],
  ['no place within a line end', { pattern: 'x*', replacement: '-' }, 'a\r\n', '-a-\r\n-'],
  ['the end of the last line', { pattern: ';\\Z', replacement: '' }, 'a;\r\nb;\r\n', 'a;\r\nb\r\n'],
] as const)('keeps the line ends of the file: %s', async ([, args, before, expected]) => {
  expect((await replace({ ...args, files: 'f' }, { f: before })).after['f']).toBe(expected);
});

test('says why nothing is written if only line ends differ', async () => {
  const { result } = await replace({ pattern: '\\n', replacement: '\n', files: 'f' }, { f: 'a\r\n' });
  expect(result).toContain('A line break is always that of the file');
});

test.for(['\\n', '\\t', '\\r\\n', '$&', '$0', '\\0', '\\g', '\\&'])('refuses %s in a replacement', async (token) => {
  const { after, ...answer } = await replace({ replacement: `a${token}` }, { f: 'old' });
  expect(answer).toMatchObject({
    error_code: 'invalid_args',
    suggestion: expect.stringContaining('literal_replacement'),
  });
  expect(after).toEqual({ f: 'old' });
  const literal = await replace({ replacement: `a${token}`, literal_replacement: true }, { f: 'old' });
  expect(literal.after).toEqual({ f: `a${token}` });
});

test.for([
  ['// .*$', '// \xd6\xd0\xce\xc4 \xb1\xa1\nint a;\n', '!\nint a;\n'],
  ['"[^"]*"', 'x("gr\xf6\xdfe", "b")', 'x(!, !)'],
  ['gr..e', 'gr\xf6\xdfe', '!'],
  ['\\S+', 'na\xefve caf\xe9', '! !'],
] as const)('matches bytes that are not UTF-8 with %s', async ([pattern, before, expected]) => {
  const f = Buffer.from(before, 'latin1');
  expect((await replace({ pattern, replacement: '!', files: 'f' }, { f })).after['f']).toBe(expected);
});

/** UTF-8 but for the given bytes. */
function broken(bytes: string): Buffer {
  return Buffer.concat([Buffer.from('数値 ö\n'), Buffer.from(bytes, 'latin1')]);
}

test('names the files in which text outside ASCII cannot match', async () => {
  const files = { a: broken('caf\xe9'), b: broken('th\xe9'), c: 'thé' };
  expect((await replace({ pattern: 'café' }, files)).result).toContain('; 2 files are not UTF-8: text outside ASCII');
  expect((await replace({ pattern: 'x' }, files)).result).toBe('no matches found across any target files');
  expect((await replace({ pattern: 'café' }, { c: 'thé' })).result).toBe('no matches found across any target files');
});

test('warns of UTF-8 in a file that is not', async () => {
  const f = broken('f\xf6 old\n');
  const { meta } = await replace({ files: 'f', replacement: 'é' }, { f });
  expect(meta).toMatchObject({ warnings: [expect.stringMatching(/^f is not UTF-8, and .* as UTF-8/)] });
  for (const [args, before] of [
    [{ replacement: 'e' }, f],
    [{ replacement: 'é' }, 'ö old'],
    [{ replacement: 'é' }, Buffer.from('\ufeffold', 'utf16le')],
    [{ replacement: 'é', dry_run: true }, f],
  ] as const) {
    expect(Object((await replace({ files: 'f', ...args }, { f: before })).meta).warnings).toBeUndefined();
  }
});

test('takes paths, globs, directories and lists of them, each file once', async () => {
  const tree = {
    'a.go': 'old',
    'd/b.go': 'old',
    'd/e/c.ts': 'old',
    'f[1].txt': 'old',
    'node_modules/m.go': 'old',
    '.gitignore': 'ig.go',
    'ig.go': 'old',
    '.h.go': 'old',
  };
  const changed = async (args: object) => {
    const { after } = await replace(args, tree);
    return Object.keys(after).filter((name) => after[name] === 'new');
  };
  expect(await changed({ files: '*.go' })).toEqual(['a.go', 'd/b.go']);
  expect(await changed({ files: 'd/*.go' })).toEqual(['d/b.go']);
  expect(await changed({ files: './d/**/*.{go,ts}' })).toEqual(['d/b.go', 'd/e/c.ts']);
  expect(await changed({ files: 'd' })).toEqual(['d/b.go', 'd/e/c.ts']);
  expect(await changed({ files: 'd', include: '*.ts' })).toEqual(['d/e/c.ts']);
  expect(await changed({ files: 'd', include: '*.js,*.ts' })).toEqual(['d/e/c.ts']);
  expect(await changed({ files: ['a.go', 'd/b.go', './a.go', 'd'] })).toEqual(['a.go', 'd/b.go', 'd/e/c.ts']);
  expect(await changed({ files: 'f[1].txt' })).toEqual(['f[1].txt']);
  expect(await changed({ files: 'ig.go' })).toEqual(['ig.go']);
  expect(await changed({ files: '.h*' })).toEqual(['.h.go']);
});

test('changes the files that a glob means, and no others', async () => {
  const files = { 'app/(a)/x.ts': 'old\n', 'app/a/x.ts': 'old\n', '~/x.ts': 'old\n' };
  expect((await replace({ files: 'app/(a)/*.ts' }, files)).after).toEqual({ ...files, 'app/(a)/x.ts': 'new\n' });
  for (const target of ['**/x.ts', '.', './~']) {
    expect((await replace({ files: target }, files)).after).toMatchObject({ '~/x.ts': 'new\n' });
  }
});

test('says once which directories with tracked files it skips by name, for several paths', async () => {
  const root = makeTempDirectory();
  makeTree(root, { 'a/vendor/f': 'old', 'a/g': 'old', 'b/dist/f': 'old', 'b/g': 'old' });
  execFileSync('git', ['init', '-q'], { cwd: root });
  execFileSync('git', ['add', '.'], { cwd: root });
  const args = { pattern: 'old', replacement: 'new', files: ['a', 'b', 'a'] };
  expect((await call(searchReplace, args, { root })).meta).toMatchObject({
    warnings: ['skipped by name, although git tracks files there: a/vendor, b/dist'],
  });
});

test('skips binary files, and says so', async () => {
  const { ok, result, meta, after } = await replace({ files: ['b', 't'] }, { b: 'old\0', t: 'old' });
  expect([ok, result]).toEqual([true, 'replaced 1 match in 1 file:\nt: 1 (line 1)']);
  expect(meta).toMatchObject({
    files: [{ path: 'b', error: 'binary file', error_code: 'binary_file' }, { path: 't' }],
    warnings: ['binary, not searched: b'],
  });
  expect(after).toEqual({ b: 'old\0', t: 'new' });
});

test('shows a dry run with a diff and the versions to commit it with', async () => {
  const { result, meta, after } = await replace({ dry_run: true }, { f: 'a\nold\n' });
  const diff = '--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-old\n+new';
  expect(result).toBe(`[dry-run] 1 file would be changed:\nf: 1 (line 2)\n${diff}`);
  expect(meta).toMatchObject({ files: [{ version: expect.any(String) }] });
  expect(after['f']).toBe('a\nold\n');
});

test('leaves every byte that is not matched, whatever the encoding and the line endings', async () => {
  const content = fc.array(
    fc.oneof(
      fc.constantFrom('old', '\r\n', '\r', '\n', '\xff', '\xef\xbb\xbf', 'é', ' \t'),
      fc.string({ unit: 'binary-ascii' }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(content, async (parts) => {
      const before = parts.join('').replaceAll('\0', '');
      const { after } = await replace({ files: 'f' }, { f: Buffer.from(before, 'latin1') });
      expect(after['f']).toBe(before.replaceAll('old', 'new'));
    }),
    { numRuns: 25 / inject('runsDivisor') },
  );
});

test('changes all files or none', async () => {
  const files = { a: 'old', b: 'old' };
  const { error_code, after } = await replace({ if_versions: { b: 'x-y' } }, files);
  expect([error_code, after]).toEqual(['stale_file', files]);
});

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m/f${i}`, 'old']));

test('takes 50 files with matches and no more', async () => {
  expect((await replace({}, many(50))).result).toContain('replaced 50 matches across 50 files');
  const { error, error_code, suggestion, after } = await replace({}, many(51));
  expect([error_code, new Set(Object.values(after))]).toEqual(['resource_limit', new Set(['old'])]);
  expect(error).toBe('51 files have matches: a call changes at most 50');
  expect(suggestion).toContain('format "filenames"');
});

describe('among more than 50 files', () => {
  const text = (content: string) => Buffer.from(content, 'utf16le');
  const FILES = { ...many(2), ...Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`n/${i}`, 'none'])) };

  test('changes those with matches, and counts the binary ones', async () => {
    const files = { ...FILES, 'm/utf16': text('\ufeffold'), 'n/b1': 'old\0', 'n/b2': 'old\0' };
    const { result, meta, after } = await replace({}, files);
    expect(result).toBe('replaced 3 matches across 3 files:\nm/f0: 1 (line 1)\nm/f1: 1 (line 1)\nm/utf16: 1 (line 1)');
    expect(meta).toMatchObject({ warnings: ['binary, not searched: n/b1, n/b2'] });
    expect((meta as { files: object[] }).files).toHaveLength(3);
    expect(after).toEqual({
      ...files,
      'm/f0': 'new',
      'm/f1': 'new',
      'm/utf16': text('\ufeffnew').toString('latin1'),
    });
  });

  test('says when none has a match', async () => {
    expect(await replace({ pattern: 'nowhere' }, FILES)).toMatchObject({
      ok: true,
      result: 'no matches found across any target files',
    });
  });

  test('takes the version of a file without a match', async () => {
    expect(await replace({ if_versions: { './n/1': 'x-y' } }, FILES)).toMatchObject({ error_code: 'stale_file' });
  });

  test('refuses a file that is too large, unless it is binary', { tags: 'slow' }, async () => {
    const large = (begin: string) => Buffer.concat([Buffer.from(begin), Buffer.alloc(51 * 1024 * 1024, ' ')]);
    expect(await replace({}, { ...FILES, large: large('text') })).toMatchObject({
      error_code: 'file_too_large',
      after: FILES,
    });
    expect(await replace({}, { ...FILES, large: large('\0') })).toMatchObject({ ok: true });
  });

  test('stops a pattern that takes too long', async () => {
    const files = { ...FILES, long: 'a'.repeat(60) };
    expect(await replace({ pattern: '(?!z)(a+)+!', timeout: 1 }, files)).toMatchObject({ error_code: 'timeout' });
  });
});

test.for([
  ['\\1', '(old)', 'write $1 instead'],
  ['\\g<n>', '(?<n>old)', 'write ${n} instead'],
  ['$2', '(old)', 'its groups are $1'],
  ['US$100', '(old)', 'write ${1}0 for group 1 before a 0'],
  ['${n}', '(old)', 'literal_replacement: true'],
] as const)('refuses the replacement %s for %s, and changes nothing', async ([replacement, pattern, suggestion]) => {
  expect(await replace({ pattern, replacement }, { f: 'old' })).toMatchObject({
    ok: false,
    error_code: 'invalid_args',
    suggestion: expect.stringContaining(suggestion),
    after: { f: 'old' },
  });
});

test.for([
  ['a\\|old', '; \\| is a literal |: without the backslash, the pattern has 3 matches'],
  ['a\\|b', '; \\| is a literal |: without the backslash, the pattern has 0 matches'],
  ['(?!z)\\(b+\\)+!', ''],
] as const)('says what grep would make of %s', ([pattern, advice]) => expectAdvice(pattern, advice));

test('says that it had no time to look what grep would make of a pattern', { tags: 'slow' }, () =>
  expectAdvice('(?!z)\\(x+\\)+!', ': without the backslash, the pattern was not tried in time'),
);

async function expectAdvice(pattern: string, advice: string) {
  const { ok, result } = await replace({ pattern }, { f: 'old old', g: 'old\n', h: 'x'.repeat(60) });
  expect(ok).toBe(true);
  expect(result?.startsWith('no matches found across any target files')).toBe(true);
  expect(result?.endsWith(advice === '' ? 'files' : advice)).toBe(true);
}

test('takes exclusions, the path of any file, and warns of a glob without a file', async () => {
  const tree = { 'app/[id]/a.ts': 'old', 'app/i/a.ts': 'old', 'b.ts': 'old', 'b.test.ts': 'old' };
  const changed = async (args: object) => {
    const { meta } = await replace({ ...args, dry_run: true }, tree);
    const { files = [], warnings = [] } = meta as { files?: { path: string }[]; warnings?: string[] };
    return [...files.map(({ path }) => path), ...warnings];
  };
  expect(await changed({ files: 'app/[id]/*.ts' })).toEqual(['app/[id]/a.ts']);
  expect(await changed({ files: ['**/*.ts', '!app/[id]', '!*.test.ts'] })).toEqual(['app/i/a.ts', 'b.ts']);
  expect(await changed({ files: '!app' })).toEqual(['b.test.ts', 'b.ts']);
  expect(await changed({ files: '.', include: 'app/[id]/a.ts' })).toEqual(['app/[id]/a.ts']);
  expect(await changed({ files: ['b.ts', '*.go'] })).toEqual(['b.ts', 'no file matches *.go']);
});

test('names the glob for several, and what is wrong with one', async () => {
  const refusal = async (args: object) => (await replace(args, { 'd/x.md': 'old' })).suggestion;
  expect(await refusal({ include: '*.js,d' })).toContain('try d/**');
  expect(await refusal({ files: '*.js, src/*.ts' })).toContain('For several try {*.js,src/*.ts}');
  expect(await refusal({ include: 'd' })).toContain('try d/**');
  expect(await refusal({ include: '*.go' })).toBe('check include: *.go');
});

test.for([
  ['a malformed pattern', { pattern: '(' }, 'invalid_regex'],
  ['a pattern that is very long', { pattern: 'x'.repeat(10_001) }, 'invalid_regex'],
  ['a pattern that takes characters apart', { pattern: '\\-|\\ud83d', replacement: 'x' }, 'invalid_regex'],
  ['a malformed glob', { files: '{a,[b' }, 'invalid_glob'],
  ['a hostile glob', { files: '**/a/**/a/**/a/**/b*' }, 'invalid_glob'],
  ['a glob that leads out', { files: '../*.go' }, 'path_outside_sandbox'],
  ['a secret', { files: '.env' }, 'path_outside_sandbox'],
  ['what is missing', { files: ['f', 'nope'] }, 'file_not_found'],
  ['a glob without a match', { files: '*.rs' }, 'file_not_found'],
  ['an include without a match', { include: '*.rs' }, 'file_not_found'],
  ['a FIFO', { files: 'fifo' }, 'not_a_file'],
  ['no files', { files: [] }, 'invalid_args'],
] as const)('refuses %s, and changes nothing', async ([, args, error_code]) => {
  const answer = await replace(args, { f: 'old - 😀', '.env': 'old', fifo: { fifo: true } });
  expect(answer).toMatchObject({
    ok: false,
    error_code,
    after: { f: Buffer.from('old - 😀').toString('latin1'), '.env': 'old' },
  });
});

test('says when nothing matched', async () => {
  expect(await replace({ pattern: 'nowhere' }, { f: 'old' })).toMatchObject({
    ok: true,
    result: 'no matches found across any target files',
  });
});

test('writes the replacement in UTF-8 beside bytes that are not, and finds text there', async () => {
  const f = Buffer.from('f\xf6 old na\xc3\xafve\n', 'latin1');
  expect((await replace({ files: 'f', replacement: '€' }, { f })).after['f']).toBe('f\xf6 \xe2\x82\xac na\xc3\xafve\n');
  expect((await replace({ files: 'f', pattern: 'naïve', replacement: 'ö' }, { f })).after['f']).toBe(
    'f\xf6 old \xc3\xb6\n',
  );
});

test('matches ^ behind a byte order mark, and keeps the mark', async () => {
  const marked = (text: string) => Buffer.from(`\ufeff${text}`);
  const { after } = await replace({ pattern: '^old', files: ['a', 'b'] }, { a: marked('old\nold\n'), b: 'old\n' });
  expect(after).toEqual({ a: marked('new\nnew\n').toString('latin1'), b: 'new\n' });
});

test('replaces in UTF-16 text, and keeps its encoding', async () => {
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const { after } = await replace({ files: ['a', 'b'] }, { a: utf16('old ß\r\n'), b: utf16('x old').swap16() });
  expect(after).toEqual({ a: utf16('new ß\r\n').toString('latin1'), b: utf16('x new').swap16().toString('latin1') });
});

test('stops a pattern that takes too long, and takes more time if it is given', { tags: 'slow' }, async () => {
  const f = `${'a'.repeat(60)}!`;
  const args = { pattern: '(a+)+$', files: 'f' };
  const answer = await replace({ ...args, timeout: 1 }, { f });
  expect(answer).toMatchObject({ error_code: 'timeout', suggestion: expect.stringContaining('timeout'), after: { f } });
  expect(answer.error).toContain('after 1 seconds');
  expect(await replace({ ...args, timeout: 0 }, { f })).toMatchObject({ error_code: 'invalid_args' });
  expect(await replace({ ...args, timeout: 61 }, { f })).toMatchObject({ error_code: 'invalid_args' });
});

test.for([
  ['half of a surrogate pair', { replacement: '\ud83d' }, 'invalid_args'],
  ['a version of a file that is not among them', { files: 'f', if_versions: { g: 'x' } }, 'invalid_args'],
  ['another version by another spelling', { files: 'f', if_versions: { './f': 'x' } }, 'stale_file'],
] as const)('refuses %s', async ([, args, error_code]) => {
  const files = { f: 'old', g: 'old' };
  expect(await replace(args, files)).toMatchObject({ error_code, after: files });
});

test('names no file in meta if none has a match', async () => {
  const files = { 'a.txt': 'x\n', 'b.txt': 'y\n', 'c.bin': 'a\0b' };
  const { result, meta } = await replace({ pattern: 'none', files: ['a.txt', 'b.txt', 'c.bin'] }, files);
  expect(result).toContain('no matches found across any target files');
  expect(meta).toMatchObject({ files: [{ path: 'c.bin', error: 'binary file' }] });
});

test('takes include and files as lists in JSON', async () => {
  const files = { 'a.py': 'old', 'b.js': 'old', 'c.go': 'old' };
  for (const args of [{ include: ['*.py', '*.js'] }, { include: '["*.py","*.js"]' }, { files: '["*.py", "b.js"]' }]) {
    expect((await replace(args, files)).after).toEqual({ 'a.py': 'new', 'b.js': 'new', 'c.go': 'old' });
  }
});
