import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { forModel } from './for-model.ts';
import { readFile } from './read-file.ts';

const files = { 'a.txt': 'one\ntwo\n', 'b.txt': 'three\nfour\n', 'c.ts': 'function f() {\n  return 1;\n}\n' };
const tool = forModel(readFile);

test('reads one file, or several as text', async () => {
  expect((await call(tool, { path: 'a.txt' }, { files })).result).toBe('1\tone\n2\ttwo');
  expect((await call(tool, { path: ['a.txt'], line_numbers: false }, { files })).result).toMatch(/^one\ntwo/);
  const { result } = await call(tool, { path: ['a.txt', 'nope', 'b.txt'], end_line: 1 }, { files });
  expect(result).toMatch(/^\[a\.txt\]\n1\tone\n/);
  expect(result).toContain('[nope was not read: file_not_found:');
  expect(result).toMatch(/\[b\.txt\]\n1\tthree\n/);
});

test('takes a symbol of one file, and refuses it with several', async () => {
  const { result } = await call(tool, { path: 'c.ts', symbol: 'f' }, { files });
  expect(result).toContain('return 1;');
  expect(await call(tool, { path: ['c.ts', 'a.txt'], symbol: 'f' }, { files })).toMatchObject({
    ok: false,
    error_code: 'invalid_args',
    error: 'symbol goes with one path',
  });
});

test('an error names the tools that are served beside it', async () => {
  const { suggestion } = await call(tool, { path: ['x', 'y'] }, { files });
  expect(suggestion).toBe('use find_files to see what is there');
});
