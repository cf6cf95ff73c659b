import { expect, test } from 'vitest';
import { renameArgs } from './map-args.ts';

const aliases = { file: 'path', file_path: 'path' };

test.each([
  [{ file: 'a' }, { path: 'a' }],
  [
    { file_path: 'a', limit: 1 },
    { path: 'a', limit: 1 },
  ],
  [
    { file: 'a', path: 'b' },
    { file: 'a', path: 'b' },
  ],
  [
    { file: 'a', file_path: 'b' },
    { path: 'a', file_path: 'b' },
  ],
  [{ constructor: 'a' }, { constructor: 'a' }],
])('renames %j to %j', (args, renamed) => {
  expect(renameArgs(args, aliases)).toEqual(renamed);
});
