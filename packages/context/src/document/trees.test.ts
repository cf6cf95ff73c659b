import { expect, test } from 'vitest';
import { drawBudgetTree } from './trees.ts';

const ranked = [
  'src/core/a.ts',
  'src/core/b.ts',
  'README.md',
  ...Array.from({ length: 40 }, (_, i) => `tests/t${i}.ts`),
];

test.for([
  [60, 'src/\n core/\n  a.ts b.ts\ntests/ 40 files\nREADME.md'],
  [40, 'src/ 2 files\ntests/ 40 files\nREADME.md'],
  [10, undefined],
] as const)('opens the directories with the best files first, in %i characters', ([most, expected]) => {
  expect(drawBudgetTree(ranked, ({ text }) => text.length <= most)?.text).toBe(expected);
});

test('has all names where there is room', () => {
  const tree = drawBudgetTree(ranked, () => true);
  expect(tree?.text.match(/\bt\d+\.ts/g)).toHaveLength(40);
});
