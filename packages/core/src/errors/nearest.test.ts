import { expect, test } from 'vitest';
import { nearestName } from './nearest.ts';

test.each([
  ['raed_file', ['read_file', 'write_file'], 'read_file'],
  ['READ_FILE', ['read_file'], 'read_file'],
  ['a', ['b'], 'b'],
  ['ab', ['xy'], undefined],
  ['completely', ['different', 'names'], undefined],
  ['read', [], undefined],
  ['stat', ['start', 'state'], 'start'],
])('%s among %j is %s', (wanted, candidates, expected) => {
  expect(nearestName(wanted, candidates)).toBe(expected);
});
