import { compileNameFilter, FileNames } from '@jinn/walk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RuleTable } from './context-rules.ts';
import { OMISSION_SIGNS, OmissionTable, omissionRules } from './omission-rules.ts';

const rules = omissionRules();
const part = fc.constantFrom(...rules.map(({ pattern }) => pattern.replace('*', '')), 'a', '.', '_pb', 'min', 'x.y');
const name = fc
  .array(part, { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(''))
  .filter((text) => !text.startsWith('.'));

test('the table finds what the rules say, one by one', () => {
  const table = new OmissionTable({ isEmpty: false });
  const reference = new RuleTable(rules, '');
  fc.assert(
    fc.property(name, fc.boolean(), (text, isDirectory) => {
      const found = table.find(`some/${text}`, isDirectory);
      // A directory is left out by a rule for directories alone.
      const expected = reference.find(text, isDirectory);
      const isMeant = expected?.directoriesOnly === isDirectory;
      expect(found === undefined).toBe(!isMeant);
      if (found && isMeant) expect(rules).toContainEqual(found);
    }),
    { numRuns: 2_000 },
  );
  for (const { pattern, directoriesOnly } of rules) {
    expect(table.find(pattern.replace('*', 'a'), directoriesOnly)?.pattern).toBe(pattern);
  }
  expect(new OmissionTable({ isEmpty: true }).find('Cargo.lock', false)).toBeUndefined();
});

test('the signs let every name through that a rule for files matches', () => {
  const filter = compileNameFilter(OMISSION_SIGNS);
  const table = new OmissionTable({ isEmpty: false });
  fc.assert(
    fc.property(name, (text) => {
      if (!table.find(text, false)) return;
      expect(FileNames.of([text]).thatMightMatch(filter)).toEqual([text]);
    }),
    { numRuns: 2_000 },
  );
  for (const { pattern, directoriesOnly } of rules) {
    if (directoriesOnly) continue;
    const text = pattern.replace('*', 'a');
    expect(FileNames.of([text]).thatMightMatch(filter)).toEqual([text]);
  }
  const plain = ['block.ts', 'clock.js', 'summary.md', 'map.go', 'main.rs', 'generated.ts'];
  expect(FileNames.of(plain).thatMightMatch(filter)).toEqual([]);
});
