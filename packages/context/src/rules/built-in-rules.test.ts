import { RuleList } from '@jinn/workspace/walk';
import { expect, test } from 'vitest';
import { defaultRules, omissionRules } from './built-in-rules.ts';
import { LAYERS, parseContextRules } from './context-rules.ts';

const list = new RuleList(omissionRules());
const find = (name: string, isDirectory = false) => list.find({ directory: [], depth: 0 }, name, isDirectory)?.pattern;

test('each of the rules leaves out what it names', () => {
  for (const { pattern, directoriesOnly } of omissionRules()) {
    expect(find(pattern.replace('*', 'a'), directoriesOnly)).toBe(pattern);
  }
});

test('a rule for minified files wins over the one for SVG, which lets small files through', () => {
  expect([find('a.svg'), find('a.min.svg')]).toEqual(['*.svg', '*.min.svg']);
});

test('no rule leaves out what only looks like it', () => {
  for (const name of ['block.ts', 'clock.js', 'summary.md', 'map.go', 'main.rs', 'generated.ts', 'min.js', 'lock']) {
    expect([name, find(name)]).toEqual([name, undefined]);
  }
});

test('the built-in rules are those of a rule file with their lines', () => {
  const lines = defaultRules().map(({ text }) => text);
  const source = { file: 'built-in rules', base: [], layer: LAYERS.builtIn };
  const warnings: string[] = [];
  const { list } = parseContextRules(Buffer.from(lines.join('\n')), source, (sentence) => warnings.push(sentence));
  expect(defaultRules()).toEqual(list.rules);
  expect(warnings).toEqual([]);
  expect(lines).toHaveLength(36);
});
