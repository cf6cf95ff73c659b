import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TailBuffer, wholeCharacters } from './line-folder.ts';

test('keeps the end of what it is given', () => {
  const property = fc.property(
    fc.array(fc.uint8Array({ max: 127, maxLength: 40 })),
    fc.integer({ min: 1, max: 50 }),
    (chunks, max) => {
      const tail = new TailBuffer(max);
      for (const chunk of chunks) tail.push(chunk);
      const all = Buffer.concat(chunks);
      expect(tail.bytes.equals(all.subarray(Math.max(0, all.length - max)))).toBe(true);
      expect(tail.total).toBe(all.length);
    },
  );
  fc.assert(property);
});

test('starts with a whole character', () => {
  for (let max = 1; max < 12; max++) {
    const tail = new TailBuffer(max);
    tail.push(Buffer.from('aé€😀'.repeat(5)));
    expect(tail.bytes.toString()).not.toContain('\ufffd');
  }
});

test('counts no part of a character', () => {
  const bytes = Buffer.from('é😀');
  expect([0, 1, 2, 3, 4, 5, 6, 9].map((length) => wholeCharacters(bytes, length))).toEqual([0, 0, 2, 2, 2, 2, 6, 6]);
});
