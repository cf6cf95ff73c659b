import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stripVisualizations } from './script-result.ts';

test('removes visualizations at every depth, and keeps all else', () => {
  const value = JSON.parse(
    '{"b":1,"_visualization":{"type":"none"},"a":[{"_visualization":1,"__proto__":{"x":[2,{"_visualization":3}]}},null],"__proto__":4}',
  );
  const text = '{"b":1,"a":[{"__proto__":{"x":[2,{}]}},null],"__proto__":4}';
  expect(JSON.stringify(stripVisualizations(value))).toBe(text);
});

test('leaves every JSON value without visualizations as it is', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      const value = JSON.parse(text);
      expect(JSON.stringify(stripVisualizations(value))).toBe(JSON.stringify(value));
    }),
  );
});

test('leaves no visualization in any JSON value', () => {
  const key = fc.constantFrom('_visualization', '__proto__', 'a');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, fc.integer(), tie('object'), fc.array(tie('value'))),
    object: fc.array(fc.tuple(key, tie('value'))).map((members) => Object.fromEntries(members)),
  }));
  fc.assert(
    fc.property(value, (given) => {
      const kept = JSON.stringify(given, (name, member) => (name === '_visualization' ? undefined : member));
      expect(JSON.stringify(stripVisualizations(given))).toBe(kept);
    }),
  );
});

test('refuses a value that is nested too deeply', () => {
  const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
  expect(stripVisualizations(nested(500))).toEqual(nested(500));
  for (const depth of [501, 100_000]) {
    expect(() => stripVisualizations(nested(depth))).toThrow('the output is nested deeper than 500 levels');
  }
});
