import { expect, test } from 'vitest';
import { ToolError } from './errors.ts';
import { fromReadError, fromSystemError } from './system-error.ts';

test.each([
  ['ENOENT', 'file_not_found', 'file not found: a/b'],
  ['EACCES', 'permission_denied', 'permission denied: a/b'],
  ['EPERM', 'permission_denied', 'permission denied: a/b'],
  ['ELOOP', 'conflict', 'the path changed while it was being opened: a/b'],
  ['ENOTDIR', 'conflict', 'the path changed while it was being opened: a/b'],
  ['ENAMETOOLONG', 'invalid_args', 'path: a name in it is too long for the file system'],
  ['EMFILE', 'resource_limit', 'too many open files'],
  ['ENFILE', 'resource_limit', 'too many open files'],
  ['EIO', 'not_a_file', 'could not read a/b: the disk or the file reports an error'],
])('tells %s as %s, and keeps it for the log', (code, expected, message) => {
  const error = Object.assign(new Error(`${code}: /home/somebody/a/b`), { code });
  expect(fromSystemError(error, 'a/b')).toMatchObject({ code: expected, message, cause: error });
});

test('leaves a refusal as it is', () => {
  const refusal = new ToolError('conflict', 'no');
  expect(fromSystemError(refusal, 'a')).toBe(refusal);
});

const systemError = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ['EINVAL', 'not_a_file', 'could not read a: the system answers EINVAL'],
  ['EIO', 'not_a_file', 'could not read a: the disk or the file reports an error'],
  ['EPERM', 'permission_denied', 'permission denied: a'],
])('tells %s on reading as %s', (code, expected, message) => {
  expect(fromReadError(systemError(code), 'a')).toMatchObject({ code: expected, message });
});

test('leaves a fault of jinn on reading as it is', () => {
  const [closed, other] = [systemError('EBADF'), new RangeError('x')];
  expect([fromReadError(closed, 'a'), fromReadError(other, 'a')]).toEqual([closed, other]);
});
