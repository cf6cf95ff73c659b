import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { toSourceText } from './source-text.ts';

test('gives the byte of each character and of the end', () => {
  const texts = fc.array(
    fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('\ufeff', 'é', '😀', '中')),
  );
  fc.assert(
    fc.property(texts, (parts) => {
      const whole = parts.join('');
      const { text, toByte } = toSourceText(Buffer.from(whole));
      expect(text).toBe(whole);
      let unit = 0;
      for (const character of whole) {
        expect(toByte(unit)).toBe(Buffer.byteLength(whole.slice(0, unit)));
        unit += character.length;
      }
      expect(toByte(whole.length)).toBe(Buffer.byteLength(whole));
    }),
    { numRuns: 100 / inject('runsDivisor') },
  );
});

test('reads what is not UTF-8 a character a byte', () => {
  const { text, toByte } = toSourceText(Buffer.from([0x61, 0xff, 0x62]));
  expect([text, toByte(2), toByte(3)]).toEqual(['a\xffb', 2, 3]);
});
