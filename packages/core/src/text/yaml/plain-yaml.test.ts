import fc from 'fast-check';
import { CORE_SCHEMA, dump, FAILSAFE_SCHEMA, load, nullCoreTag } from 'js-yaml';
import { expect, inject, test } from 'vitest';
import { readPlainYaml } from './plain-yaml.ts';

const library = (text: string, schema = CORE_SCHEMA) => {
  try {
    return load(text, { schema });
  } catch {
    return 'not YAML';
  }
};

/** Reports whether the text was read; it must then be what the library reads. */
function isReadAlike(text: string): boolean {
  const read = readPlainYaml(text, false);
  if (read !== undefined) {
    expect(read).toEqual(library(text));
    expect(readPlainYaml(text, true)).toEqual(library(text, FAILSAFE_SCHEMA.withTags(nullCoreTag)));
  }
  return read !== undefined;
}

test.for([
  `# comment\nname: my-tool # why\ntimeout: 30000\nenv:\n- A\n- B\nneeds: ["x", w, 'z']\nnone: []\nempty: {}\non_: true\n`,
  `deep:\n  a:\n    b: "x: y"\n\n    c: it works, or so (they say) it's "it" [1]\n  d: false\n`,
  'packages:\n  - apps/*\n  - "packages/*"\n  - \'!x/**\' # not that\n',
  'packages:\n- a\n- ./b\n\nname: c\n',
  'catalog:\n  react: ^18.2.0\n  e.f/g: a~b\nstrict: true\n',
])('reads %j', (text) => {
  expect(isReadAlike(text)).toBe(true);
});

test.for([
  '',
  '# a comment',
  'a: yes',
  'a: null',
  'a:',
  'a: b: c',
  'a: b:',
  'a: &x 1',
  'a: *x',
  'a: |\n  text',
  'a: one\n  two',
  'a: 1\na: 2',
  '__proto__: 1',
  'a: 0x1f',
  'a: 1.5',
  'a: .5',
  'a: "\\n"',
  'a: [x, [y]]',
  'a: {b: 1}',
  '- a',
  '  a: b',
  'a: b\n---\nc: d',
  'a:\n  - b: 1',
  'a:\n\t- b',
  'é: 1',
  "a: 'x\ry'\n",
  'a: true\n  b: 1',
  'true: 1',
  'a: ~',
  'a: !!str 1',
  '? a',
  'a: [x,,y]',
  'a: [,x]',
  'a: [x y]',
  'a:\n  b: 1\n c: 2',
  'a:\n  - b\n - c',
  'a:\n  - b\n  c: d',
  'a: ["x, y"]',
  'a: ["a", "b]',
  'a: [x',
  'a: [x, ]',
  'a: -',
  'a:\n  -',
  'a:\n  - b\n  -',
  "a: 'it''s'",
  'a: "x # y"',
  '"a": 1',
  'a : 1',
  '{{{',
])('leaves %j to the library', (text) => {
  expect(readPlainYaml(text, false)).toBeUndefined();
});

const simple = fc.constantFrom('a', 'b-c', 'packages/*', 'two words', 'true', '12', '"q: r"', "'s'", '[a, b]', "it's");
const odd = fc.constantFrom(
  ...['a', 'b-c', 'packages/*', '^1.2', './x', '../y', 'two words', 'true', 'null', 'NULL', 'yes', '12', '007', '""'],
  ...[
    '"q: #"',
    "'s'",
    '[]',
    '[ ]',
    '[a, b]',
    '[a b]',
    '["c", d]',
    '{}',
    'a: b',
    'a:b',
    '- a',
    '#c',
    'a #c',
    'a#b',
    '|',
  ],
  ...['>-', '&a', '*a', '~', '~1', '1e3', '1.0', '.5', '.inf', 'x,', 'a,b', ',', ':', '-', '?', '<<', '!l', '@x/y', ''],
  ...["it's", 'a "b"', '"a" b', 'a [b', 'b]', '{j: k}', "'n''o'", '"\\t"', '2020-01-01', 'off', '..', '.'],
);
const key = fc.oneof(
  { arbitrary: fc.constantFrom('k: ', 'k: ', '- '), weight: 4 },
  fc.constantFrom('k:', 'l:', 'e.f: ', 'g/h:', '-', '# ', '', 'null: ', '__proto__: '),
);
const word = fc.oneof(
  { arbitrary: simple, weight: 6 },
  { arbitrary: odd, weight: 3 },
  fc.stringMatching(/^[ -~]{0,8}$/),
);
const line = fc
  .tuple(fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 2, 2, 1), key, word)
  .map(([indent, start, value]) => ' '.repeat(indent) + start + value);

test('reads what the library reads, or nothing', () => {
  let plain = 0;
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), fc.constantFrom('', '', '', '\r', ' # note'), (lines, end) => {
      if (isReadAlike(lines.map((text, i) => text.replace('k:', `k${i}:`)).join(`${end}\n`))) plain++;
    }),
    { numRuns: 5_000 / inject('runsDivisor') },
  );
  expect(plain).toBeGreaterThan(200 / inject('runsDivisor'));
});

test('agrees with the library on what it writes', () => {
  const leaf = fc.oneof(fc.stringMatching(/^[a-z][a-z0-9 ,:#'"-]{0,12}$/), fc.boolean(), fc.nat(), fc.constant([]));
  const tree = fc.letrec((tie) => ({
    node: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.oneof({ maxDepth: 3 }, leaf, tie('node')), {
      maxKeys: 4,
    }),
  }));
  fc.assert(
    fc.property(tree.node, (value) => {
      isReadAlike(dump(value));
    }),
    { numRuns: 200 / inject('runsDivisor') },
  );
});

test.for(['a: ', 'a:\n ', '- ', ' ', '#', 'a #', "a: '"])('reads a long text of %j in bounded time', (part) => {
  readPlainYaml(`a: b${part.repeat(60_000)}`, false);
});
