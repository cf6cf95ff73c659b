import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { decodeWithForeign, foreignByte, splitForeign } from './foreign-bytes.ts';
import { createReplace, GrowingBytes } from './replace-text.ts';

function bytesOf(text: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text as string));
}

/** Writes a text as bytes, each lone surrogate as the byte that it stands for. */
function encode(text: string): Buffer {
  return Buffer.concat(
    splitForeign(text).map((part) => {
      const byte = foreignByte(part);
      return byte === undefined ? Buffer.from(part) : Buffer.of(byte);
    }),
  );
}

test('every sequence of bytes is a text, and comes back from it', () => {
  const bytes = fc.oneof(
    fc.uint8Array(),
    fc
      .array(
        fc.constantFrom([0xe0, 0x9f], [0xed, 0xa0, 0x80], [0xf4, 0x90], [0xc3, 0xa9], [0xf0, 0x9f, 0x98, 0x80], [0x61]),
      )
      .map((parts) => Uint8Array.from(parts.flat())),
  );
  fc.assert(
    fc.property(bytes, (before) => {
      const text = decodeWithForeign(Uint8Array.from(before));
      expect(encode(text).equals(before)).toBe(true);
      expect(text.replace(/[\udc80-\udcff]/gu, '\ufffd').isWellFormed()).toBe(true);
    }),
  );
});

test('text of any length grows to its bytes, up to the limit', () => {
  const parts = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }));
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 4_000 }), (texts, times) => {
      const text = texts.join('').repeat(times);
      const output = new GrowingBytes(new ArrayBuffer(8), 1e7);
      const added = Array.from({ length: times }, () => texts.every((each) => output.add(each)));
      expect([...new Set(added), output.add(text)]).toEqual([true, true]);
      expect(output.flush()).toBe(true);
      expect(Buffer.from(output.buffer, 0, output.length).equals(Buffer.from(text + text))).toBe(true);
    }),
    { numRuns: 20 / inject('runsDivisor') },
  );
  const full = new GrowingBytes(new ArrayBuffer(8), 5);
  expect(full.add('éé')).toBe(true);
  expect(full.flush()).toBe(true);
  expect(full.add('éé')).toBe(true);
  expect(full.flush()).toBe(false);
  expect(full.add('x'.repeat(70_000))).toBe(false);
});

test('replaces in one text after another, over the buffer of each', () => {
  const replace = createReplace({ pattern: '(?<x>b)|c', flags: 'gv', replacement: ['[', 1, "$'|", 0, ']'] });
  const inText = (text: string) => {
    const { buffer, length, ...found } = replace({ bytes: bytesOf(text), maxBytes: 100 });
    return { ...found, text: buffer && Buffer.from(buffer, 0, length).toString() };
  };
  expect(inText('a\nb')).toEqual({ count: 1, firstLine: 2, lastLine: 2, text: "a\n[b$'|b]" });
  expect(inText('c')).toEqual({ count: 1, firstLine: 1, lastLine: 1, text: "[$'|c]" });
  expect(inText('none')).toMatchObject({ count: 0, text: undefined });
  expect(inText('b'.repeat(60))).toMatchObject({ count: expect.any(Number), text: undefined });
});
