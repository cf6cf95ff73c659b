import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { diffLines, type LineChange } from './line-diff.ts';

const diff = (a: readonly number[], b: readonly number[], maxEdits: number) =>
  diffLines(a.map(String), b.map(String), maxEdits);

/** Puts the changes into the first side. */
function applied(a: readonly number[], b: readonly number[], changes: readonly LineChange[]): number[] {
  let next = 0;
  const result = changes.flatMap(({ start, end, otherStart, otherEnd }) => {
    expect(start).toBeGreaterThanOrEqual(next);
    const kept = a.slice(next, start);
    next = end;
    return [...kept, ...b.slice(otherStart, otherEnd)];
  });
  return [...result, ...a.slice(next)];
}

function commonLength(a: readonly number[], b: readonly number[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    const next = [0];
    b.forEach(
      (other, i) =>
        void next.push(line === other ? (row[i] as number) + 1 : Math.max(row[i + 1] as number, next[i] as number)),
    );
    row = next;
  }
  return row.at(-1) as number;
}

const editsOf = (changes: readonly LineChange[]) =>
  changes.reduce((sum, { start, end, otherStart, otherEnd }) => sum + end - start + otherEnd - otherStart, 0);

const lines = (most: number) => fc.array(fc.nat(most), { maxLength: 40 });

test('the changes turn one side into the other, and there are no fewer', () => {
  fc.assert(
    fc.property(fc.oneof(fc.tuple(lines(3), lines(3)), fc.tuple(lines(30), lines(30))), ([a, b]) => {
      const changes = diff(a, b, 1_000);
      expect(applied(a, b, changes)).toEqual(b);
      expect(editsOf(changes)).toBe(a.length + b.length - 2 * commonLength(a, b));
    }),
    { numRuns: 2_000 / inject('runsDivisor') },
  );
});

test('the changes turn one side into the other when few edits may be searched', () => {
  fc.assert(
    fc.property(lines(8), lines(8), fc.nat(4), (a, b, maxEdits) => {
      expect(applied(a, b, diff(a, b, maxEdits))).toEqual(b);
    }),
    { numRuns: 2_000 / inject('runsDivisor') },
  );
});

test('takes all lines from the first to the last that differ for one change if too much differs', () => {
  const a = [9, 1, 1, 50, 2, 2, 51, 3, 8];
  const b = [9, 4, 4, 50, 5, 5, 51, 6, 8];
  expect(diff(a, b, 4)).toEqual([{ start: 1, end: 8, otherStart: 1, otherEnd: 8 }]);
  expect(diff(a, b, 10)).toHaveLength(3);
});
