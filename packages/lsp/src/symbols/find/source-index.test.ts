import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TrigramFilter, trigramsOf } from './source-index.ts';

const holds = (text: string, path: string) => new TrigramFilter(Buffer.from(text)).mayHold(trigramsOf(path));

test('never denies a name that is there, whatever its case', () => {
  const name = fc.stringMatching(/^[\w$]{1,12}$/);
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), name, fc.string({ maxLength: 200 }), (before, word, after) => {
      expect(holds(`${before}${word}${after}`, word.toUpperCase())).toBe(true);
      expect(holds(`${before}${word}${after}`, word.toLowerCase())).toBe(true);
    }),
  );
});

test('denies most names that are not there', () => {
  const text = Array.from({ length: 200 }, (_, i) => `function handle${i}(value) { return value + ${i}; }`).join('\n');
  const filter = new TrigramFilter(Buffer.from(text));
  const names = ['createServer', 'isAbsolute', 'quickBrown', 'jumpsOver', 'lazyDog', 'unknownName'];
  expect(names.filter((name) => filter.mayHold(trigramsOf(name)))).toEqual([]);
});

test('looks at all parts of a path, and not at its index', () => {
  expect(holds('class Store { add() {} }', 'Store/add[123]')).toBe(true);
  expect(holds('class Store { add() {} }', 'Store/remove')).toBe(false);
  expect(holds('class Store { add() {} }', 'é/ab')).toBe(true);
});
