import { expect, test } from 'vitest';
import { nearestArgument } from './nearest-argument.ts';

test.each([
  ['paht', ['path', 'limit'], 'path'],
  ['File_Path', ['path', 'limit'], 'path'],
  ['wait_for_previous', ['path', 'limit'], undefined],
  ['offset', ['path'], undefined],
])('%s among %j is %s', (unknown, names, meant) => {
  expect(nearestArgument(unknown, names)).toBe(meant);
});
