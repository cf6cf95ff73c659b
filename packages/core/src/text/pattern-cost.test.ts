import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stepsOf } from './pattern-cost.ts';

test.each<[pattern: string, most: number]>([
  ['^[a-z]+$', 1e4],
  ['^\\d{4}-\\d{2}-\\d{2}$', 1e3],
  ['^(low|medium|high)$', 1e5],
  ['^https?://', 1e3],
  ['^v?\\d+\\.\\d+\\.\\d+(?:-[\\w.]+)?$', Number.MAX_VALUE],
  ['^[^\\]\\\\(+]+\\(\\+$', 1e4],
  ['^(?<name>ab)*$', 1e4],
  ['(?=a)b', 1e3],
  ['^(?!.*\\.\\.)[a-z]+$', 1e6],
  ['(?<=a|b)c', 1e3],
  ['(a)\\1', 1e5],
  ['(?<n>a)\\k<n>b', 1e5],
  ['^a{2,5}$', 1e4],
  ['^(?:a|b){0}c{1}$', 1e3],
])('knows that %s ends soon', (pattern, most) => {
  expect(() => new RegExp(pattern, 'u')).not.toThrow();
  expect(stepsOf(pattern, 'u')(100)).toBeLessThanOrEqual(most);
});

test.each([
  '(a+)+',
  '(a|b)*',
  '(?:a?)*',
  '(?=(a|a)+)b',
  '(?<!(a*)*)b',
  '(a)(?:\\1)*',
  '(?<n>a)\\k<n>*',
  '((a){2,})*',
  '(a{2}b?)+',
  '(a{1,2}){2}',
])('knows nothing of %s', (pattern) => {
  expect(() => new RegExp(pattern, 'u')).not.toThrow();
  expect(stepsOf(pattern, 'u')(10)).toBe(Number.POSITIVE_INFINITY);
});

test.each(['[[a-z]--[aeiou]]+', '[\\p{L}&&[^[b]\\]\\[]]+', '[[[\\(]]\\|]+'])(
  'knows the classes of the flag v: %s',
  (pattern) => {
    const steps = stepsOf(pattern, 'v')(10);
    expect(() => new RegExp(pattern, 'v')).not.toThrow();
    expect(steps).toBe(stepsOf('a+', 'u')(10));
  },
);

const atom = fc.constantFrom(
  ...['a', 'b', '.', '[ab]', '\\w', '(a)', '(?:ab)', '(a|ab)', '\\u{61}', '(?<n>b)', '^', '$'],
  ...['(?=a*)', '(?!b|ab)', '(?<=a+)', '(?<!b)'],
);
const quantified = fc
  .tuple(atom, fc.constantFrom('', '', '?', '*', '+', '{2}', '{1,3}', '*?', '{2,}?'))
  .map(([part, quantifier]) => (/^(?:[\^$]$|\(\?<?[=!])/.test(part) ? part : part + quantifier));

test('what is matched at once ends soon, whatever the pattern', () => {
  const patterns = fc.array(quantified, { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(patterns, fc.integer({ min: 0, max: 3_000 }), (pattern, length) => {
      if (pattern.split('(?<n>').length > 2 || stepsOf(pattern, 'u')(length + 1) > 5_000_000) return;
      const before = process.cpuUsage();
      new RegExp(pattern, 'u').test(`${'a'.repeat(length)}!`);
      expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
    }),
  );
});
