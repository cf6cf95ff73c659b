import { expect, test } from 'vitest';
import { CompiledFiles } from './cascade.ts';
import { parseRules } from './rule-file.ts';
import { RuleList } from './rule-list.ts';

const compile = (lines: number) => () => {
  const { rules, faults } = parseRules(Buffer.from('a\n'.repeat(lines)), 'f', 'includes');
  return { list: new RuleList(rules), faults };
};

test('compiles a file once', () => {
  const files = new CompiledFiles();
  const first = files.get('a', compile(20_000));
  files.get('b', compile(10));
  expect(files.get('a', compile(1))).toBe(first);
});

test('keeps no more than the memory that it may take', () => {
  const files = new CompiledFiles();
  const first = files.get('0', compile(20_000));
  for (let i = 1; i < 3; i++) files.get(String(i), compile(20_000));
  expect(files.get('0', compile(1))).not.toBe(first);
});
