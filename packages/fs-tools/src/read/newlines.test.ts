import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { createLineCounter } from './text-content.ts';

test('counts the lines before growing offsets, near and far', () => {
  const part = fc.oneof(
    fc.constant('\n'),
    fc.nat(9_000).map((length) => 'x'.repeat(length)),
    fc.constant('\n'.repeat(300_000)),
  );
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 8 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
      (parts, places) => {
        const text = parts.join('');
        const lineOf = createLineCounter(text);
        for (const offset of places.map((place) => Math.floor(place * text.length)).sort((a, b) => a - b)) {
          expect(lineOf(offset)).toBe(text.slice(0, offset).split('\n').length);
        }
      },
    ),
    { numRuns: 60 / inject('runsDivisor') },
  );
});
