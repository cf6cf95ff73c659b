import { expect, test } from 'vitest';
import { LAYERS, parseContextRules } from './context-rule.ts';
import { defaultRules } from './default-rules.ts';

test('the built-in rules are what a rule file with their lines would say', () => {
  const lines = defaultRules().map(({ text }) => text);
  const source = { file: 'built-in rules', base: '', layer: LAYERS.builtIn };
  const { rules, warnings } = parseContextRules(Buffer.from(lines.join('\n')), source);
  expect(defaultRules()).toEqual(rules);
  expect(warnings).toEqual([]);
  expect(lines).toHaveLength(36);
});
