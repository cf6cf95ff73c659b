import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLines } from './serve-stdio.ts';

function read(chunks: readonly string[], maxBytes: number): (string | undefined)[] {
  const seen: (string | undefined)[] = [];
  const lines = createLines(maxBytes, {
    onLine: (line) => seen.push(line.toString()),
    onTooLong: () => seen.push(undefined),
  });
  for (const chunk of chunks) lines.push(Buffer.from(chunk));
  lines.end();
  return seen;
}

const pieces = fc.array(fc.stringMatching(/^[ab\n]{0,6}$/), { maxLength: 20 });

test('gives the lines of a text, however it is cut, and says which are too long', () => {
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 8 }), (chunks, maxBytes) => {
      const lines = chunks
        .join('')
        .split('\n')
        .filter((line) => line !== '');
      expect(read(chunks, maxBytes)).toEqual(lines.map((line) => (line.length > maxBytes ? undefined : line)));
    }),
  );
});

test('keeps characters together that come in two chunks', () => {
  const bytes = Buffer.from('{"a":"ä"}\n');
  const seen: string[] = [];
  const lines = createLines(99, { onLine: (line) => seen.push(line.toString()), onTooLong: () => undefined });
  for (const byte of bytes) lines.push(Buffer.of(byte));
  expect(seen).toEqual(['{"a":"ä"}']);
});
