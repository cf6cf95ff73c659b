import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitJson, jsonBytes, linesThatFit } from './fit-json.ts';

const text = fc.string({ unit: 'binary', maxLength: 300 });
const item = fc.record({ name: text, line: fc.nat(), body: text, children: fc.array(text, { maxLength: 5 }) });
const data = fc.record({ items: fc.array(item, { maxLength: 20 }), total: fc.nat(), hint: text });

test('cut data fits, and has the members that it had', () => {
  fc.assert(
    fc.property(data, fc.integer({ min: 400, max: 5_000 }), (value, maxBytes) => {
      const fitted = fitJson(value, maxBytes) as typeof value;
      expect(jsonBytes(fitted)).toBeLessThanOrEqual(maxBytes);
      expect(Object.keys(fitted)).toEqual(Object.keys(value));
      expect(fitted.total).toBe(value.total);
      if (jsonBytes(value) <= maxBytes) expect(fitted).toEqual(value);
      const whole = fitted.items.length > 1 ? fitted.items : [];
      expect(whole).toEqual(value.items.slice(0, whole.length));
    }),
  );
});

test('lines that fit are the first ones, whole, and as many as there is room for', () => {
  fc.assert(
    fc.property(fc.array(text), fc.nat(600), (lines, maxBytes) => {
      const all = lines.map((line) => `${line.replaceAll('\n', '')}\n`);
      const shown = linesThatFit(all.join(''), maxBytes);
      const count = shown.split('\n').length - 1;
      expect(shown).toBe(all.slice(0, count).join(''));
      if (shown !== '') expect(jsonBytes(shown)).toBeLessThanOrEqual(maxBytes);
      if (count < all.length) expect(jsonBytes(all.slice(0, count + 1).join(''))).toBeGreaterThan(maxBytes);
    }),
  );
});

test('a long text ends after a whole line if it has one, and with dots in the middle of a line', () => {
  expect(fitJson('one\ntwo\nthree', 12)).toBe('one\n');
  expect(fitJson('one two three', 12)).toBe('one two…');
  expect(fitJson('😀😀😀', 12)).toBe('😀…');
});
