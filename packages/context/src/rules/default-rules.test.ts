import { expect, test } from 'vitest';
import { LAYERS, parseContextRules } from './context-rules.ts';
import { defaultRules } from './default-rules.ts';

test('the built-in rules are those of a rule file with their lines', () => {
  const lines = defaultRules().map(({ text }) => text);
  const source = { file: 'built-in rules', base: [], layer: LAYERS.builtIn };
  const warnings: string[] = [];
  const { list } = parseContextRules(Buffer.from(lines.join('\n')), source, (sentence) => warnings.push(sentence));
  expect(defaultRules()).toEqual(list.rules);
  expect(warnings).toEqual([]);
  expect(lines).toHaveLength(36);
});
