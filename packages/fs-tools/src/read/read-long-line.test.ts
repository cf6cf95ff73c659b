import { call, makeTempDirectory } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { multiRead } from '../multi-read.ts';
import { readFile } from '../read-file.ts';

const NOTE =
  /(?: \[… [\d,]+ more characters, from start_byte=\d+\])?\n\[Line \d+ [^\n]* use read_file with start_line=(\d+)(?: and|,) start_byte=(\d+)(?: and line_numbers=false)?\.\]/;

/** Reads a line by the call that each answer names for its rest, and joins what was shown. */
async function readOn(args: object, options: Parameters<typeof call>[2]): Promise<string> {
  let joined = '';
  for (let next: object | undefined = {}; next; ) {
    const { result = '', meta } = await call(readFile, { ...args, ...next, line_numbers: false }, options);
    const [note = '', start_line, start_byte] = NOTE.exec(result) ?? [];
    joined += note ? result.slice(0, result.indexOf(note)) : result;
    next = note ? { start_line: Number(start_line), start_byte: Number(start_byte) } : undefined;
    expect((meta as { cut_line?: object }).cut_line).toEqual(next);
  }
  return joined;
}

test('the rest of a line is read by the call that the answer names', async () => {
  const line = Array.from({ length: 20_000 }, (_, i) => `${i}ä😀`).join('');
  const options = { root: makeTempDirectory(), files: { 'a.txt': `first\n${line}\nlast\n` } };
  expect((await readOn({ path: 'a.txt', start_line: 2, end_line: 2 }, options)).startsWith(`${line}\n`)).toBe(true);
  const { result = '', truncated } = await call(readFile, { path: 'a.txt', start_line: 2 }, options);
  expect(truncated).toBe(true);
  const [shown, last, note] = result.split('\n');
  expect(shown?.startsWith('2\t0ä😀1ä😀')).toBe(true);
  expect([...(shown ?? '').slice(2).replace(/ \[….*/, '')].length).toBe(2_000);
  expect(shown).toMatch(/ \[… 126,890 more characters, from start_byte=3689\]$/);
  expect(note).toBe(
    '[Line 2 is cut after 2,000 characters. For the rest use read_file with start_line=2, start_byte=3689 and line_numbers=false.]',
  );
  expect(last).toBe('3\tlast');
});

test('cuts each line over 2,000 characters, and no other', async () => {
  const files = {
    'a.txt': `${'é'.repeat(2_000)}\n${'x'.repeat(2_001)}\nshort\r\n${'y'.repeat(200_000)}\n${'z'.repeat(70_000)}`,
    'm.js': 'function f(a,b){return a*7+b};'.repeat(4_000),
    'many.txt': `${'w'.repeat(9_000)}\n`.repeat(2_500),
  };
  const read = async (path: string, args: object = {}) =>
    (await call(readFile, { path, ...args }, { files })).result ?? '';
  const lines = (await read('a.txt')).split('\n');
  expect(lines[0]).toBe(`1\t${'é'.repeat(2_000)}`);
  expect(lines.slice(1, 5)).toEqual([
    `2\t${'x'.repeat(2_000)} [… 1 more characters, from start_byte=2001]`,
    '3\tshort\r',
    `4\t${'y'.repeat(2_000)} [… 198,000 more characters, from start_byte=2001]`,
    `5\t${'z'.repeat(2_000)} [… 68,000 more characters, from start_byte=2001]`,
  ]);
  expect(lines[5]).toContain('[Line 2 and 2 more are cut after 2,000 characters.');
  expect(lines).toHaveLength(6);
  for (const truncate of ['tail', 'middle', 'none', 'smart'])
    expect(await read('a.txt', { truncate })).toBe(lines.join('\n'));
  expect((await read('m.js')).length).toBeLessThan(2_300);
  expect(await read('a.txt', { tail: 1 })).toMatch(/^5\tz{2000} \[….*\n\[Line 5 is cut/);
  expect(await read('a.txt', { start_line: 4, start_byte: 199_990, end_line: 4 })).toMatch(/^4\ty{11}\n\[Showing/);
  const many = await read('many.txt');
  expect(many.split('\n').filter((line) => /^ *\d+\tw{2000} /.test(line)).length).toBeGreaterThan(20);
  const middle = await read('many.txt', { truncate: 'middle' });
  expect(middle).toMatch(/^ *1\tw{2000} .*\n\[\.\.\. lines \d+-\d+ left out \.\.\.\]\n.*\n2500\tw{2000} /s);
  expect(await read('a.txt', { line_numbers: false, start_line: 2, start_byte: 2, end_line: 2 })).toMatch(
    /^x{2000}\n\[Showing/,
  );
});

test('lines follow what is left of the first one', async () => {
  const files = { 'a.txt': 'abcdef\nghi\njkl\n' };
  const read = async (args: object) => (await call(readFile, { path: 'a.txt', ...args }, { files })).result;
  expect(await read({ start_byte: 4 })).toBe('1\tdef\n2\tghi\n3\tjkl');
  expect(await read({ start_line: 2, start_byte: 3, end_line: 2 })).toMatch(/^2\ti\n\[Showing lines 2-2 of 3\./);
  expect(await read({ start_line: 2, start_byte: 4, end_line: 2 })).toMatch(/^2\t\n\[Showing/);
  for (const start_byte of [0, 1]) expect(await read({ start_line: 3, start_byte })).toBe('3\tjkl');
  for (const truncate of ['head', 'tail', 'middle', 'none', 'smart']) {
    expect(await read({ start_byte: 4, truncate })).toBe('1\tdef\n2\tghi\n3\tjkl');
  }
});

test('a byte within a character begins at that character, and any other where it is', async () => {
  const files = { 'a.txt': 'aä😀b', 'odd.txt': Buffer.from('a\x80\x80\x80\x80\x80b', 'latin1') };
  const read = async (path: string, start_byte: number) =>
    (await call(readFile, { path, start_byte, line_numbers: false }, { files })).result?.split('\n')[0];
  const shown = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((byte) => read('a.txt', byte)));
  expect(shown).toEqual(['aä😀b', 'ä😀b', 'ä😀b', '😀b', '😀b', '😀b', '😀b', 'b']);
  expect(await read('odd.txt', 5)).toBe('\ufffd\ufffdb');
});

test('the pages of any line join to it', async () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }).filter((line) => !/[\n\r\0]/.test(line));
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 700, max: 900 }), async (line, maxResult) => {
      const long = line.repeat(Math.ceil(2_000 / line.length));
      const options = { root: makeTempDirectory(), files: { 'a.txt': long }, maxResult };
      expect((await readOn({ path: 'a.txt' }, options)) === long).toBe(true);
    }),
    { numRuns: 30 / inject('runsDivisor') },
  );
});

test('the rest of a long line in a remainder is read too', async () => {
  const line = 'x'.repeat(120_000);
  const root = makeTempDirectory();
  const options = { root, state: makeTempDirectory(), files: { 'a.txt': `${'short\n'.repeat(2_500)}${line}` } };
  const { meta } = await call(readFile, { path: 'a.txt' }, options);
  const { remainder } = (meta as { truncation: { remainder: string } }).truncation;
  expect(await readOn({ path: remainder, start_line: 501 }, options)).toBe(line);
});

test('the rest of a long line of a UTF-16 file and of a cell of a notebook is read too', async () => {
  const words = 'zwölf '.repeat(20_000);
  const notebook = JSON.stringify({ cells: [{ cell_type: 'raw', source: words }] });
  const options = {
    root: makeTempDirectory(),
    files: { 'u.txt': Buffer.from(`\ufeff${words}`, 'utf16le'), 'n.ipynb': notebook },
  };
  expect(await readOn({ path: 'u.txt' }, options)).toBe(words);
  expect((await readOn({ path: 'n.ipynb', start_line: 2 }, options)).replaceAll(/\n\[Cells[^\n]*/g, '')).toBe(words);
});

test('multi_read names the call of read_file', async () => {
  const options = { root: makeTempDirectory(), files: { 'a.txt': 'y'.repeat(100_000) } };
  const { result = '' } = await call(multiRead, { files: [{ path: 'a.txt', line_numbers: false }] }, options);
  const [note, start_line, start_byte] = NOTE.exec(JSON.parse(result).files['a.txt']) ?? [];
  expect(note).toBeDefined();
  const next = { path: 'a.txt', start_line: Number(start_line), start_byte: Number(start_byte), line_numbers: false };
  expect((await call(readFile, next, options)).result).toMatch(
    /^y+\n\[Line 1 is 100000 bytes long, of which 2001-53200 are/,
  );
});

test.each([
  [{ start_byte: 8 }, 'line 1 of a.txt has 7 bytes, start_byte 8 is past its end', 'use a start_byte up to 7,'],
  [{ start_line: 2, start_byte: 9 }, 'line 2 of a.txt has 3 bytes, start_byte 9 is past its end', 'up to 3'],
  [{ start_byte: 2, tail: 1 }, 'start_byte does not go with tail', 'name the line by start_line'],
  [{ start_byte: -1 }, 'read_file: start_byte: Too small', 'a valid call'],
])('refuses %j', async (args, error, suggestion) => {
  expect(await call(readFile, { path: 'a.txt', ...args }, { files: { 'a.txt': 'abcdef\nghi' } })).toMatchObject({
    ok: false,
    error_code: 'invalid_args',
    error: expect.stringContaining(error),
    suggestion: expect.stringContaining(suggestion),
  });
});
