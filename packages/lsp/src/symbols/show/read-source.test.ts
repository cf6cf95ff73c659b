import { ToolError } from '@jinn/core/errors';
import { expect, test } from 'vitest';
import { unlessRefused } from './read-source.ts';

test('gives what work gives, nothing if it is refused, and any other error', async () => {
  const told: string[] = [];
  const onRefusal = ({ message }: ToolError) => void told.push(message);
  const fail = (error: Error) => () => {
    throw error;
  };
  expect(await unlessRefused(() => 1, onRefusal)).toBe(1);
  expect(await unlessRefused(async () => 2)).toBe(2);
  expect(await unlessRefused(fail(new ToolError('file_not_found', 'gone')), onRefusal)).toBeUndefined();
  expect(await unlessRefused(async () => fail(new ToolError('file_not_found', 'gone'))())).toBeUndefined();
  await expect(unlessRefused(fail(new TypeError('a fault')), onRefusal)).rejects.toThrow('a fault');
  expect(told).toEqual(['gone']);
});
