import { expect, test } from 'vitest';
import { visitInTurns } from './in-turns.ts';

test.for([
  [3, []],
  [4, [0, 3]],
  [7, [0, 3, 6]],
] as const)('of %i items, visits all, and lets others have their turn where there are many', async ([count, turns]) => {
  const items = Array.from({ length: count }, (_, i) => i);
  const visited: number[] = [];
  const seen: number[] = [];
  const checkpoint = async () => {
    seen.push(visited.length);
  };
  const waits = visitInTurns(items, checkpoint, (item) => visited.push(item), 3);
  expect(waits === undefined).toBe(turns.length === 0);
  await waits;
  expect([visited, seen]).toEqual([items, turns]);
});

test('ends with what the checkpoint throws', async () => {
  const visited: number[] = [];
  const checkpoint = async () => {
    if (visited.length > 0) throw new Error('canceled');
  };
  await expect(visitInTurns([1, 2, 3], checkpoint, (item) => visited.push(item), 2)).rejects.toThrow('canceled');
  expect(visited).toEqual([1, 2]);
});
