import fc from 'fast-check';
import { dump, load } from 'js-yaml';
import { expect, test } from 'vitest';
import { readPlainYaml } from './plain-yaml.ts';

const RUNS = 10_000;

test.for([
  [
    'packages:\n  - apps/*\n  - "packages/*"\n  - \'!x/**\' # not that\n',
    { packages: ['apps/*', 'packages/*', '!x/**'] },
  ],
  ['packages:\n- a\n- ./b\n\nname: c\n', { packages: ['a', './b'], name: 'c' }],
  [
    'catalog:\n  react: ^18.2.0\n  "@types/node": \'20\'\nstrict: true\n',
    { catalog: { react: '^18.2.0', '@types/node': '20' }, strict: true },
  ],
  ['# nothing but a comment\r\na:\r\n', { a: null }],
] as const)('reads %j', ([text, expected]) => {
  expect(readPlainYaml(text)).toEqual(expected);
  expect(load(text)).toEqual(expected);
});

test.for([
  ['a list in brackets', 'packages: [a]'],
  ['an anchor', 'a: &b c'],
  ['an alias', 'a: *b'],
  ['a tag', 'a: !b c'],
  ['a number', 'a: 1'],
  ['a word that is no string', 'a: null'],
  ['a word that was none once', 'a: yes'],
  ['a block of text', 'a: |\n  b'],
  ['a scalar that goes on', 'a: b\n  c'],
  ['a third level', 'a:\n  b:\n    c: d'],
  ['a list below a list', 'a:\n  - b\n   - c'],
  ['keys beside items', 'a:\n  - b\n  c: d'],
  ['items beside keys', 'a:\n  c: d\n  - b'],
  ['an item of keys', 'a:\n  - b: c'],
  ['a key that comes twice', 'a: b\na: c'],
  ['__proto__', '__proto__: a'],
  ['quotes within quotes', "a: 'it''s'"],
  ['an escape', 'a: "\\n"'],
  ['a tab', 'a:\tb'],
  ['a carriage return in quotes', "a: 'x\ry'\n"],
  ['a carriage return in double quotes', 'a: "x\ry"\n'],
  ['a second document', 'a: b\n---\nc: d'],
  ['a list alone', '- a'],
  ['an indented key at first', '  a: b'],
  ['no YAML at all', '{{{'],
  ['letters beyond ASCII', 'a: é'],
  ['a thousand lines and more', 'a: b\n'.repeat(1_001)],
] as const)('leaves %s to the library', ([, text]) => {
  expect(readPlainYaml(text)).toBeUndefined();
});

const plainWord = fc.constantFrom(
  'a',
  'b-c',
  'packages/*',
  '^1.2.3',
  './x',
  '../y',
  'true',
  "'c'",
  '"d"',
  "'e f'",
  '"g # h"',
);
const word = fc.oneof(
  { arbitrary: plainWord, weight: 6 },
  fc.constantFrom('**', '@x/y', '~1', '1.0', '0x1', 'True', 'NULL', '~', '.5', '.inf', '..', 'a b', 'a#b', 'a:b'),
  fc.constantFrom('[i]', '{j: k}', '|', '>-', '!l', '&m', '*m', '-', '?', '<<', "'n''o'", '"\\t"', '2020-01-01', 'off'),
  fc.stringMatching(/^[ -~]{0,8}$/),
);
const key = fc.oneof(
  { arbitrary: fc.constantFrom('a', 'b', 'c', 'd', 'e.f', 'g/h', 'packages', '"i j"', "'@k/l'"), weight: 9 },
  fc.constantFrom('__proto__', 'null', 'true', '1'),
  word,
);
const end = fc.oneof({ arbitrary: fc.constant(''), weight: 6 }, fc.constantFrom(' ', ' # note', '#x', '\r'));
const indents = ['', ' ', '  ', '    '];
/** A key with what stands below it, mostly as it should be. */
const entry = fc
  .record({
    key,
    value: word,
    kind: fc.constantFrom('scalar', 'scalar', 'items', 'items', 'pairs', 'empty', 'anything'),
    indent: fc.constantFrom(...indents),
    below: fc.array(fc.tuple(key, word, end, fc.constantFrom(...indents), fc.nat(20)), { maxLength: 4 }),
    end,
  })
  .map(({ key, value, kind, indent, below, end }) => {
    const lines = below.map(([name, text, end, other, odd]) => {
      const at = odd === 0 ? other : indent;
      return `${at}${kind === 'items' || odd === 1 ? '- ' : ''}${kind === 'items' ? '' : `${name}: `}${text}${end}`;
    });
    const first = `${key}:${kind === 'scalar' || kind === 'anything' ? ` ${value}` : ''}${end}`;
    return [first, ...(kind === 'scalar' || kind === 'empty' ? [] : lines)].join('\n');
  });
const document = fc.oneof(
  fc.array(fc.oneof({ arbitrary: entry, weight: 9 }, word), { maxLength: 4 }).map((entries) => entries.join('\n')),
  fc.dictionary(word, fc.oneof(word, fc.array(word), fc.dictionary(word, word))).map((value) => dump(value)),
);

test('reads a document as the library does, or leaves it to the library', () => {
  let plain = 0;
  fc.assert(
    fc.property(document, (text) => {
      const read = readPlainYaml(text);
      if (read === undefined) return;
      plain++;
      expect(read).toEqual(load(text));
    }),
    { numRuns: RUNS },
  );
  expect(plain).toBeGreaterThan(RUNS / 20);
});
