import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { readFile } from './read-file.ts';

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

test('numbers lines, right-justified to the last one shown', async () => {
  const answer = await call(readFile, { path: 'a.txt', start_line: 9 }, { files: { 'a.txt': lines(10) } });
  expect(answer).toMatchObject({ ok: true, result: ' 9\tline 9\n10\tline 10' });
});

test('gives an empty result for an empty file', async () => {
  expect(await call(readFile, { path: 'a.txt' }, { files: { 'a.txt': '' } })).toMatchObject({ ok: true, result: '' });
});

test('shows the first 2,000 lines of a long file and says where to continue', async () => {
  const { result } = await call(readFile, { path: 'a.txt' }, { files: { 'a.txt': lines(2500) } });
  expect(result).toMatch(
    /2000\tline 2000\n\[Showing lines 1-2000 of 2500\. Use start_line=2001 to continue\. Remainder/,
  );
});

test('keeps the end for truncate tail', async () => {
  const { result } = await call(readFile, { path: 'a.txt', truncate: 'tail' }, { files: { 'a.txt': lines(3000) } });
  expect(result).toMatch(/^1001\tline 1001\n/);
  expect(result).toContain('3000\tline 3000\n[Showing lines 1001-3000 of 3000. Use start_line=1 to continue.');
});

test('keeps both ends for truncate middle', async () => {
  const { result } = await call(readFile, { path: 'a.txt', truncate: 'middle' }, { files: { 'a.txt': lines(3000) } });
  expect(result).toContain('1000\tline 1000\n[... lines 1001-2000 left out ...]\n2001\tline 2001\n');
});

test('cuts between blocks for truncate smart', async () => {
  const block = 'fn f() {\n  a()\n  b()\n  c()\n  d()\n  e()\n}\n\n';
  const { result } = await call(
    readFile,
    { path: 's.rs', truncate: 'smart' },
    { files: { 's.rs': block.repeat(400) } },
  );
  expect(result).toMatch(/\t(}|)\n\[Showing lines/);
});

test('counts lines beyond what is held at once', async () => {
  const answer = await call(readFile, { path: 'a.txt', tail: 1 }, { files: { 'a.txt': lines(100_000) } });
  expect(answer.result).toBe('100000\tline 100000');
});

test('gives raw lines exactly, with the final newline', async () => {
  const files = { 'a.txt': 'a\r\nb\n\n' };
  expect(await call(readFile, { path: 'a.txt', line_numbers: false }, { files })).toMatchObject({
    result: 'a\r\nb\n\n',
  });
});

test('answers unchanged while the version is the same', async () => {
  const files = { 'a.txt': 'x' };
  const { meta } = await call(readFile, { path: 'a.txt' }, { files });
  const { version } = meta as { version: string };
  expect(await call(readFile, { path: 'a.txt', if_version: version }, { files })).toMatchObject({
    result: 'unchanged',
  });
});

test.for([
  ['a missing file', { path: 'nope.txt' }, 'file_not_found'],
  ['a path that climbs out', { path: '../x' }, 'path_outside_sandbox'],
  ['an absolute path', { path: '/etc/passwd' }, 'path_outside_sandbox'],
  ['a secret', { path: 'sub/.ENV' }, 'path_outside_sandbox'],
  ['a link out', { path: 'out' }, 'path_outside_sandbox'],
  ['a link named like a secret', { path: '.env.d' }, 'path_outside_sandbox'],
  ['a FIFO', { path: 'fifo' }, 'not_a_file'],
  ['a directory', { path: '.' }, 'not_a_file'],
  ['a path below a file', { path: 'a.txt/b' }, 'not_a_directory'],
  ['links in a circle', { path: 'loop' }, 'file_not_found'],
  ['an empty path', { path: '' }, 'invalid_args'],
  ['a NUL', { path: 'a\0' }, 'invalid_args'],
  ['a PDF', { path: 'd.pdf' }, 'binary_file'],
  ['a start past the end', { path: 'a.txt', start_line: 9 }, 'invalid_args'],
  ['an end before the start', { path: 'a.txt', start_line: 2, end_line: 1 }, 'invalid_args'],
  ['an argument it does not know', { path: 'a.txt', file: 1 }, 'invalid_args'],
] as const)('refuses %s', async ([, args, code]) => {
  const files = {
    'a.txt': 'one\ntwo\n',
    'd.pdf': '%PDF-1.4',
    out: { symlink: '/etc/passwd' },
    '.env.d': { symlink: 'a.txt' },
    loop: { symlink: 'loop' },
    fifo: { fifo: true },
  } as const;
  expect(await call(readFile, args, { files })).toMatchObject({ ok: false, error_code: code });
});

test.for([
  ['gzip archive', '\x1f\x8b\x08\0'],
  ['SQLite database', 'SQLite format 3\0'],
  ['MP4 video', '\0\0\0\x10ftypisom\0\0\0\0mif1'],
  ['AVIF image', '\0\0\0\x1cftypavif\0\0\0\0avifmif1'],
  ['AVIF image', '\0\0\0\x1cftypmif1\0\0\0\0mif1avif'],
  ['HEIC image', '\0\0\0\x18ftypheic\0\0\0\0mif1heic'],
  ['binary', 'a\0'],
] as const)('answers a binary file with the same line, and says in meta what it is: %s', async ([kind, bytes]) => {
  const content = Buffer.from(bytes, 'latin1');
  expect(await call(readFile, { path: 'f' }, { files: { f: content } })).toMatchObject({
    result: `[binary file: ${content.length} bytes — use checksum_tree for integrity or skip content reads]`,
    meta: { kind },
  });
});

test('describes an image over 5 MB, and sends it if it is asked for', async () => {
  const png = Buffer.alloc(5 * 1024 * 1024 + 1, 'x');
  png.write('\x89PNG\r\n\x1a\n', 'latin1');
  const options = { files: { 'p.png': png } };
  const described = await call(readFile, { path: 'p.png' }, options);
  expect(described.result).toMatch(/^\[image: image\/png, 5242881 bytes — not sent, .* large_image: true/);
  expect(described.content).toBeUndefined();
  const sent = await call(readFile, { path: 'p.png', large_image: true }, options);
  expect(sent.content).toMatchObject([{ mimeType: 'image/png', data: expect.any(String) }]);
});

test('reads an SVG as text if lines are asked for', async () => {
  const files = { 'd.svg': '<svg>\n</svg>\n' };
  expect(await call(readFile, { path: 'd.svg', start_line: 2 }, { files })).toMatchObject({ result: '2\t</svg>' });
  expect((await call(readFile, { path: 'd.svg' }, { files })).content).toHaveLength(1);
});

const PICTURE = 'aGVsbG8gd29ybGQh'.repeat(3_000);
const NOTEBOOK = {
  cells: [
    { cell_type: 'markdown', source: ['# Title\n', `![a](data:image/png;base64,${PICTURE})`] },
    {
      cell_type: 'code',
      source: 'plot(x)',
      outputs: [{ text: 'done\n' }, { data: { 'image/png': PICTURE, 'text/plain': '<Figure>' } }],
    },
  ],
  metadata: { language_info: { name: 'python' } },
};

test('shows a notebook as cells without its data, in windows', async () => {
  const files = { 'n.ipynb': JSON.stringify(NOTEBOOK) };
  const { result, meta } = await call(readFile, { path: 'n.ipynb', line_numbers: false }, { files });
  const left = `${PICTURE.length} characters left out]`;
  expect(result).toBe(
    `# %% [1] markdown\n# Title\n![a](data:image/png;base64,[${left})\n\n# %% [2] python\nplot(x)\n# output:\ndone\n# output:\n<Figure>\n[image/png, ${left}\n[Cells of a notebook, numbered by the lines of this text. edit_file with cell edits the source of one. raw: true shows the JSON.]`,
  );
  const { lines, version } = meta as { lines: { total: number }; version: string };
  expect(lines.total).toBe(11);
  const part = await call(readFile, { path: 'n.ipynb', start_line: 5, end_line: 6 }, { files });
  expect(part.result).toMatch(
    /^5\t# %% \[2\] python\n6\tplot\(x\)\n\[Showing lines 5-6 of 11\.\]\n\[Cells of a notebook/,
  );
  expect((await call(readFile, { path: 'n.ipynb', if_version: version }, { files })).result).toBe('unchanged');
});

test('shows the JSON of a notebook and the text of an SVG if raw is set', async () => {
  const files = { 'n.ipynb': JSON.stringify({ cells: [] }), 'x.ipynb': '{"cells": 1}', 'd.svg': '<svg/>\n' };
  const read = async (path: string, raw: boolean) =>
    (await call(readFile, { path, raw, line_numbers: false }, { files })).result;
  expect(await read('n.ipynb', true)).toBe('{"cells":[]}');
  expect(await read('n.ipynb', false)).toBe('');
  expect(await read('x.ipynb', false)).toBe('{"cells": 1}');
  expect((await call(readFile, { path: 'd.svg', raw: true }, { files })).result).toBe('1\t<svg/>');
});

test.for(['utf-16le', 'utf-16be'])('reads %s with a byte order mark as text', async (encoding) => {
  const units = Buffer.from('\ufeffeins\r\nzwölf 😀\n\n', 'utf16le');
  const files = { f: encoding === 'utf-16le' ? units : units.swap16() };
  const { result, meta } = await call(readFile, { path: 'f' }, { files });
  expect(result).toBe('1\teins\r\n2\tzwölf 😀\n3\t');
  expect(meta).toMatchObject({ lines: { total: 3 } });
  expect(await call(readFile, { path: 'f', tail: 2 }, { files })).toMatchObject({ result: '2\tzwölf 😀\n3\t' });
});

test('reads what only begins like UTF-16 as bytes', async () => {
  const files = { odd: Buffer.from('\xff\xfeabc', 'latin1'), nul: Buffer.from('\xff\xfea\0\0\0', 'latin1') };
  expect((await call(readFile, { path: 'odd' }, { files })).result).toContain('1\t\ufffd\ufffdabc');
  expect((await call(readFile, { path: 'nul' }, { files })).result).toContain('[binary file');
});

test.runIf(process.platform === 'linux').each(['mem', 'pagemap'])(
  'says that the system cannot read /proc/self/%s',
  async (name) => {
    expect(await call(readFile, { path: name }, { root: '/proc/self' })).toMatchObject({
      ok: false,
      error_code: 'not_a_file',
      error: expect.stringMatching(new RegExp(`^could not read (\\S+/)?${name}: the `)),
    });
  },
);
