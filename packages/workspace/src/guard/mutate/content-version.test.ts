import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createVersionDigest } from './read-records.ts';

function versionOf(chunks: readonly Uint8Array[]): string {
  const digest = createVersionDigest();
  for (const chunk of chunks) digest.update(chunk);
  return digest.digest();
}

test('is the length and the CRC-32, however the content is cut', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });
  fc.assert(
    fc.property(chunks, (parts) => {
      const all = Buffer.concat(parts);
      expect(versionOf(parts)).toBe(`${all.length.toString(36)}-${crc32(all).toString(36)}`);
      expect(versionOf([all])).toBe(versionOf(parts));
    }),
  );
});

test('is the same on both sides of the size from which the library sums', () => {
  for (const size of [16_383, 16_384, 16_385]) {
    const bytes = Buffer.alloc(size, 'jinn');
    expect(versionOf([bytes])).toBe(`${size.toString(36)}-${crc32(bytes).toString(36)}`);
    expect(versionOf([bytes.subarray(0, 5), bytes.subarray(5)])).toBe(versionOf([bytes]));
  }
});
