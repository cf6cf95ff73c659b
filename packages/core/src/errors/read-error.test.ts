import { expect, test } from 'vitest';
import { fromReadError } from './read-error.ts';

const systemError = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ['EINVAL', 'not_a_file', 'could not read a: the system answers EINVAL'],
  ['EIO', 'not_a_file', 'could not read a: the disk or the file reports an error'],
  ['EPERM', 'permission_denied', 'permission denied: a'],
])('tells %s as %s', (code, expected, message) => {
  expect(fromReadError(systemError(code), 'a')).toMatchObject({ code: expected, message });
});

test('leaves a fault of jinn as it is', () => {
  const [closed, other] = [systemError('EBADF'), new RangeError('x')];
  expect([fromReadError(closed, 'a'), fromReadError(other, 'a')]).toEqual([closed, other]);
});
