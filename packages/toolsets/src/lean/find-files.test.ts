import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findFiles } from './find-files.ts';
import { forModel } from './for-model.ts';

const files = { 'src/a.ts': '', 'src/deep/b.ts': '', 'README.md': '' };
const tool = forModel(findFiles);

test('finds files by a glob, a path a line, and lists a directory without one', async () => {
  expect((await call(tool, { pattern: '*.ts' }, { files })).result).toBe('src/a.ts\nsrc/deep/b.ts');
  expect((await call(tool, { pattern: '*.ts', limit: 1 }, { files })).result).toBe(
    'src/a.ts\n[1 of 2 files; pass offset: 1 for the next files]',
  );
  expect((await call(tool, { pattern: '*.go' }, { files })).result).toBe('[no files: no file matches the pattern]');
  expect((await call(tool, {}, { files })).result).toBe('README.md\nsrc/\n  a.ts\n  deep/\n    b.ts');
  expect((await call(tool, { path: 'src', depth: 1 }, { files })).result).toBe('a.ts\ndeep/');
});

test.each([
  [{ pattern: '*', depth: 2 }, 'depth does not go with pattern'],
  [{ hidden: true }, 'hidden needs a pattern'],
  [{ sort: 'modified' }, 'sort needs a pattern'],
])('refuses %j', async (args, error) => {
  expect(await call(tool, args, { files })).toMatchObject({ ok: false, error_code: 'invalid_args', error });
});
