import fc from 'fast-check';
import { CORE_SCHEMA, dump, load } from 'js-yaml';
import { expect, test } from 'vitest';
import { definitionOf } from './commands/templates.ts';
import { readPlainYaml } from './plain-yaml-block.ts';

const library = (text: string) => {
  try {
    return load(text, { schema: CORE_SCHEMA });
  } catch {
    return 'not YAML';
  }
};

test('reads the definitions that people write', () => {
  const [, yaml = ''] = /^---\n([\s\S]*?)\n---/.exec(definitionOf('count', 'node')) ?? [];
  expect(readPlainYaml(yaml)).toEqual(library(yaml));
  const more = `# comment\nname: my-tool # why\ntimeout: 30000\nenv:\n- A\n- B\nneeds: ["x", w, 'z']\nnone: []\nempty: {}\non_: true\ndeep:\n  a:\n    b: "x: y # z"\n\n    c: it works, or so (they say)\n  d: false\n`;
  expect(readPlainYaml(more)).toEqual(library(more));
  expect(readPlainYaml(more)).toMatchObject({
    env: ['A', 'B'],
    needs: ['x', 'w', 'z'],
    deep: { a: { b: 'x: y # z' } },
  });
});

test.each([
  '',
  'a: yes',
  'a: null',
  'a:',
  'a: b: c',
  'a: &x 1',
  'a: *x',
  'a: |\n  text',
  'a: one\n  two',
  'a: 1\na: 2',
  '__proto__: 1',
  'a: 0x1f',
  'a: 1.5',
  'a: "\\n"',
  'a: [x, [y]]',
  'a: {b: 1}',
  '- a',
  'a:\n  - b: 1',
  'a:\n\t- b',
  'é: 1',
  'a: true\n  b: 1',
  'true: 1',
  'a: ~',
  'a: !!str 1',
  '? a',
  'a: [x,,y]',
  'a: [,x]',
  'a: [x y]',
  'a: [x y, z]',
  'a:\n  b: 1\n c: 2',
  'a:\n  - b\n - c',
  'a: ["x, y"]',
  "a: ['x', 'y, z']",
  'a: ["a", "b]',
  'a: [x, ]',
  'a: -',
  'a:\n  -',
  'a: x #\n  b',
  "a: 'it''s'",
  '"a": 1',
  'a : 1',
])('leaves %j to the library, or reads the same', (text) => {
  const read = readPlainYaml(text);
  if (read !== undefined) expect(read).toEqual(library(text));
});

test('reads what the library reads, or nothing', () => {
  const word = fc.constantFrom(
    'a',
    'b-c',
    'x_y',
    'two words',
    'true',
    'null',
    'yes',
    '12',
    '007',
    '""',
    '"q: #"',
    "'s'",
    '[]',
    '[a, b]',
    '[a b]',
    '{}',
    'a: b',
    '- a',
    '#c',
    'a #c',
    '|',
    '>',
    '&a',
    '*a',
    '~',
    '1e3',
    '.5',
    'x,',
    'a,b',
    ',',
    ':',
    '-',
    '?',
  );
  const line = fc.tuple(
    fc.nat(4),
    fc.constantFrom('', 'k: ', 'k:', 'l: ', 'm:', '- ', '-', '# '),
    fc.oneof(word, fc.constant('')),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const text = lines.map(([indent, key, value]) => ' '.repeat(indent) + key + value).join('\n');
      const read = readPlainYaml(text);
      if (read !== undefined) expect(read).toEqual(library(text));
    }),
    { numRuns: 5_000 },
  );
});

test('agrees with the library on what it writes', () => {
  const leaf = fc.oneof(fc.stringMatching(/^[a-z][a-z0-9 ,-]{0,12}$/), fc.boolean(), fc.nat(), fc.constant([]));
  const tree = fc.letrec((tie) => ({
    node: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.oneof({ depthSize: 'small' }, leaf, tie('node'))),
  }));
  fc.assert(
    fc.property(tree.node, (value) => {
      const text = dump(value);
      const read = readPlainYaml(text);
      if (read !== undefined) expect(read).toEqual(library(text));
    }),
    { numRuns: 1_000 },
  );
});
