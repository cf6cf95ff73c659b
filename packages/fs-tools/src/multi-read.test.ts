import { createSession } from '@jinn/core';
import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { multiRead } from './multi-read.ts';

const read = async (entries: object[], files: NonNullable<Parameters<typeof call>[2]>['files'] = {}) => {
  const answer = await call(multiRead, { files: entries }, { files });
  return { ...answer, data: JSON.parse(answer.result ?? 'null') };
};

test('reads each file by its own window and reports what fails beside it', async () => {
  const files = { 'a.txt': 'one\ntwo\n', 'b.txt': '', 'p.png': Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') };
  const entries = [{ path: 'a.txt', tail: 1 }, { path: 'b.txt' }, { path: 'p.png' }, { path: '.env' }, { path: 'x' }];
  const { ok, data } = await read(entries, files);
  expect(ok).toBe(true);
  expect(data).toMatchObject({
    files: { 'a.txt': '2\ttwo', 'b.txt': '' },
    errors: {
      'p.png': { error_code: 'binary_file' },
      '.env': { error_code: 'path_outside_sandbox' },
      x: { error_code: 'file_not_found' },
    },
    truncation: {},
  });
});

test('reads an SVG as its text, and a notebook as its cells', async () => {
  const data = 'aGVsbG8gd29ybGQh'.repeat(500);
  const cell = { cell_type: 'code', source: 'plot()', outputs: [{ data: { 'image/png': data } }] };
  const files = { 'd.svg': '<svg/>', 'n.ipynb': JSON.stringify({ cells: [cell] }) };
  const { data: answer } = await read([{ path: 'd.svg' }, { path: 'n.ipynb', end_line: 2 }], files);
  expect(answer.files['d.svg']).toBe('1\t<svg/>');
  expect(answer.files['n.ipynb']).toMatch(/^1\t# %% \[1\] python\n2\tplot\(\)\n\[Showing lines 1-2 of 4/);
});

test('lets the last of two entries for one path win, also when it fails', async () => {
  const entries = [{ path: 'a.txt' }, { path: 'b.txt' }, { path: 'a.txt', start_line: 9 }];
  const { data, meta } = await read(entries, { 'a.txt': 'a', 'b.txt': 'b' });
  expect(Object.keys(data.files)).toEqual(['b.txt']);
  expect(data.errors['a.txt'].error_code).toBe('invalid_args');
  expect(meta).toMatchObject({ warnings: ['named several times, and read as the last entry says: a.txt'] });
  expect((await read([{ path: 'a.txt' }], { 'a.txt': 'a' })).meta).not.toHaveProperty('warnings');
});

test('gives a model every entry for one path', async () => {
  const entries = [
    { path: 'a.txt', end_line: 1 },
    { path: 'b.txt' },
    { path: 'a.txt', tail: 1 },
    { path: 'a.txt', start_line: 9 },
  ];
  const options = { files: { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b' }, maxResult: 4_000 };
  const { result, meta } = await call(multiRead, { files: entries }, options);
  expect(result).toMatch(
    /^\[a\.txt\]\n1\tone\n\[Showing[^\n]*\]\n\n\[b\.txt\]\n1\tb\n\n\[a\.txt\]\n3\tthree\n\n\[a\.txt was not read: invalid_args: /,
  );
  expect(meta).not.toHaveProperty('warnings');
});

test('fails only when all fail, and says why each did', async () => {
  const { ok, error } = await read([{ path: 'x' }, { path: 'y' }]);
  expect(ok).toBe(false);
  expect(error).toBe('all 2 files failed: file not found: x; file not found: y');
});

test('keeps the whole answer under 512 KB', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `f${i}`);
  const files = Object.fromEntries(names.map((name) => [name, 'some words on a line\n'.repeat(1999)]));
  const { data } = await read(
    names.map((path) => ({ path })),
    files,
  );
  expect(Object.values<string>(data.files).join('').length).toBeLessThan(520 * 1024);
  expect(data.errors.f19.error_code).toBe('resource_limit');
});

test.for([[[]], [Array.from({ length: 21 }, () => ({ path: 'a' }))]])(
  'refuses a list of no or too many files',
  async ([entries]) => {
    expect(await read(entries ?? [])).toMatchObject({ ok: false, error_code: 'invalid_args' });
  },
);

test('gives a model the files as they stand, in the order in which they were asked for', async () => {
  const files = { 'a.txt': 'say "hi"\n', 'b.txt': 'two' };
  const entries = ['b.txt', 'nope', 'a.txt'].map((path) => ({ path, line_numbers: false }));
  const options = { files, maxResult: 4_000 };
  const { result, meta } = await call(multiRead, { files: entries }, options);
  expect(result).toMatch(
    /^\[b\.txt\]\ntwo\n\n\[nope was not read: file_not_found: [^\n]*\]\n\n\[a\.txt\]\nsay "hi"\n$/,
  );
  expect(meta).toMatchObject({ versions: { 'a.txt': expect.any(String) } });
  const session = createSession({ endsWithCall: true });
  const alone = await call(multiRead, { files: entries }, { ...options, session });
  expect(alone.result).toMatch(/^\[b\.txt, version \S+\]\ntwo\n/);
});
